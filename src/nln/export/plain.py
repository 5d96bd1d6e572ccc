"""Conditions as every exporter takes them: sets of values, or unions of intervals of numbers.

The intervals of an ordinal feature are crisp, so they say the same as the set of the values whose ranks lie inside;
after this step no exporter needs to know about ranks. A condition on a probability lists the one value asked for, or
says `missing` or `not missing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from nln.rules.circle import circle_limit
from nln.rules.condition import Boundary, Condition, Interval, IntervalCondition, ValueCondition, is_crisp
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.rounding import least_above
from nln.rules.program import LogicProgram
from nln.rules.readings import PrefixReading
from nln.rules.rule import Rule
from nln.rules.schema import Feature, Value
from nln.rules.simplify import canonical_condition


def plain_condition(condition: Condition, feature: Feature) -> Condition:
    """Turn intervals of ranks into the values inside, and write conditions on probabilities in one way.

    The boundaries of arithmetic are those of its results before they are rounded.
    """
    if feature.kind == "probability":
        return canonical_condition(condition, feature)
    if isinstance(feature.derived, Arithmetic) and isinstance(condition, IntervalCondition):
        return replace(condition, intervals=_before_rounding(condition.intervals))
    if isinstance(condition, ValueCondition) or feature.is_numeric:
        return condition
    inside = (v for rank, v in enumerate(feature.values) if any(_holds(i, rank) for i in condition.intervals))
    return ValueCondition(condition.feature, tuple(inside), missing=condition.missing)


def plain_conditions(rule: Rule, program: LogicProgram, *, reads: bool = False) -> list[tuple[Condition, Feature]]:
    """Return a rule's plain conditions with their features, crisp ones first, as `nln.rules.evaluate` multiplies.

    A format that neither applies the readings of features nor has their own values typed in (`reads` is false) refuses
    rules that need one; all formats take the first characters of a code.
    """
    asked = [(condition, program.schema[condition.feature]) for condition in rule.conditions]
    for feature in program.schema.plain(condition.feature for condition in rule.conditions):
        if not (reads or isinstance(feature.reading, PrefixReading | None)):
            raise ValueError(
                f"Feature {feature.name!r} is {feature.reading.what}, which this format cannot read. Export to Python "
                "or JavaScript, or make a column of the feature's own values before learning."
            )
    plain = [(plain_condition(condition, feature), feature) for condition, feature in asked]
    return sorted(plain, key=lambda pair: not is_crisp(*pair))


def asks_chance(condition: Condition, feature: Feature) -> bool:
    """Tell whether a plain condition's membership is the probability that a row gives, or 1 minus it."""
    return feature.kind == "probability" and isinstance(condition, ValueCondition) and len(condition.values) == 1


def question(condition: Condition, feature: Feature) -> dict[str, Any]:
    """Describe what a plain condition asks as data.

    It has `chance`, the value whose probability counts; or `values` and `negated`; or `intervals`, each with low end,
    its width, high end, its width (None where it is open), and for a periodic feature also `period` and `limit`.
    """
    if isinstance(condition, ValueCondition):
        if asks_chance(condition, feature):
            return {"chance": condition.values[0]}
        return {"values": condition.values, "negated": condition.negated}
    intervals = tuple(_end(interval.low) + _end(interval.high) for interval in condition.intervals)
    if feature.period is None:
        return {"intervals": intervals}
    return {"period": feature.period, "limit": circle_limit(feature.period), "intervals": intervals}


def interval_ends(interval: Interval) -> list[tuple[Boundary, bool]]:
    """Return the boundaries of an interval, each with whether it is the lower one."""
    ends = ((interval.low, True), (interval.high, False))
    return [(boundary, is_low) for boundary, is_low in ends if boundary is not None]


GROUP = 16
"""Operands that stand side by side; more of them are written in groups, so that no expression is very deep."""

_Item = TypeVar("_Item")


def grouped(items: Sequence[_Item]) -> list[Sequence[_Item]]:
    """Cut many operands into groups."""
    return [items[start : start + GROUP] for start in range(0, len(items), GROUP)]


def rules_by_output(program: LogicProgram) -> tuple[tuple[int, ...], ...]:
    """Return for each output the indices of its rules, counted from 0."""
    outputs: tuple[Value, ...] = program.schema.target.outputs
    return tuple(tuple(i for i, rule in enumerate(program.rules) if rule.label == label) for label in outputs)


def _before_rounding(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """Move crisp boundaries to the least numbers that round to them; intervals that hold no result are left out."""
    moved = ((_unrounded(interval.low), _unrounded(interval.high)) for interval in intervals)
    return tuple(Interval(low, high) for low, high in moved if not (low and high and low.value >= high.value))


def _unrounded(end: Boundary | None) -> Boundary | None:
    return end if end is None or end.width else Boundary(least_above(end.value))


def _holds(interval: Interval, rank: int) -> bool:
    return all((rank >= boundary.value) == is_low for boundary, is_low in interval_ends(interval))


def _end(boundary: Boundary | None) -> tuple[float | None, float | None]:
    return (None, None) if boundary is None else (boundary.value, boundary.width)
