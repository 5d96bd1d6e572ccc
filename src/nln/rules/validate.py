"""Checks that a program names only what its schema knows; errors name the rule and the feature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from nln.rules.condition import Boundary, Condition, IntervalCondition, ValueCondition
from nln.rules.derived.child_count import ChildCount
from nln.rules.derived.count import Count
from nln.rules.derived.regions import in_counts
from nln.rules.language.words import counted
from nln.rules.rule import Rule
from nln.rules.schema import Feature, Schema, Target

LEAST_CLASS_THRESHOLD = 0.001
"""Thresholds of several classes divide their probabilities, so they cannot be zero."""


def check_numbers(target: Target, biases: tuple[float, ...], thresholds: tuple[float, ...]) -> None:
    """Check how many biases and thresholds there are and whether they lie in their ranges."""
    is_multiclass, expected = target.kind == "multiclass", len(target.outputs)
    for name, numbers in (("biases", biases), ("thresholds", thresholds)):
        may_lack = is_multiclass and name == "thresholds"
        if len(numbers) != expected and not (may_lack and not numbers):
            raise ValueError(
                f"The {name} must hold {counted(expected, 'number')}, one for each output ({listed(target.outputs)})"
                f"{', or none' if may_lack else ''}, not {len(numbers)}."
            )
        least = LEAST_CLASS_THRESHOLD if may_lack else 0.0
        for number in numbers:
            if not least <= number <= 1.0:
                raise ValueError(f"The {name} must lie in [{least:g}, 1], not {number!r}.")


def check_rules(schema: Schema, rules: Iterable[Rule]) -> None:
    """Check every rule against the schema; errors number the rules from 1."""
    for number, rule in enumerate(rules, 1):
        _check_rule(rule, f"Rule {number}", schema)


def with_own_values(schema: Schema, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Write labels and values as the schema does, and boundaries of counts as their texts do.

    0 equals false, but the two have different texts; half a child or more is one child or more.
    """
    return tuple(_with_own_values(rule, schema) for rule in rules)


def _with_own_values(rule: Rule, schema: Schema) -> Rule:
    outputs = schema.target.outputs
    label = outputs[outputs.index(rule.label)]
    changed: dict[str, Any] = {} if type(label) is type(rule.label) else {"label": label}
    conditions = tuple(_with_own(condition, schema[condition.feature]) for condition in rule.conditions)
    if any(new is not old for new, old in zip(conditions, rule.conditions, strict=True)):
        changed["conditions"] = conditions
    return replace(rule, **changed) if changed else rule


def _with_own(condition: Condition, feature: Feature) -> Condition:
    if isinstance(condition, IntervalCondition):
        counted = in_counts(condition.intervals) if isinstance(feature.derived, ChildCount) else condition.intervals
        return condition if counted == condition.intervals else replace(condition, intervals=counted)
    own = tuple(feature.values[feature.values.index(value)] for value in condition.values)
    is_same = all(type(one) is type(other) for one, other in zip(own, condition.values, strict=True))
    return condition if is_same else replace(condition, values=own)


def listed(names: Collection[object], most: int = 10) -> str:
    """List names for an error message; only the first ones if there are many."""
    shown = [repr(name) for name in names]
    return ", ".join(shown[:most]) + (f", ... ({len(shown)} in all)" if len(shown) > most else "")


def _check_rule(rule: Rule, where: str, schema: Schema) -> None:
    outputs = schema.target.outputs
    if rule.label not in outputs:
        raise ValueError(f"{where} concludes {rule.label!r}; rules may conclude {listed(outputs)}.")
    if not 0.0 <= rule.weight <= 1.0:
        raise ValueError(f"{where} has the weight {rule.weight!r}; a weight must lie in [0, 1].")
    for name, times in Counter(condition.feature for condition in rule.conditions).items():
        if name not in schema.by_name:
            raise ValueError(
                f"{where} asks about {name!r}, which is not a feature of the schema; known: {listed(schema.names)}."
            )
        if times > 1:
            raise ValueError(f"{where} has {times} conditions on {name!r}; join them into one.")
    for condition in rule.conditions:
        _check_condition(condition, schema[condition.feature], where)


def _check_condition(condition: Condition, feature: Feature, where: str) -> None:
    about = f"{where}: the {feature.kind} feature {feature.name!r}"
    if isinstance(feature.derived, Count | ChildCount) and condition.missing:
        raise ValueError(f"{where}: {feature.name!r} is a count and never missing. Leave out `or missing`.")
    if isinstance(feature.derived, ChildCount) and not condition.is_crisp:
        raise ValueError(f"{where}: {feature.name!r} is a count and takes crisp boundaries.")
    if isinstance(condition, ValueCondition):
        if feature.is_ordered:
            raise ValueError(f"{about} takes intervals, not a set of values.")
        for value in condition.values:
            if value not in feature.values:
                raise ValueError(f"{about} has no value {value!r}; known values: {listed(feature.values)}.")
    elif not feature.is_ordered:
        raise ValueError(f"{about} takes a set of values, not intervals.")
    elif feature.kind != "continuous":
        for boundary in condition.boundaries:
            _check_boundary(boundary, feature, about)


def _check_boundary(boundary: Boundary, feature: Feature, about: str) -> None:
    """Check a boundary of a periodic or an ordinal feature."""
    if boundary.width:
        raise ValueError(f"{about} takes crisp boundaries, not one of width {boundary.width!r}.")
    if feature.period is not None and not 0 < boundary.value < feature.period:
        raise ValueError(
            f"{about} takes boundaries between 0 and its period, {feature.period!r}, not {boundary.value!r}; an "
            f"interval that begins or ends at 0 has an open end there."
        )
    if not feature.is_numeric and not (boundary.value.is_integer() and 1 <= boundary.value < len(feature.values)):
        raise ValueError(f"{about} takes ranks 1 to {len(feature.values) - 1} as boundaries, not {boundary.value!r}.")
