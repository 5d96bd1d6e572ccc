"""Numbers on a circle, and arcs of it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.rules import (
    Boundary,
    Feature,
    Interval,
    IntervalCondition,
    LogicProgram,
    Rule,
    RuleSyntaxError,
    Schema,
    Target,
)
from nln.rules.circle import arc, circle_limit, on_circle
from nln.rules.language.text import condition_text

HOUR = Feature("hour", "periodic", period=24)
X = Feature("x", "continuous")
SCHEMA = Schema((HOUR, X), Target("class", "binary", ("no", "yes")))
anything = st.floats(allow_nan=True, allow_infinity=True)
periods = st.floats(1e-6, 1e6)


def parsed(condition):
    return LogicProgram.parse(f"IF {condition} THEN class = yes", schema=SCHEMA).rules[0].conditions[0]


@given(st.lists(anything, max_size=5), periods)
def test_every_number_comes_into_the_period_or_is_lost(numbers, period):
    x = np.array(numbers, float)
    found = on_circle(x, period)
    lost = np.isnan(x) | (np.abs(x) >= circle_limit(period))
    np.testing.assert_array_equal(np.isnan(found), lost)
    assert ((found[~lost] >= 0) & (found[~lost] < period)).all()
    np.testing.assert_array_equal(on_circle(found, period), found)
    inside = (x >= 0) & (x < period)
    np.testing.assert_array_equal(found[inside], x[inside])


@given(st.integers(-1000, 1000), st.integers(0, 23))
def test_whole_turns_change_nothing(turns, hour):
    assert on_circle(np.array([hour + 24.0 * turns]), 24.0) == hour


def test_numbers_are_not_changed_in_place():
    x = np.array([25.0])
    on_circle(x, 24.0)
    assert x == 25


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("22 <= hour < 6", "22 <= hour < 6"),
        ("hour >= 22 or hour < 6", "22 <= hour < 6"),
        ("22 <= hour < 6 or 8 <= hour < 9", "8 <= hour < 9 or 22 <= hour < 6"),
        ("8 <= hour < 9 or 22 <= hour < 6 or missing (0.5)", "8 <= hour < 9 or 22 <= hour < 6 or missing (0.5)"),
        ("0 <= hour < 6", "hour < 6"),
        ("24 <= hour < 6", "hour < 6"),
        ("22 <= hour < 24", "hour >= 22"),
        ("22 <= hour < 0", "hour >= 22"),
        ("0 <= hour < 24", "hour not missing"),
        ("hour < 6 or hour >= 6", "hour < 6 or hour >= 6"),
        ("6 <= hour < 12", "6 <= hour < 12"),
    ],
)
def test_arcs_are_written_and_read(written, said):
    condition = parsed(written)
    assert condition_text(condition, HOUR) == said
    assert parsed(said) == condition


def test_an_arc_over_zero_holds_on_both_of_its_sides():
    program = LogicProgram.parse("IF 22 <= hour < 6 THEN class = yes (0.9)", schema=SCHEMA)
    hours = [21.9, 22, 23.9, 24, 0, 5.9, 6, 29, -1, None, math.inf]
    expected = [0, 0.9, 0.9, 0.9, 0.9, 0.9, 0, 0.9, 0.9, 0, 0]
    np.testing.assert_allclose(program.predict_proba({"hour": hours, "x": [0] * 11})[:, 1], expected)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("22 <= x < 6", "must lie below 6"),
        ("22 <= hour < 25", "between 0 and the period, 24.0, but one is 25.0"),
        ("-1 <= hour < 3", "between 0 and the period"),
        ("6 <= hour < 6", "empty or the whole circle"),
        ("hour < 0", "empty or the whole circle"),
        ("hour >= 24", "empty or the whole circle"),
        ("24 <= hour < 0", "empty or the whole circle"),
        ("22 <= hour < 6 ± 1", "crisp"),
        ("22 <= hour < 6 or 5 <= hour < 7", "disjoint"),
        ("hour = 3", "takes `<` or `>=`"),
    ],
)
def test_wrong_arcs_are_refused(written, message):
    with pytest.raises(RuleSyntaxError, match=message):
        parsed(written)


@pytest.mark.parametrize(
    ("intervals", "message"),
    [
        ((Interval(high=Boundary(24.0)),), "boundaries between 0 and its period, 24.0, not 24.0"),
        ((Interval(low=Boundary(0.0)),), "has an open end there"),
        ((Interval(low=Boundary(3.0, 0.5)),), "crisp"),
    ],
)
def test_conditions_stay_within_the_period(intervals, message):
    with pytest.raises(ValueError, match=message):
        LogicProgram(SCHEMA, (Rule((IntervalCondition("hour", intervals),), "yes"),), (0.0,), (0.5,))


def test_touching_arcs_are_joined_over_zero():
    text = "IF hour >= 20 or hour < 3 or 3 <= hour < 6 THEN class = yes"
    simple = LogicProgram.parse(text, schema=SCHEMA).simplify()
    assert condition_text(simple.rules[0].conditions[0], HOUR) == "20 <= hour < 6"
    text = "IF hour >= 6 or hour < 6 or missing THEN class = yes"
    assert LogicProgram.parse(text, schema=SCHEMA).simplify().rules[0].conditions == ()


def test_a_rule_inside_a_certain_arc_goes():
    claims = {"20 <= hour < 6": 1, "22 <= hour < 5": 0.5, "5 <= hour < 7": 0.4}
    text = " ".join(f"IF {arc} THEN class = yes ({p})" for arc, p in claims.items())
    assert [rule.weight for rule in LogicProgram.parse(text, schema=SCHEMA).simplify().rules] == [1.0, 0.4]


def test_counterfactuals_go_the_shorter_way_round():
    program = LogicProgram.parse("IF 22 <= hour < 6 THEN class = yes", schema=SCHEMA)
    (found,) = program.counterfactuals({"hour": 20})
    assert str(found) == "class = yes if hour from 20 to below 6 or 22 or more"
    text = "IF 2 <= hour < 6 THEN class = yes IF 10 <= hour < 12 or 14 <= hour < 20 THEN class = yes (0.1)"
    program = LogicProgram.parse(text, schema=SCHEMA)
    (found,) = program.counterfactuals({"hour": 23})
    assert found.changes[0].new == 2.0  # up over 0, and not down to 5.99
    (found,) = program.counterfactuals({"hour": 11})
    assert found.changes[0].new == 5.99


def test_arc_of_the_whole_circle():
    assert arc(0.0, 24.0, 24.0) == (Interval(),)
