"""Whether one rule holds wherever another may, decided from the conditions alone and so for every possible row."""

from __future__ import annotations

from nln.rules.condition import Condition, Interval, IntervalCondition, ValueCondition
from nln.rules.rule import Rule
from nln.rules.schema import Feature, Schema


def includes(outer: Rule, inner: Rule, schema: Schema) -> bool:
    """Tell whether a crisp rule holds on every row where another rule's membership is above 0.

    Parameters
    ----------
    outer : Rule
        A crisp rule in canonical form: touching intervals joined, no condition that always holds.
    inner : Rule
        Any rule.
    schema : Schema
        The features of both.

    Returns
    -------
    bool
        True only if it is certain; a fuzzy boundary of `inner` counts as reaching everywhere.

    Examples
    --------
    >>> from nln.rules import Boundary, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> low, lower = (IntervalCondition("x", (Interval(high=Boundary(b)),)) for b in (3.0, 2.0))
    >>> includes(Rule((low,), "yes"), Rule((lower,), "yes"), schema)
    True
    """
    inner_conditions = {condition.feature: condition for condition in inner.conditions}
    return all(
        condition.feature in inner_conditions
        and _condition_includes(condition, inner_conditions[condition.feature], schema[condition.feature])
        for condition in outer.conditions
    )


def _condition_includes(outer: Condition, inner: Condition, feature: Feature) -> bool:
    if inner.missing > 0 and outer.missing < 1:
        return False
    if isinstance(outer, ValueCondition) and isinstance(inner, ValueCondition):
        # Unseen values satisfy the negated condition only.
        return _known(inner, feature) <= _known(outer, feature) and outer.negated >= inner.negated
    if isinstance(outer, IntervalCondition) and isinstance(inner, IntervalCondition):
        return all(any(_interval_includes(o, i) for o in outer.intervals) for i in inner.intervals)
    return False


def _known(condition: ValueCondition, feature: Feature) -> set[object]:
    listed = set(condition.values)
    return {value for value in feature.values if (value in listed) != condition.negated}


def _interval_includes(outer: Interval, inner: Interval) -> bool:
    low = None if inner.low is None or inner.low.width else inner.low.value
    high = None if inner.high is None or inner.high.width else inner.high.value
    return (outer.low is None or (low is not None and outer.low.value <= low)) and (
        outer.high is None or (high is not None and high <= outer.high.value)
    )
