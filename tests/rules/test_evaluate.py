import numpy as np
import pytest
from hypothesis import given, settings

from nln.rules import (
    Boundary,
    Feature,
    Interval,
    IntervalCondition,
    LogicProgram,
    Rule,
    Schema,
    Target,
    ValueCondition,
    membership,
    memberships,
    probabilities,
    read_columns,
)
from nln.rules import evaluate as module
from tests.rules import oracle
from tests.rules.strategies import programs_and_rows

X = Feature("x", "continuous")
SIZE = Feature("size", "ordinal", ("small", "medium", "large"))
COLOUR = Feature("colour", "categorical", ("red", "green"))


@settings(deadline=None, max_examples=200)
@given(programs_and_rows())
def test_probabilities_and_memberships_are_those_of_the_oracle(case):
    program, rows = case
    columns = read_columns(rows, program.schema)
    expected = [oracle.outputs(program, row) for row in rows]
    np.testing.assert_allclose(probabilities(program, columns), expected, rtol=0, atol=1e-12)
    expected = np.array([[oracle.fires(rule, row, program) for rule in program.rules] for row in rows])
    np.testing.assert_allclose(memberships(program, columns), expected.reshape(len(rows), -1), rtol=0, atol=1e-12)


def test_a_fuzzy_boundary_passes_ten_fifty_and_ninety_percent():
    condition = IntervalCondition("x", (Interval(low=Boundary(5.0, 2.0)),))
    result = membership(condition, np.array([-np.inf, 3.0, 5.0, 7.0, np.inf]), X)
    np.testing.assert_allclose(result, [0, 0.1, 0.5, 0.9, 1], atol=1e-15)


def test_infinite_numbers_fall_in_the_outermost_intervals():
    ends = IntervalCondition("x", (Interval(high=Boundary(0.0)), Interval(low=Boundary(1.0, 0.1))))
    np.testing.assert_array_equal(membership(ends, np.array([-np.inf, 0.5, np.inf]), X).round(1), [1, 0, 1])


def test_a_boundary_of_the_smallest_width_is_exact_at_its_place():
    condition = IntervalCondition("x", (Interval(low=Boundary(1.0, 5e-324)),))
    np.testing.assert_array_equal(membership(condition, np.array([0.0, 1.0, 2.0]), X), [0, 0.5, 1])


def test_ordinal_conditions_compare_ranks_and_refuse_unseen_values():
    column = np.array([0, 1, 2, -1, -2], np.int32)
    at_least = IntervalCondition("size", (Interval(low=Boundary(1.0)),), missing=0.5)
    np.testing.assert_array_equal(membership(at_least, column, SIZE), [0, 1, 1, 0.5, 0])
    anything = IntervalCondition("size", (Interval(),), missing=1.0)
    np.testing.assert_array_equal(membership(anything, column, SIZE), [1, 1, 1, 1, 0])


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (ValueCondition("colour", ("red",)), [1, 0, 0, 0]),
        (ValueCondition("colour", ("red",), negated=True), [0, 1, 0, 1]),
        (ValueCondition("colour", ("red",), missing=0.25), [1, 0, 0.25, 0]),
        (ValueCondition("colour", (), negated=True, missing=1), [1, 1, 1, 1]),
        (ValueCondition("colour", (), missing=0.5), [0, 0, 0.5, 0]),
    ],
)
def test_value_conditions_mean_what_they_say(condition, expected):
    column = np.array([0, 1, -1, -2], np.int32)
    np.testing.assert_array_equal(membership(condition, column, COLOUR), expected)


def test_rules_share_nothing_across_chunks(monkeypatch):
    schema = Schema((X, COLOUR), Target("y", "multiclass", ("a", "b")))
    low = IntervalCondition("x", (Interval(high=Boundary(0.0, 0.3)),), missing=0.2)
    red = ValueCondition("colour", ("red",))
    rules = (Rule((red, low), "a", 0.9), Rule((low,), "b", 0.7), Rule((red,), "b", 0.6), Rule((), "a", 0.1))
    program = LogicProgram(schema, rules, (0.05, 0.0), ())
    rng = np.random.default_rng(0)
    columns = {"x": rng.normal(size=1000), "colour": rng.integers(-2, 2, 1000).astype(np.int32)}
    columns["x"][::7] = np.nan
    whole = probabilities(program, columns)
    monkeypatch.setattr(module, "CHUNK", 64)
    np.testing.assert_allclose(probabilities(program, columns), whole, rtol=0, atol=1e-15)


def test_a_program_without_columns_needs_the_number_of_rows():
    program = LogicProgram(Schema((X,), Target("y", "binary", (0, 1))), (), (0.25,), (0.5,))
    np.testing.assert_array_equal(probabilities(program, {}, rows=2), [[0.25], [0.25]])
    with pytest.raises(ValueError, match="give `rows`"):
        probabilities(program, {})
    assert probabilities(program, {"x": np.empty(0)}).shape == (0, 1)
