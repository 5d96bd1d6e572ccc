"""Fits on tables in parts: what they learn depends on the rows, not on how the table was cut."""

import numpy as np
import pandas as pd
import pytest

from nln import Constraints, LanguageOptions, NLNClassifier
from nln.large.part import Part
from nln.learning.parted import rows as parted_rows
from tests.large.tables import SAMPLE, cut, fit_on, made_table


@pytest.fixture(scope="module")
def table():
    return made_table()


@pytest.fixture(scope="module")
def learned(table):
    return fit_on(cut(*table, 1))


@pytest.mark.parametrize("n_parts", [7, 50])
def test_the_cut_does_not_matter(table, learned, n_parts):
    model = fit_on(cut(*table, n_parts))
    assert str(model.program_) == str(learned.program_)
    assert model.program_ == learned.program_
    assert [point.program for point in model.path_] == [point.program for point in learned.path_]


def test_the_order_of_the_rows_does_not_matter(table, learned):
    X, y = table
    order = np.random.default_rng(1).permutation(len(X))
    assert fit_on(cut(X.iloc[order], y.iloc[order], 5)).program_ == learned.program_


def test_the_number_of_buckets_changes_sums_by_rounding_only(table, learned, monkeypatch):
    monkeypatch.setattr(parted_rows, "ROWS_PER_BUCKET", 1000)
    assert str(fit_on(cut(*table, 3)).program_) == str(learned.program_)


def test_a_table_that_is_not_sampled_gives_the_local_program(table):
    X, y = table
    local = NLNClassifier(random_state=0).fit(X, y)
    model = fit_on(cut(X, y, 7), sample_rows=len(X))
    assert str(model.program_) == str(local.program_)
    np.testing.assert_array_equal(model.predict_proba(X), local.predict_proba(X))


def test_the_true_rules_are_found_and_counted_in_all_rows(table, learned):
    X, y = table
    assert learned.program_ == learned.program_.with_coverage(X, y)
    assert learned.score(X, y) > 0.97
    assert {"age", "colour", "income", "member"} == set(learned.program_.features_used)
    assert learned.made_.rows == len(X)
    assert any("samples of 2048 rows" in note for note in learned.made_.notes)


def test_thresholds_are_the_best_on_all_rows(table, learned):
    X, y = table
    again = NLNClassifier.from_program(learned.program_, X, y)
    assert learned.program_.thresholds == again.program_.thresholds


def test_codes_of_two_bytes_are_dealt_like_others():
    rng = np.random.default_rng(0)
    good, code = rng.random(300) < 0.5, rng.integers(0, 300, 4000)
    X = pd.DataFrame({"code": [f"c{c:03d}" for c in code], "x": rng.normal(size=4000)})
    y = pd.Series(np.where(good[code] & (X["x"] > -0.5), "yes", "no"), name="bought")
    learned = fit_on([*cut(X, y, 1), Part(X[:0], y[:0], None, 1)])
    assert learned.score(X, y) > 0.95
    assert fit_on(cut(X, y, 5)).program_ == learned.program_


def test_what_lies_outside_the_sample_is_known(table):
    X, y = (frame.copy() for frame in table)
    X["rare"] = "usual"
    X.loc[X.index[::1500], "rare"] = ["one", "two", "three", "four"]
    X["gap"] = np.arange(len(X)) % 7 / 2
    X.loc[X.index[777], "gap"] = np.nan
    model = fit_on(cut(X, y, 6), feature_types={"rare": "categorical"})
    assert set(model.schema_["rare"].values) == {"usual", "one", "two", "three", "four"}
    assert model.schema_["age"].range == (X.age.min(), X.age.max())
    assert model.schema_["income"].range == (X.income.min(), X.income.max())
    assert model.schema_["age"].whole
    assert not model.schema_["income"].whole


def test_parts_without_rows_and_parts_of_one_class(table, learned):
    X, y = table
    order = np.argsort(y.to_numpy(), kind="stable")
    parts = cut(X.iloc[order], y.iloc[order], 4)
    assert len(set(parts[0].y)) == 1
    empty = parts[0]._replace(X=X.iloc[:0], y=y.iloc[:0])
    assert fit_on([empty, *parts[:2], empty, *parts[2:], empty]).program_ == learned.program_


def test_rows_of_weight_zero_do_not_count(table, learned):
    X, y = table
    weights = np.concatenate([np.ones(len(X)), np.zeros(500)])
    extra_X, extra_y = X.iloc[:500], y.iloc[:500].map({"yes": "no", "no": "yes"})
    parts = cut(pd.concat([X, extra_X]), pd.concat([y, extra_y]), 5, weights)
    assert fit_on(parts).program_ == learned.program_


def test_only_the_ratios_of_weights_matter(table):
    X, y = table
    weights = np.where(X.member, 2.0, 1.0)
    programs = [fit_on(cut(X, y, n, weights * unit)).program_ for n, unit in ((3, 1.0), (8, 7.0))]
    assert programs[0] == programs[1]


def test_balanced_classes_do_not_depend_on_the_cut(table):
    programs = [fit_on(cut(*table, n), class_weight="balanced").program_ for n in (2, 9)]
    assert programs[0] == programs[1]
    assert programs[0] != fit_on(cut(*table, 2)).program_


def test_several_classes(table):
    X, y = table
    three = pd.Series(np.where(X.age > 70, "old", y), name="kind")
    models = [fit_on(cut(X, three, n)) for n in (1, 6)]
    assert models[0].program_ == models[1].program_
    assert models[0].score(X, three) > 0.95


def test_several_labels(table):
    X, y = table
    labels = pd.DataFrame({"bought": (y == "yes").astype(int), "old": (X.age > 70).astype(int)})
    models = [fit_on(cut(X, labels, n)) for n in (1, 6)]
    assert models[0].program_ == models[1].program_
    assert (models[0].predict(X) == labels).to_numpy().mean() > 0.95
    assert models[0].classes_.tolist() == ["bought", "old"]


def test_constraints_and_plain_language(table):
    X, y = table
    constraints = Constraints(forbidden=["member"], monotone={"yes": {"age": "increasing"}})
    model = fit_on(cut(X, y, 3), constraints=constraints, language="plain")
    assert "member" not in model.program_.features_used
    assert all(len(rule.conditions) <= 3 for rule in model.program_.rules)
    assert "age <" not in str(model.program_)


def test_initial_rules(table):
    text = "IF age >= 61 AND colour = red THEN bought = yes"
    model = fit_on(cut(*table, 3), initial_program=text, constraints=Constraints(fixed_rules=True))
    assert "age >= 61\n AND colour = red" in str(model.program_)


def test_identifiers_are_set_aside(table):
    X, y = table
    numbered = X.assign(number=np.arange(len(X)))
    with pytest.warns(UserWarning, match="identifiers are not used: 'number'"):
        model = fit_on(cut(numbered, y, 4))
    assert "number" not in model.schema_.names


def test_refusals_name_the_part(table):
    X, y = table
    broken = y.copy()
    broken.iloc[4000] = None
    with pytest.raises(ValueError, match=r"missing value at row 1000.*part 1 of the table"):
        fit_on(cut(X, broken, 2))
    infinite = X.copy()
    infinite.loc[infinite.index[10], "income"] = np.inf
    with pytest.raises(ValueError, match=r"'income' has 1 infinite value.*part 0"):
        fit_on(cut(infinite, y, 2))


def test_what_only_whole_tables_can_do_is_refused(table):
    with pytest.raises(ValueError, match="Calculations are looked for on tables of at most"):
        fit_on(cut(*table, 2), language=LanguageOptions(arithmetic=True))
    with pytest.raises(ValueError, match="at most sample_rows = 2048 rows"):
        fit_on(cut(*table, 2), preset="paper")
    with pytest.raises(ValueError, match="sample_rows must be at least"):
        fit_on(cut(*table, 2), sample_rows=10)


def test_a_rule_that_no_sample_shows_is_found():
    rng = np.random.default_rng(3)
    n = 60_000
    X = pd.DataFrame({f"c{i}": rng.integers(0, 40, n).astype(str) for i in range(4)} | {"x": rng.normal(size=n)})
    y = X.x > 1
    rare = (X.c0 == "7") & (X.c1 == "11")
    y = pd.Series(np.where(y | rare, 1, 0), name="y")
    assert 20 < rare.sum() < 60
    model = fit_on(cut(X, y, 4), sample_rows=SAMPLE)
    assert 'c0 = "7"\n AND c1 = "11"' in str(model.program_)
