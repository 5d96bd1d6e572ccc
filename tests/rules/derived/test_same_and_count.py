"""Columns with the same values, and counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.rules import (
    Boundary,
    Feature,
    Interval,
    IntervalCondition,
    Schema,
    Target,
    ValueCondition,
    membership,
    read_columns,
)
from nln.rules.derived.kinds import with_derived
from nln.rules.derived.make import count_of, derived_feature
from nln.rules.derived.same import Same

A = Feature("a", "categorical", ("p", "q", "r"))
B = Feature("b", "categorical", ("r", "q", "p"))
X = Feature("x", "continuous")
N = Feature("n", "continuous", whole=True)
SCHEMA = Schema((A, B, X, N), Target("class", "binary", ("no", "yes")))


def test_same_compares_values_and_not_their_places():
    schema = SCHEMA.with_features([derived_feature(Same(("b", "a")))])
    table = {"a": ["p", "p", None, "z", "z", "r"], "b": ["p", "q", "p", "z", "p", "r"], "x": [0] * 6, "n": [0] * 6}
    found = read_columns(table, schema, only=["a is b"])
    assert found["a is b"].tolist() == [1, 0, -1, 0, 0, 1]
    assert set(found) == {"a", "b", "a is b"}


def test_same_needs_two_columns_with_the_same_values():
    with pytest.raises(ValueError, match="always the same"):
        Same(("a", "a"))
    with pytest.raises(ValueError, match="'x' in 'a is x' is continuous"):
        SCHEMA.with_features([derived_feature(Same(("a", "x")))])
    other = Feature("c", "categorical", ("p", "q"))
    with pytest.raises(ValueError, match="different values"):
        SCHEMA.with_features([other, derived_feature(Same(("a", "c")))])
    with pytest.raises(ValueError, match="which the schema lacks"):
        SCHEMA.with_features([derived_feature(Same(("a", "d")))])


numbers = st.floats(-3, 3) | st.none()
members = st.fixed_dictionaries(
    {
        "a": st.sampled_from([ValueCondition("a", ("p",)), ValueCondition("a", ("p", "q"), negated=True)]),
        "x": st.sampled_from([IntervalCondition("x", (Interval(Boundary(1.0)),))]),
        "n": st.sampled_from([IntervalCondition("n", (Interval(None, Boundary(1.0)),))]),
    }
)


@given(members, st.lists(st.tuples(st.sampled_from(["p", "q", "z", None]), numbers, numbers), min_size=1))
def test_a_count_adds_what_holds(chosen, rows):
    count = count_of(chosen.values(), SCHEMA.by_name)
    feature = derived_feature(count)
    schema = SCHEMA.with_features([feature])
    table = {"a": [r[0] for r in rows], "x": [r[1] for r in rows], "n": [r[2] for r in rows]}
    columns = read_columns(table, SCHEMA, only=["a", "x", "n"])
    found = with_derived(columns, schema, [feature.name])[feature.name]
    expected = sum(membership(m, columns[m.feature], SCHEMA[m.feature]) for m in chosen.values())
    assert found.tolist() == np.asarray(expected).tolist()
    assert feature.values == (0, 1, 2, 3)
    assert schema.extra(feature.name) == sum(m.size for m in chosen.values())


def test_the_order_of_members_does_not_matter():
    one, other = ValueCondition("a", ("p",)), IntervalCondition("x", (Interval(Boundary(1.0)),))
    assert count_of([one, other], SCHEMA.by_name) == count_of([other, one], SCHEMA.by_name)


def test_members_are_crisp_and_about_features_of_their_own():
    above = IntervalCondition("x", (Interval(Boundary(1.0)),))
    with pytest.raises(ValueError, match="at least 2 members"):
        count_of([above], SCHEMA.by_name)
    with pytest.raises(ValueError, match="asks about 'x' twice"):
        count_of([above, IntervalCondition("x", (Interval(Boundary(2.0)),))], SCHEMA.by_name)
    with pytest.raises(ValueError, match="or missing"):
        count_of([above, ValueCondition("a", ("p",), missing=1.0)], SCHEMA.by_name)
    with pytest.raises(ValueError, match="fuzzy boundary"):
        count_of([IntervalCondition("x", (Interval(Boundary(1.0, 0.5)),)), ValueCondition("a", ("p",))], SCHEMA.by_name)
