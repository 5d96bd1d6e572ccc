import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nln import Constraints, LanguageOptions, NLNClassifier, TrainingOptions, audit
from nln.compose.audit import association, correlation_ratio, cramers_v, spearman
from nln.model import SavedModel
from nln.rules import Feature, LogicProgram, Schema, Target

FEATURES = (
    Feature("sex", "binary", ("f", "m")),
    Feature("title", "categorical", ("Mr", "Mrs")),
    Feature("age", "continuous"),
    Feature("pay", "continuous"),
)
SCHEMA = Schema(FEATURES, Target("hired", "binary", ("no", "yes")))
PROGRAM = LogicProgram.parse(
    """
    IF title = Mr AND pay < 60 THEN hired = yes (0.9)
    IF sex = f AND pay < 10 THEN hired = yes (0.8)
    IF pay < 20 THEN hired = yes (0.9)
    OTHERWISE hired = no (P(hired = yes) = 0.1; hired = yes from 0.5)
    """,
    schema=SCHEMA,
)


def people(n=600, seed=0):
    """A table whose title nearly gives the sex away, and who was hired."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], n)
    title = np.where((sex == "m") != (rng.random(n) < 0.05), "Mr", "Mrs")
    X = {
        "sex": sex.tolist(),
        "title": title.tolist(),
        "age": rng.integers(20, 70, n).astype(float).tolist(),
        "pay": np.round(rng.uniform(0, 100, n), 1).tolist(),
    }
    hired = (np.array(X["pay"]) < 40) != (rng.random(n) < 0.1)
    return X, np.where(hired, "yes", "no").tolist()


def rates(program, X, y, rows):
    decided, truth = (program.predict(X) == "yes")[rows], (np.array(y) == "yes")[rows]
    return decided.mean(), decided[truth].mean(), decided[~truth].mean()


def test_rates_are_those_of_the_groups(frame):
    X, y = people()
    found = audit(PROGRAM, frame(X), y, ["sex"])
    assert [(group.group, group.output) for group in found.groups] == [("f", "yes"), ("m", "yes")]
    for group in found.groups:
        rows = np.array(X["sex"]) == group.group
        assert group.rows == rows.sum()
        assert group.rates == pytest.approx(rates(PROGRAM, X, y, rows))
    for place, gap in enumerate(found.gaps):
        assert (gap.high, gap.low) == ("m", "f")
        assert gap.size == pytest.approx(found.groups[1].rates[place] - found.groups[0].rates[place])


def test_the_effect_of_a_rule_is_the_gap_of_the_program_without_it_less_the_gap():
    X, y = people()
    frame = to_pandas(X)
    found = audit(PROGRAM, frame, y, ["sex", "age"])
    assert len(found.gaps) == 6
    for i, rule in enumerate(found.rules):
        rest = replace(PROGRAM, rules=PROGRAM.rules[:i] + PROGRAM.rules[i + 1 :])
        without = audit(rest, frame, y, ["sex", "age"])
        for gap, effect in zip(found.gaps, rule.effects, strict=True):
            rate = {
                group.group: group.rates[
                    ("selection rate", "true positive rate", "false positive rate").index(gap.rate)
                ]
                for group in without.groups
                if group.protected == gap.protected
            }
            assert effect == pytest.approx(rate[gap.high] - rate[gap.low] - gap.size)
    assert found.rules[0].effects[0] < -0.1
    assert "without rule 1" in str(found)


def test_rules_that_ask_about_protected_attributes_and_proxies_are_named(frame):
    X, y = people()
    found = audit(PROGRAM, frame(X), y, ["sex"])
    assert found.proxies == ("title",)
    assert found.forbidden == ("sex", "title")
    assert [(rule.protected, rule.proxies) for rule in found.rules] == [((), ("title",)), (("sex",), ()), ((), ())]
    assert [one.measure for one in found.associations] == ["Cramér's V", "correlation ratio", "correlation ratio"]
    assert found.associations[0].strength > 0.8
    text = str(found)
    assert "title for sex (Cramér's V 0.9" in text
    assert "rule 2 (sex): IF sex = f AND pay < 10 THEN hired = yes" in text
    assert audit(PROGRAM, frame(X), y, ["sex"], proxy_threshold=1).proxies == ()


def test_numbers_make_bands_and_missing_values_a_group():
    X, y = people()
    X["age"][:40] = [None] * 40
    found = audit(PROGRAM, to_pandas(X), y, ["age"], bands=3)
    groups = [group for group in found.groups if group.protected == "age"]
    assert [group.group for group in groups][-1] == "missing"
    assert groups[-1].rows == 40
    known = np.array(X["age"][40:], float)
    low, high = (float(word) for word in re.findall(r"[\d.]+", groups[1].group))
    assert groups[0].group == f"below {low:g}"
    assert groups[2].group == f"{high:g} and above"
    assert [group.rows for group in groups[:3]] == [
        (known < low).sum(),
        ((known >= low) & (known < high)).sum(),
        (known >= high).sum(),
    ]
    assert min(group.rows for group in groups[:3]) > 140


def test_a_protected_column_need_not_be_known_to_the_program(frame):
    X, y = people()
    X["town"] = ["north", "south", "east"] * 200
    found = audit(PROGRAM, frame(X), y, ["town"])
    assert [group.group for group in found.groups] == ["east", "north", "south"]
    assert {one.column for one in found.associations} == {"sex", "title", "age", "pay"}


def test_groups_of_few_rows_make_no_gap():
    X, y = people()
    X["town"] = ["small"] * 5 + ["north", "south"] * 297 + ["north"]
    found = audit(PROGRAM, to_pandas(X), y, ["town"])
    assert "small" in {group.group for group in found.groups}
    assert all("small" not in (gap.high, gap.low) for gap in found.gaps)
    alone = audit(PROGRAM, to_pandas(X), y, ["town"], min_rows=600)
    assert alone.gaps == ()
    assert all(rule.effects == () for rule in alone.rules)
    assert len(alone.to_frame("rules", "pandas")) == 0


def test_a_rate_without_rows_is_none():
    X, _ = people(100)
    found = audit(PROGRAM, to_pandas(X), ["no"] * 100, ["sex"])
    assert all(group.rates[1] is None and group.rates[0] is not None for group in found.groups)
    assert "-" in str(found)


def test_several_classes_have_gaps_each():
    X, _ = people()
    schema = Schema(FEATURES, Target("job", "multiclass", ("a", "b", "c")))
    text = "IF sex = m THEN job = a (0.9) IF pay < 50 THEN job = b (0.8) OTHERWISE (P(job = c) = 0.5)"
    program = LogicProgram.parse(text, schema=schema)
    found = audit(program, to_pandas(X), ["a", "b", "c"] * 200, ["sex"])
    assert [gap.output for gap in found.gaps if gap.rate == "selection rate"] == ["a", "b", "c"]
    assert found.gaps[0].size == 1.0
    # Without the rule for a, men get the other classes as women do.
    b = next(place for place, gap in enumerate(found.gaps) if (gap.output, gap.rate) == ("b", "selection rate"))
    assert found.rules[0].effects[b] < -0.3


def test_labels_are_audited_one_by_one():
    X, _ = people(200)
    schema = Schema(FEATURES, Target("", "multilabel", ("a", "b")))
    program = LogicProgram.parse("IF sex = m THEN a IF pay < 50 THEN b", schema=schema)
    found = audit(program, to_pandas(X), np.array([[0, 1], [1, 0]] * 100), ["sex"])
    assert [(gap.output, gap.size == 1.0) for gap in found.gaps if gap.rate == "selection rate"] == [
        ("a", True),
        ("b", False),
    ]


def test_a_model_is_audited_as_its_program():
    X, y = people()
    model = SavedModel(PROGRAM, np.array(["no", "yes"]), tuple(X), named=True)
    assert str(audit(model, to_pandas(X), y, ["sex"])) == str(audit(PROGRAM, to_pandas(X), y, ["sex"]))


def test_frames_and_plain_data_say_the_same(frame):
    X, y = people()
    found = audit(PROGRAM, frame(X), y, ["sex"])
    backend = type(frame(X)).__module__.split(".")[0]
    rules, groups = found.to_frame("rules", backend), found.to_frame("groups", backend)
    assert list(rules["effect"]) == [effect for rule in found.rules for effect in rule.effects]
    assert list(rules["rule"]) == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert list(groups["selection rate"]) == [group.rates[0] for group in found.groups]
    plain = json.loads(json.dumps(found.to_dict()))
    assert [gap["size"] for gap in plain["gaps"]] == [gap.size for gap in found.gaps]
    assert plain["rules"][1]["protected"] == ["sex"]
    assert plain["refit"] is None
    with pytest.raises(ValueError, match="part must be"):
        found.to_frame("gaps")


def test_a_refit_does_without_the_protected_attribute_and_its_proxies(frame):
    X, y = people(800)
    y = np.where((np.array(X["sex"]) == "m") & (np.array(X["pay"]) < 50), "yes", "no").tolist()
    X["town"] = ["north", "south"] * 400
    quick = NLNClassifier(
        n_rules=16,
        starts=1,
        training=TrainingOptions(epochs=20),
        language=LanguageOptions(fuzzy=False),
        constraints=Constraints(forbidden=["age"]),
        random_state=0,
        n_jobs=1,
    )
    found = audit(PROGRAM, frame(X), y, ["sex"], refit=quick, held_out=0.25)
    refit = found.refit
    assert refit.forbidden == ("sex", "title")
    assert set(refit.program.features_used) <= {"pay"}
    assert (refit.trained, refit.before.rows, refit.after.rows) == (600, 200, 200)
    assert refit.before.accuracy > refit.after.accuracy + 0.1
    assert "Learned again without sex, title, on 600 rows, and scored on 200 others" in str(found)
    assert found.to_dict()["refit"]["after"]["f1"] == refit.after.f1
    assert quick.constraints == Constraints(forbidden=["age"])
    assert not hasattr(quick, "program_")


def test_an_array_is_audited_by_the_names_of_the_model():
    X, y = people(400)
    array = np.column_stack([np.array(X["sex"]) == "m", X["pay"], np.ones(400), X["age"]]).astype(float)
    quick = NLNClassifier(n_rules=8, starts=1, training=TrainingOptions(epochs=10), random_state=0, n_jobs=1)
    with pytest.warns(UserWarning, match="Columns without two different values"):
        model = NLNClassifier(**quick.get_params()).fit(array, y)
        found = audit(model, array, y, ["x0"], refit=quick)
    assert [group.group for group in found.groups] == ["0", "1"]
    assert found.refit.forbidden == ("x0",)
    assert "x0" not in found.refit.program.features_used


def test_the_value_missing_is_not_a_missing_value():
    X, y = people(100)
    X["town"] = ["missing"] * 40 + [None] * 20 + ["north"] * 40
    found = audit(PROGRAM, to_pandas(X), y, ["town"])
    assert {group.group: group.rows for group in found.groups} == {'"missing"': 40, "missing": 20, "north": 40}


def test_inputs_stay_as_they_are():
    X, y = people(100)
    frame, before = to_pandas(X), PROGRAM.to_dict()
    audit(PROGRAM, frame, y, ["sex", "age"])
    assert frame.equals(to_pandas(X))
    assert PROGRAM.to_dict() == before


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"protected": ["gender"]}, "protected names 'gender', but X has no such column; it has 'sex', 'title'"),
        ({"protected": []}, "protected names no column"),
        ({"proxy_threshold": 0}, "proxy_threshold must lie above 0"),
        ({"bands": 1}, "bands must be a whole number of at least 2"),
        ({"min_rows": 0.5}, "min_rows must be a whole number of at least 1"),
        ({"held_out": 1.0}, "held_out must lie between 0 and 1"),
        ({"y": ["no", "maybe"] * 50}, "y holds 'maybe' at row 1"),
        ({"y": ["no"]}, "y has 1 entries"),
    ],
)
def test_bad_arguments_are_refused(given, message):
    X, y = people(100)
    options = {"X": to_pandas(X), "y": y, "protected": ["sex"], **given}
    with pytest.raises(ValueError, match=re.escape(message)):
        audit(PROGRAM, **options)


def test_other_types_and_tables_are_refused():
    X, y = people(100)
    with pytest.raises(TypeError, match="protected must be a list"):
        audit(PROGRAM, to_pandas(X), y, "sex")
    with pytest.raises(TypeError, match="a fitted classifier or a LogicProgram, not NLNClassifier"):
        audit(NLNClassifier(), to_pandas(X), y, ["sex"])
    with pytest.raises(ValueError, match=r"Rules ask about 'pay', but X has no such column"):
        audit(PROGRAM, to_pandas(X).drop(columns="pay"), y, ["sex"])
    with pytest.raises(ValueError, match="'town' does not have two different values"):
        audit(PROGRAM, to_pandas({**X, "town": ["north"] * 100}), y, ["town"])
    with pytest.raises(ValueError, match="'born' is read as a date, which has no groups"):
        audit(
            PROGRAM, to_pandas({**X, "born": [f"19{50 + i % 40}-03-{i % 28 + 1:02d}" for i in range(100)]}), y, ["born"]
        )


columns = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=40)


@given(columns)
def test_associations_are_those_of_scipy(pairs):
    one, other = np.array(pairs).T
    varied = len(set(one.tolist())) > 1 and len(set(other.tolist())) > 1
    if not varied:
        assert cramers_v(one, other) == spearman(one.astype(float), other.astype(float)) == 0.0
        return
    counts = stats.contingency.crosstab(one, other).count
    assert cramers_v(one, other) == pytest.approx(stats.contingency.association(counts, method="cramer"))
    assert spearman(one.astype(float), other.astype(float)) == pytest.approx(stats.spearmanr(one, other).statistic)
    means = np.array([other[one == value].mean() for value in one])
    assert correlation_ratio(one, other.astype(float)) == pytest.approx(means.std() / other.std(), abs=1e-7)


def test_missing_numbers_are_left_out_of_associations():
    numbers, values = np.array([1.0, 1.0, 5.0, 5.0, np.nan]), np.array([0, 0, 1, 1, 0])
    assert correlation_ratio(values, numbers) == 1.0
    assert spearman(numbers, -numbers) == -1.0
    assert correlation_ratio(values, np.full(5, np.nan)) == 0.0
    assert spearman(np.full(5, np.nan), numbers) == 0.0
    x, sex = FEATURES[3], FEATURES[0]
    assert association(numbers, x, values, sex) == association(values, sex, numbers, x) == ("correlation ratio", 1.0)
    assert association(numbers, x, -numbers, x) == ("Spearman", 1.0)


def to_pandas(columns):
    import pandas as pd

    return pd.DataFrame(columns)


def test_the_text_names_no_groups_where_there_is_no_gap(frame):
    X = frame({"sex": ["f", "m"] * 50, "hours": [10, 10, 30, 30] * 25})
    schema = Schema((Feature("hours", "continuous"),), Target("hired", "binary", ("no", "yes")))
    program = LogicProgram.parse("IF hours >= 20 THEN hired = yes", schema=schema)
    text = str(audit(program, X, ["no", "no", "yes", "yes"] * 25, protected=["sex"], min_rows=20))
    assert text.startswith("1 rule audited on 100 rows for sex.")
    assert "  gap of the selection rate: none\n" in text
