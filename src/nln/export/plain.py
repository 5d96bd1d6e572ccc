"""Conditions as every exporter takes them: sets of values, or unions of intervals of numbers.

An ordinal feature's intervals are crisp, so that they say the same as the set of the values whose ranks lie inside;
after that step no exporter needs to know of ranks. A condition on a probability lists the one value asked for, or says
`missing` or `not missing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nln.rules.condition import Condition, Interval, ValueCondition, is_crisp
from nln.rules.schema import Feature, Value
from nln.rules.simplify import canonical_condition

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram
    from nln.rules.rule import Rule


def plain_condition(condition: Condition, feature: Feature) -> Condition:
    """Turn intervals of ranks into the values that lie inside, and write probabilities alike; leave all else as it is.

    Parameters
    ----------
    condition : ValueCondition or IntervalCondition
        A condition of a rule.
    feature : Feature
        The feature asked about.

    Examples
    --------
    >>> from nln.rules import Boundary, IntervalCondition
    >>> size = Feature("size", "ordinal", ("S", "M", "L"))
    >>> plain_condition(IntervalCondition("size", (Interval(Boundary(1)),)), size).values
    ('M', 'L')
    """
    if feature.kind == "probability":
        return canonical_condition(condition, feature)
    if isinstance(condition, ValueCondition) or feature.is_numeric:
        return condition
    inside = (v for rank, v in enumerate(feature.values) if any(_holds(i, rank) for i in condition.intervals))
    return ValueCondition(condition.feature, tuple(inside), missing=condition.missing)


def plain_conditions(rule: Rule, program: LogicProgram) -> tuple[Condition, ...]:
    """Return a rule's conditions made plain, crisp ones first: the order in which `nln.rules.evaluate` multiplies.

    Examples
    --------
    >>> from nln.rules import Boundary, IntervalCondition, LogicProgram, Rule, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> rule = Rule((IntervalCondition("x", (Interval(high=Boundary(3.0)),)),), "yes", 0.9)
    >>> len(plain_conditions(rule, LogicProgram(schema, (rule,), (0.1,), (0.5,))))
    1
    """
    plain = [plain_condition(condition, program.schema[condition.feature]) for condition in rule.conditions]
    return tuple(sorted(plain, key=lambda condition: not is_crisp(condition, program.schema[condition.feature])))


def asks_chance(condition: Condition, feature: Feature) -> bool:
    """Tell whether a plain condition's membership is the probability that a row gives, or 1 minus it.

    Examples
    --------
    >>> asks_chance(ValueCondition("rain", (1,)), Feature("rain", "probability"))
    True
    """
    return feature.kind == "probability" and isinstance(condition, ValueCondition) and len(condition.values) == 1


def rules_by_output(program: LogicProgram) -> tuple[tuple[int, ...], ...]:
    """Return for each output the places of its rules, counted from 0.

    Examples
    --------
    >>> from nln.rules import LogicProgram, Rule, Schema, Target
    >>> schema = Schema((), Target("labels", "multilabel", ("a", "b")))
    >>> rules_by_output(LogicProgram(schema, (Rule((), "b"), Rule((), "b")), (0, 0), (0.5, 0.5)))
    ((), (0, 1))
    """
    outputs: tuple[Value, ...] = program.schema.target.outputs
    return tuple(tuple(i for i, rule in enumerate(program.rules) if rule.label == label) for label in outputs)


def _holds(interval: Interval, rank: int) -> bool:
    return (interval.low is None or interval.low.value <= rank) and (
        interval.high is None or rank < interval.high.value
    )
