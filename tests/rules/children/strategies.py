"""Random programs that count rows of a child table, and random tables for them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from nln.rules import (
    Boundary,
    ChildTable,
    Feature,
    Interval,
    IntervalCondition,
    LogicProgram,
    Rule,
    Schema,
    Target,
    ValueCondition,
    child_count_of,
    derived_feature,
)
from nln.rules.condition import Condition

VISITS = ChildTable(
    "visits",
    "patient",
    (
        Feature("dept", "categorical", ("ER", "eye", "heart")),
        Feature("level", "ordinal", ("low", "mid", "high")),
        Feature("urgent", "binary", (False, True)),
        Feature("creatinine", "continuous"),
        Feature("days", "continuous", whole=True),
    ),
)
TARGET = Target("back", "binary", ("no", "yes"))
AGE = Feature("age", "continuous")
NUMBERS = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0]

Tables = tuple[list[dict[str, Any]], list[dict[str, Any]]]


@st.composite
def child_conditions(draw: st.DrawFn) -> list[Condition]:
    found: list[Condition] = []
    for feature in draw(st.lists(st.sampled_from(VISITS.features), max_size=3, unique_by=lambda f: f.name)):
        missing = float(draw(st.booleans()) and draw(st.booleans()))
        if not feature.is_ordered:
            values = draw(st.lists(st.sampled_from(feature.values), min_size=1, unique=True))
            found.append(ValueCondition(feature.name, tuple(values), draw(st.booleans()), missing))
        else:
            places = [1.0, 2.0] if feature.kind == "ordinal" else NUMBERS[1:]
            ends = sorted(draw(st.lists(st.sampled_from(places), min_size=1, max_size=2, unique=True)))
            low, high = (Boundary(ends[0]), Boundary(ends[1])) if len(ends) > 1 else (None, Boundary(ends[0]))
            if len(ends) == 1 and draw(st.booleans()):
                low, high = high, None
            found.append(IntervalCondition(feature.name, (Interval(low, high),), missing))
    return found


@st.composite
def programs(draw: st.DrawFn) -> LogicProgram:
    features, rules = [AGE], []
    for _ in range(draw(st.integers(1, 3))):
        conditions: list[Condition] = []
        if draw(st.booleans()):
            conditions.append(IntervalCondition("age", (Interval(Boundary(draw(st.sampled_from(NUMBERS)))),)))
        for _ in range(draw(st.integers(1, 2))):
            feature = derived_feature(child_count_of(draw(child_conditions()), VISITS))
            low = draw(st.integers(0, 3))
            high = draw(st.one_of(st.none(), st.integers(low, 4)))
            if low == 0 and high is None:
                low = 1
            ends = Boundary(float(low)) if low else None, None if high is None else Boundary(high + 1.0)
            if feature.name not in {condition.feature for condition in conditions}:
                features.append(feature)
                conditions.append(IntervalCondition(feature.name, (Interval(*ends),)))
        rules.append(Rule(tuple(conditions), "yes", draw(st.sampled_from([0.25, 0.5, 0.9]))))
    schema = Schema(tuple(dict.fromkeys(features)), TARGET, (VISITS,))
    return LogicProgram(schema, tuple(rules), (0.1,), (0.5,))


@st.composite
def tables(draw: st.DrawFn) -> Tables:
    """Rows with keys, some missing or shared, and children, some of which belong to no row."""
    keys = st.one_of(st.none(), st.integers(1, 4))
    rows = draw(st.lists(st.fixed_dictionaries({"patient": keys, "age": st.sampled_from(NUMBERS)}), max_size=5))
    cells = {f.name: st.one_of(st.none(), st.sampled_from(f.values or NUMBERS)) for f in VISITS.features}
    cells["days"] = st.one_of(st.none(), st.integers(0, 4).map(float))
    children = st.fixed_dictionaries({"patient": st.one_of(st.none(), st.integers(1, 6)), **cells})
    return rows, draw(st.lists(children, max_size=12))
