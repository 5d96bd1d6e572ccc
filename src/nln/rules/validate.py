"""Checks that a program speaks of what its schema knows, with errors that name the rule and the feature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from nln.rules.condition import Condition, IntervalCondition, ValueCondition
from nln.rules.rule import Rule
from nln.rules.schema import Feature, Schema, Target

LEAST_CLASS_THRESHOLD = 0.001
"""Thresholds of several classes divide their probabilities: they cannot be zero."""


def check_numbers(target: Target, biases: tuple[float, ...], thresholds: tuple[float, ...]) -> None:
    """Check number and range of biases and thresholds.

    Examples
    --------
    >>> check_numbers(Target("class", "binary", ("no", "yes")), (0.1,), (1.5,))
    Traceback (most recent call last):
    ValueError: The thresholds must lie in [0, 1], not 1.5.
    """
    is_multiclass, expected = target.kind == "multiclass", len(target.outputs)
    for name, numbers in (("biases", biases), ("thresholds", thresholds)):
        may_lack = is_multiclass and name == "thresholds"
        if len(numbers) != expected and not (may_lack and not numbers):
            outputs, none = listed(target.outputs), " or none" if may_lack else ""
            raise ValueError(
                f"A {target.kind} target with outputs {outputs} takes {expected} {name}{none}, not {len(numbers)}."
            )
        least = LEAST_CLASS_THRESHOLD if may_lack else 0.0
        for number in numbers:
            if not least <= number <= 1.0:
                raise ValueError(f"The {name} must lie in [{least:g}, 1], not {number!r}.")


def check_rules(schema: Schema, rules: Iterable[Rule]) -> None:
    """Check every rule against the schema; rules are numbered from 1 in the errors.

    Examples
    --------
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> check_rules(schema, [Rule((), "no")])
    Traceback (most recent call last):
    ValueError: Rule 1 concludes 'no'; the outputs are 'yes'.
    """
    for number, rule in enumerate(rules, 1):
        _check_rule(rule, f"Rule {number}", schema)


def listed(names: Collection[object], most: int = 10) -> str:
    """List names for an error message, the first ones if there are many.

    Examples
    --------
    >>> listed(("a", "b"))
    "'a', 'b'"
    """
    shown = [repr(name) for name in names]
    return ", ".join(shown[:most]) + (f", ... ({len(shown)} in all)" if len(shown) > most else "")


def _check_rule(rule: Rule, where: str, schema: Schema) -> None:
    outputs = schema.target.outputs
    if rule.label not in outputs:
        raise ValueError(f"{where} concludes {rule.label!r}; the outputs are {listed(outputs)}.")
    if not 0.0 <= rule.probability <= 1.0:
        raise ValueError(f"{where} has the probability {rule.probability!r}, which is not in [0, 1].")
    for name, times in Counter(condition.feature for condition in rule.conditions).items():
        if name not in schema.by_name:
            raise ValueError(
                f"{where} asks about {name!r}, which is not a feature of the schema: {listed(schema.names)}."
            )
        if times > 1:
            raise ValueError(f"{where} has {times} conditions on {name!r}; join them into one.")
    for condition in rule.conditions:
        _check_condition(condition, schema[condition.feature], where)


def _check_condition(condition: Condition, feature: Feature, where: str) -> None:
    about = f"{where}: the {feature.kind} feature {feature.name!r}"
    if isinstance(condition, ValueCondition):
        if feature.is_ordered:
            raise ValueError(f"{about} takes intervals, not a set of values.")
        for value in condition.values:
            if value not in feature.values:
                raise ValueError(f"{about} has no value {value!r}; known values: {listed(feature.values)}.")
    elif not feature.is_ordered:
        raise ValueError(f"{about} takes a set of values, not intervals.")
    elif feature.kind == "periodic":
        _check_arcs(condition, feature, about)
    elif not feature.is_numeric:
        _check_ranks(condition, feature, about)


def _check_arcs(condition: IntervalCondition, feature: Feature, about: str) -> None:
    for boundary in condition.boundaries:
        if boundary.width:
            raise ValueError(f"{about} takes crisp boundaries, not one of width {boundary.width!r}.")
        if not 0 < boundary.value < (feature.period or 0.0):
            raise ValueError(
                f"{about} takes boundaries between 0 and its period, {feature.period!r}, not {boundary.value!r}; an "
                f"open end lies at 0."
            )


def _check_ranks(condition: IntervalCondition, feature: Feature, about: str) -> None:
    for boundary in condition.boundaries:
        if boundary.width:
            raise ValueError(f"{about} takes crisp boundaries, not one of width {boundary.width!r}.")
        if not (boundary.value.is_integer() and 1 <= boundary.value < len(feature.values)):
            raise ValueError(
                f"{about} takes ranks 1 to {len(feature.values) - 1} as boundaries, not {boundary.value!r}."
            )
