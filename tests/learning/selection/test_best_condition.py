from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.selection.best_condition import best_conditions
from nln.rules import Coverage, Feature, Schema, Target, membership
from nln.rules.language.text import conditions_text
from nln.tables.encoding import make_encoding, merge_rows

FEATURES = (Feature("x", "continuous"), Feature("c", "categorical", ("a", "b", "c")))
TARGET = Target("class", "binary", ("well", "ill"))


def found(columns, ill):
    n = len(ill)
    encoding = make_encoding(FEATURES, columns, np.ones(n))
    rows = merge_rows(encoding.codes(columns, n), np.asarray(ill, float)[:, None], np.ones(n))
    return best_conditions(encoding, rows, TARGET)


def test_the_condition_that_goes_with_each_class_most():
    columns = {"x": np.array([1.0, 2, 3, 4, 5, 6, np.nan, 7]), "c": np.array([0, 1, 2, 0, 1, 2, 0, 1], np.int32)}
    well, ill = found(columns, [0, 0, 0, 1, 1, 1, 0, 1])
    assert [conditions_text(rule, Schema(FEATURES, TARGET)) for rule in (well, ill)] == ["x < 4", "x >= 4"]
    assert well.coverage == Coverage(3, 8, 3, 4)
    assert ill.coverage == Coverage(4, 8, 4, 4)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_its_counts_are_those_of_the_table(seed):
    rng = np.random.default_rng(seed)
    columns = {"x": rng.integers(0, 9, 40).astype(float), "c": rng.integers(-1, 3, 40).astype(np.int32)}
    columns["x"][rng.random(40) < 0.2] = np.nan
    truth = rng.random(40) < 0.4
    for rule in found(columns, truth):
        (condition,) = rule.conditions
        feature = Schema(FEATURES, TARGET)[condition.feature]
        covered, has = membership(condition, columns[condition.feature], feature) >= 0.5, truth == (rule.label == "ill")
        assert rule.coverage == Coverage(covered.sum(), 40, (covered & has).sum(), has.sum())
        assert rule.coverage.hits / rule.coverage.rows > has.mean()


def test_a_target_that_goes_with_nothing_has_no_condition():
    assert found({"x": np.zeros(4), "c": np.zeros(4, np.int32)}, [0, 1, 0, 1]) == ()
