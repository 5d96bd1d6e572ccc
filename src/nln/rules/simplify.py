"""The canonical form of a program, with the same probabilities on every possible row.

Possible rows include values never seen in training, missing values and numbers on a boundary. A value set is therefore
never exchanged for its complement: `colour in {red}` and `colour != blue` agree on the known values red and blue but
not on a new one. The learner chooses between the two, and this module keeps its choice.

The canonical form sorts conditions and values in the order of the schema (a probability has only the values 0 and 1, so
`rain != 1` becomes `rain = 0`), puts crisp boundaries of arithmetic at results that it can have, joins touching crisp
intervals, drops conditions that always hold and rules that never fire, merges equal crisp rules of a label, drops rules
that hold only where a certain rule of their label holds, and sorts the rules by output, covered rows of the label,
weight and text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from nln.rules.condition import Condition, Interval, IntervalCondition, ValueCondition, chosen, is_crisp
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.child_count import ChildCount
from nln.rules.derived.count import Count
from nln.rules.derived.regions import in_counts, in_results
from nln.rules.inclusion import Including
from nln.rules.language.text import rule_text
from nln.rules.rule import Rule
from nln.rules.schema import Feature, Schema, Value

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram


def simplify_program(program: LogicProgram) -> LogicProgram:
    """Return the canonical form of a program.

    Parameters
    ----------
    program : LogicProgram
        Any program.

    Returns
    -------
    LogicProgram
        A program that gives every possible row the same probabilities. Simplifying it again changes nothing.

    Examples
    --------
    >>> from nln.rules import LogicProgram, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> text = "IF x < 1 or 1 <= x < 3 THEN class = yes (weight 0.5) IF x < 3 THEN class = yes (weight 0.5)"
    >>> print(simplify_program(LogicProgram.parse(text, schema=schema)))
    IF   x < 3
    THEN class = yes        (weight 0.75)
    <BLANKLINE>
    OTHERWISE class = no    (P(class = yes) = 0; class = yes from 0.5)
    """
    schema = program.schema
    rules = [_simplified(rule, schema) for rule in program.rules]
    rules = _without_included(_merged([rule for rule in rules if _can_fire(rule)], schema), schema)
    return order_rules(replace(program, rules=tuple(rules)))


def order_rules(program: LogicProgram) -> LogicProgram:
    """Order rules by output, rows of the label covered, weight and text."""
    return replace(program, rules=tuple(sorted(program.rules, key=lambda rule: _place(rule, program.schema))))


def _can_fire(rule: Rule) -> bool:
    return rule.weight > 0 and not any(_never_holds(condition) for condition in rule.conditions)


def _never_holds(condition: Condition) -> bool:
    if condition.missing:
        return False
    if isinstance(condition, ValueCondition):
        return not condition.values and not condition.negated
    return not condition.intervals


def _always_holds(condition: Condition, feature: Feature) -> bool:
    if isinstance(feature.derived, Count | ChildCount) and condition == IntervalCondition(feature.name, (Interval(),)):
        return True
    if condition.missing < 1:
        return False
    if isinstance(condition, ValueCondition):
        return condition.negated and not condition.values
    # A value that an ordinal feature does not know has no rank and lies in no interval.
    return feature.is_numeric and condition.intervals == (Interval(),)


def _simplified(rule: Rule, schema: Schema) -> Rule:
    conditions = {c.feature: canonical_condition(c, schema[c.feature]) for c in rule.conditions}
    kept = [
        conditions[name]
        for name, feature in schema.by_name.items()
        if name in conditions and not _always_holds(conditions[name], feature)
    ]
    return replace(rule, conditions=tuple(kept))


def canonical_condition(condition: Condition, feature: Feature) -> Condition:
    """Return the canonical form of a condition."""
    if isinstance(condition, ValueCondition) and (feature.kind == "probability" or feature.derived is not None):
        values = chosen(condition, feature)
        every = len(values) == len(feature.values)
        return replace(condition, values=() if every else values, negated=every)
    if isinstance(condition, ValueCondition):
        places = sorted(map(feature.values.index, condition.values))
        return replace(condition, values=tuple(feature.values[place] for place in places))
    intervals = condition.intervals
    if isinstance(feature.derived, Arithmetic):
        intervals = in_results(intervals)
    if isinstance(feature.derived, ChildCount):
        intervals = in_counts(intervals)
    return replace(condition, intervals=_joined(intervals))


def _joined(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """Join touching intervals if both are crisp: a fuzzy far end would reach into the other interval."""
    result: list[Interval] = []
    for interval in intervals:
        last = result[-1] if result else None
        if last is not None and last.high == interval.low and last.is_crisp and interval.is_crisp:
            result[-1] = Interval(last.low, interval.high)
        else:
            result.append(interval)
    return tuple(result)


def _is_crisp(rule: Rule, schema: Schema) -> bool:
    return all(is_crisp(condition, schema[condition.feature]) for condition in rule.conditions)


def _merged(rules: Iterable[Rule], schema: Schema) -> list[Rule]:
    """Merge equal rules: `(1 - a r)(1 - b r) = 1 - (a + b - a b) r` if `r` is 0 or 1, and only then."""
    result: list[Rule] = []
    places: dict[tuple[Value, tuple[Condition, ...]], int] = {}
    for rule in rules:
        place = places.setdefault((rule.label, rule.conditions), len(result))
        if place == len(result) or not _is_crisp(rule, schema):
            result.append(rule)
            continue
        first = result[place]
        # In this form the sum stays above 0, and above 1 only by rounding.
        weight = min(1.0, first.weight + rule.weight * (1.0 - first.weight))
        result[place] = replace(first, weight=weight, coverage=first.coverage or rule.coverage)
    return result


def _without_included(rules: list[Rule], schema: Schema) -> list[Rule]:
    """Drop rules that can hold only where a certain rule holds, since the probability is 1 there already."""
    certain = Including([rule for rule in rules if rule.weight == 1 and _is_crisp(rule, schema)], schema)
    return [rule for rule in rules if not certain.include(rule)]


def _place(rule: Rule, schema: Schema) -> tuple[int, int, float, str]:
    hits = -1 if rule.coverage is None else rule.coverage.hits
    return schema.target.outputs.index(rule.label), -hits, -rule.weight, rule_text(rule, schema)
