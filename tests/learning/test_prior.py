"""A program becomes a draft and again the same program; learning goes on from it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln import Constraints, LanguageOptions, NLNClassifier, TrainingOptions, datasets
from nln.learning.descent.boundaries import Shape, feature_boundaries, shape_table
from nln.learning.draft import Draft
from nln.learning.learn import Learned
from nln.learning.prior import from_program, named_places, pin_boundaries
from nln.learning.selection.dial import Stage
from nln.learning.selection.to_program import to_program
from nln.rules import Feature, IntervalCondition, LogicProgram, Schema, Target, memberships
from nln.rules.adopt import adopt
from nln.tables.encoding import make_encoding

FEATURES = (
    Feature("colour", "categorical", ("blue", "green", "red", "white")),
    Feature("on", "binary", (False, True)),
    Feature("size", "ordinal", ("S", "M", "L", "XL")),
    Feature("x", "continuous"),
    Feature("z", "continuous"),
)
SCHEMA = Schema(FEATURES, Target("y", "multilabel", ("a", "b")))
QUICK = {"starts": 2, "training": TrainingOptions(epochs=40), "random_state": 0, "n_jobs": 1}


def columns_of(seed: int, n: int = 120) -> dict:
    rng = np.random.default_rng(seed)
    return {
        "colour": rng.integers(-1, 4, n).astype(np.int32),
        "on": rng.integers(0, 2, n).astype(np.int32),
        "size": rng.integers(0, 4, n).astype(np.int32),
        "x": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 60, n) / 4),
        "z": rng.normal(size=n),
    }


def random_stage(seed: int, encoding, boundaries) -> Stage:
    """Rules as learning leaves them: value sets neither empty nor full, boundaries of any width, missing values."""
    rng, n_rules = np.random.default_rng(seed), 4
    tables, shapes = np.ones((n_rules, encoding.n_slots)), {}
    for i in range(n_rules):
        for j in np.flatnonzero(rng.random(len(encoding.slots)) < 0.6):
            slots, n = encoding.slots[j], encoding.slots[j].n_known
            part = tables[i, encoding.offsets[j] : encoding.offsets[j + 1]]
            cuts = np.sort(rng.choice(np.arange(1, n), min(n - 1, int(rng.integers(1, 4))), replace=False))
            if slots.is_ordered:
                levels = rng.integers(0, boundaries[j].widths.shape[1], len(cuts)) * slots.feature.is_numeric
                shapes[i, j] = Shape(cuts, levels, bool(rng.random() < 0.5))
                part[:n] = shape_table(boundaries[j], shapes[i, j])
            else:
                part[:n] = rng.permutation((np.arange(n) < rng.integers(1, n)).astype(float))
            if slots.has_missing:
                part[-1] = rng.choice([0.0, 0.25, 0.5])
    bias, output = rng.integers(1, 999, n_rules) / 1000, rng.integers(0, 2, n_rules)
    draft = Draft(tables, bias, output, rng.integers(1, 999, 2) / 1000)
    return Stage(draft, shapes)


def stage_of(program, encoding, boundaries) -> Stage:
    """A program as a stage: its draft, and the boundaries of its conditions on ordered features."""
    place = {slots.feature.name: j for j, slots in enumerate(encoding.slots)}
    asked = [(i, place[c.feature], c) for i, rule in enumerate(program.rules) for c in rule.conditions]
    ordered = [(i, j, c) for i, j, c in asked if isinstance(c, IntervalCondition) and c.intervals]
    shapes = {(i, j): shape_of(c, encoding.slots[j], boundaries[j]) for i, j, c in ordered}
    return Stage(from_program(program, encoding), shapes)


def shape_of(condition, slots, offered) -> Shape:
    """The cuts between the same training rows, with the nearest rungs of widths; none beyond all training rows."""
    inside = condition.intervals[0].low is None
    cuts, levels = [], []
    for boundary in condition.boundaries:
        cut, last = int(np.searchsorted(slots.lows, boundary.value)), cuts[-1] if cuts else 0
        # A fuzzy boundary may lie at a short number beyond its bin.
        same = np.argwhere((offered.values == boundary.value) & (offered.widths == boundary.width)).tolist()
        if boundary.width and (found := [pair for pair in same if pair[0] > last]):
            cuts.append(found[0][0])
            levels.append(found[0][1])
        elif cut == 0:
            inside = not inside
        elif cuts and cuts[-1] == cut:  # nothing between two boundaries
            cuts.pop()
            levels.pop()
        elif cut < slots.n_known:
            cuts.append(cut)
            levels.append(int(np.argmin(np.abs(offered.widths[cut] - boundary.width))))
    return Shape(np.array(cuts, np.int64), np.array(levels, np.int64), inside)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 3))
def test_program_to_draft_to_program_is_the_identity(seed, data):
    columns = columns_of(data)
    encoding = make_encoding(FEATURES, columns, np.ones(120))
    boundaries = feature_boundaries(encoding, LanguageOptions())
    learned = Learned((), 0, np.empty(0), np.empty(0), boundaries, True, (), np.ones(1, int), encoding=encoding)
    program = to_program(random_stage(seed, encoding, boundaries), learned, SCHEMA)
    again = to_program(stage_of(program, encoding, boundaries), learned, SCHEMA)
    assert again == program


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.lists(st.floats(-3, 3), min_size=1, max_size=4, unique=True))
def test_draft_of_a_written_program_computes_what_the_program_computes_on_every_row(seed, numbers):
    # More values than slots: bins must be cut where the program cuts.
    n, rng = 900, np.random.default_rng(seed)
    features = (Feature("z", "continuous"), Feature("word", "categorical", tuple(f"w{i}" for i in range(400))))
    columns = {"z": rng.normal(size=n), "word": rng.integers(0, 400, n).astype(np.int32)}
    schema = Schema(features, Target("class", "binary", ("no", "yes")))
    text = "".join(f"IF z >= {v!r} AND word != w{i * 90} THEN class = yes\n" for i, v in enumerate(numbers))
    program = LogicProgram.parse(text, schema=schema)
    encoding = make_encoding(features, columns, np.ones(n), named=named_places(program))
    assert max(slots.n_slots for slots in encoding.slots) <= 256
    draft = from_program(program, encoding)
    slots = encoding.offsets[:-1] + encoding.codes(columns, n)
    for i, table in enumerate(draft.tables):
        np.testing.assert_array_equal(table[slots].prod(axis=1), memberships(program, columns)[:, i])


def test_boundaries_keep_the_numbers_that_people_write():
    x = np.arange(40.0)
    feature = Feature("x", "continuous")
    schema = Schema((feature,), Target("class", "binary", ("no", "yes")))
    program = LogicProgram.parse("IF x >= 19.123 THEN class = yes", schema=schema)
    encoding = make_encoding((feature,), {"x": x}, np.ones(40), named=named_places(program))
    boundaries = pin_boundaries(program, encoding, feature_boundaries(encoding, LanguageOptions()))
    assert boundaries[0].values[20, 0] == 19.123
    model = NLNClassifier(**QUICK, initial_program=program, language=LanguageOptions(fuzzy=False))
    model.fit(pd.DataFrame({"x": np.repeat(x, 5)}), np.repeat(np.where(x >= 20, "yes", "no"), 5))
    assert "x >= 19.123" in str(model.program_)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("IF age < 3 THEN class = yes", "age"),
        ("IF colour = purple THEN class = yes", "purple"),
        ("IF x < 3 THEN class = maybe", "maybe"),
    ],
)
def test_text_that_the_table_does_not_know_is_refused(text, said):
    X = pd.DataFrame({"x": np.arange(30.0), "colour": ["red", "blue", "green"] * 10})
    with pytest.raises(ValueError, match=said):
        NLNClassifier(**QUICK, initial_program=text).fit(X, ["no", "yes"] * 15)


@pytest.fixture(scope="module")
def lines():
    X, y = datasets.load_tic_tac_toe()
    return X, y, NLNClassifier(random_state=0, starts=2).fit(X, y).program_


def test_learning_goes_on_from_given_rules(lines):
    X, y, program = lines
    hasty = {**QUICK, "n_rules": 8, "training": TrainingOptions(epochs=1)}
    taught = NLNClassifier(**hasty, initial_program=program).fit(X, y)
    assert taught.score(X, y) == 1.0
    assert {rule.conditions for rule in taught.program_.rules} == {rule.conditions for rule in program.rules}


def test_more_initial_rules_than_modules_are_refused(lines):
    X, y, program = lines
    with pytest.raises(ValueError, match="8 rules, but a network has n_rules=4"):
        NLNClassifier(**QUICK, n_rules=4, initial_program=program).fit(X, y)


def wrong_rules() -> tuple[pd.DataFrame, np.ndarray, str]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=300).round(2), "z": rng.normal(size=300).round(2)})
    text = "IF x >= 0.125 THEN class = yes IF z < 0 AND x < 1.5 THEN class = yes IF z >= 50 THEN class = yes (0.7)"
    return X, np.where(X["x"] > 0.5, "yes", "no"), text


def test_fixed_rules_stay_as_they_are_written_with_the_share_of_their_label():
    X, y, text = wrong_rules()
    model = NLNClassifier(**QUICK, constraints=Constraints(fixed_rules=True), initial_program=text).fit(X, y)
    written = adopt(text, model.schema_)
    found = {rule.conditions: rule for rule in model.program_.simplify().rules}
    for rule in written.simplify().rules:
        assert rule.conditions in found
    shares = {rule.conditions: rule.coverage.hits / max(rule.coverage.rows, 1) for rule in model.program_.rules}
    first, second, unseen = (rule.conditions for rule in adopt(text, model.schema_).rules)
    assert found[first].weight == pytest.approx(shares[first], abs=0.01)
    second = tuple(sorted(second, key=lambda c: c.feature))
    assert found[second].weight == pytest.approx(shares[second], abs=0.01)
    assert found[unseen].weight == 0.7  # no row has a say


def test_rules_that_may_move_give_way_to_the_rows():
    X, y, text = wrong_rules()
    model = NLNClassifier(**QUICK, initial_program=text, threshold=0.5).fit(X, y)
    (rule,) = model.program_.rules
    (condition,) = rule.conditions
    assert condition.feature == "x" and condition.intervals[0].low.value == 0.5
    decided = X["x"] != 0.5  # one row lies on the boundary
    assert model.score(X[decided], y[decided]) == 1.0


@pytest.mark.filterwarnings("ignore:No rule was learned")
def test_initial_rules_are_made_to_keep_to_the_constraints():
    X, y, text = wrong_rules()
    constraints = Constraints(monotone={"x": -1}, forbidden_pairs=[("x", "z")])
    model = NLNClassifier(**QUICK, constraints=constraints, initial_program=text).fit(X, y)
    assert constraints.violations(model.program_) == ()


@pytest.mark.parametrize(
    ("constraints", "said"),
    [
        (Constraints(forbidden=["z"]), "Rule 2 asks about 'z', which is forbidden"),
        (Constraints(fixed_rules=True, monotone={"x": 1}), "Rule 2 for 'yes' is not increasing in 'x'"),
        (Constraints(fixed_rules=True, max_rules_per_target=2), "There are 3 rules for 'yes'; allowed: 2"),
    ],
)
def test_initial_rules_that_break_constraints_they_cannot_be_made_to_keep_are_refused(constraints, said):
    X, y, text = wrong_rules()
    with pytest.raises(ValueError, match=said):
        NLNClassifier(**QUICK, constraints=constraints, initial_program=text).fit(X, y)


def test_more_fixed_rules_than_the_program_may_have_are_refused():
    X, y, text = wrong_rules()
    language = LanguageOptions(max_rules=2)
    with pytest.raises(ValueError, match="3 rules that stay, but max_rules is 2"):
        NLNClassifier(**QUICK, language=language, constraints=Constraints(fixed_rules=True), initial_program=text).fit(
            X, y
        )


def test_fixed_rules_count_among_the_most_rules():
    X, y, text = wrong_rules()
    constraints = Constraints(fixed_rules=True, max_rules_per_target=4)
    model = NLNClassifier(**QUICK, constraints=constraints, initial_program=text).fit(X, y)
    assert 3 <= model.program_.n_rules <= 4
