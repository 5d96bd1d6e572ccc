"""Conditions as PMML expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from xml.etree import ElementTree as ET

from nln.export.plain import GROUP, asks_chance, grouped, interval_ends
from nln.rules.circle import circle_limit
from nln.rules.condition import LOG_9, Boundary, Condition, Interval, IntervalCondition, ValueCondition
from nln.rules.readings import PrefixReading
from nln.rules.schema import Feature, Value

_WRITE: dict[str, Callable[[Value], str]] = {
    "double": lambda value: repr(float(value)),
    "integer": lambda value: str(int(value)),
    "boolean": lambda value: str(value).lower(),
    "string": str,
}


def apply(function: str, *arguments: ET.Element) -> ET.Element:
    """Write the call of a built-in function."""
    result = ET.Element("Apply", function=function)
    result.extend(arguments)
    return result


def field(name: str) -> ET.Element:
    """Write a reference to a field."""
    return ET.Element("FieldRef", field=name)


def constant(value: Value, kind: str | None = None) -> ET.Element:
    """Write a constant of a PMML type, by default that of the value."""
    kind = kind or values_type((value,), "A constant")
    result = ET.Element("Constant", dataType=kind)
    result.text = _WRITE[kind](value)
    return result


def values_type(values: Sequence[Value], owner: str) -> str:
    """Name the PMML type that holds all values; text and numbers together have none."""
    texts = sum(isinstance(value, str) for value in values)
    if 0 < texts < len(values):
        raise ValueError(f"{owner} has values of different types, {values!r}, but a field of PMML has one type.")
    if texts:
        return "string"
    if all(isinstance(value, bool) for value in values):
        return "boolean"
    integers = [value for value in values if isinstance(value, int)]
    if any(abs(value) >= 2**53 for value in integers):
        raise ValueError(f"{owner} has an integer too large for the numbers of PMML: {values!r}.")
    return "integer" if len(integers) == len(values) and max(map(abs, integers)) < 2**31 else "double"


def degree(condition: Condition, feature: Feature, name: str) -> ET.Element:
    """Write a plain condition's membership, a number from 0 to 1; `name` is the field of the feature's values."""
    if isinstance(condition, IntervalCondition):
        present = _union(condition, name)
    elif asks_chance(condition, feature):
        present = field(name) if condition.values == (1,) else apply("-", constant(1.0), field(name))
    else:
        present = _listed(condition, feature, name)
    return apply("if", apply("isMissing", field(name)), constant(condition.missing), present)


def own_value(feature: Feature) -> ET.Element | None:
    """Write what a feature makes of its column: a place on a circle, a probability, the start of a code; None if as is.

    The place is computed as in `nln.rules.circle`. Values outside the range are missing: an `if` without an else.
    """
    if isinstance(feature.reading, PrefixReading):
        code, length = field(feature.reading.column), constant(feature.reading.length)
        is_long = apply("greaterThan", apply("stringLength", code), length)
        start = apply("substring", code, constant(1), length)
        return _if_present(feature.reading.column, apply("if", is_long, start, code))
    x = feature.name
    if feature.kind == "probability":
        inside = apply(
            "and", apply("greaterOrEqual", field(x), constant(0.0)), apply("lessOrEqual", field(x), constant(1.0))
        )
        return _if_present(x, apply("if", inside, field(x)))
    if feature.period is None:
        return None
    turn = constant(feature.period)
    near = apply("lessThan", apply("abs", field(x)), constant(circle_limit(feature.period)))
    turns = apply("floor", apply("/", field(x), turn))
    return _if_present(x, apply("if", near, apply("-", field(x), apply("*", turn, turns))))


def _if_present(name: str, expression: ET.Element) -> ET.Element:
    """Compute an expression only where a field is present, since comparisons refuse missing values."""
    return apply("if", apply("isNotMissing", field(name)), expression)


def _listed(condition: ValueCondition, feature: Feature, name: str) -> ET.Element:
    if not condition.values:
        return constant(float(condition.negated))
    is_calculated = feature.derived is not None  # what is calculated is a number
    kind = "double" if is_calculated else values_type(feature.values, f"Feature {feature.name!r}")
    listed = [constant(value, kind) for value in condition.values]
    inside = apply("isIn", field(name), *listed)
    return apply("if", inside, constant(float(not condition.negated)), constant(float(condition.negated)))


def product(factors: Sequence[ET.Element]) -> ET.Element:
    """Multiply from left to right, many factors in groups of groups: readers of XML limit how deep elements are."""
    if len(factors) > GROUP:
        return product([product(part) for part in grouped(factors)])
    return reduce(partial(apply, "*"), factors) if factors else constant(1.0)


def _union(condition: IntervalCondition, name: str) -> ET.Element:
    inside = [_inside(interval, name) for interval in condition.intervals]
    if len(inside) < 2:
        return inside[0] if inside else constant(0.0)
    outside = product([apply("-", constant(1.0), degree) for degree in inside])
    return apply("-", constant(1.0), outside)


def _inside(interval: Interval, name: str) -> ET.Element:
    sides = [_side(boundary, name, is_low) for boundary, is_low in interval_ends(interval)]
    return product(sides)


def _side(boundary: Boundary, name: str, is_low: bool) -> ET.Element:
    """Write `1 / (1 + exp(slope (x - value) / width))`, or a comparison if the boundary is crisp."""
    comparison, slope = ("greaterOrEqual", -LOG_9) if is_low else ("lessThan", LOG_9)
    if not boundary.width:
        return apply("if", apply(comparison, field(name), constant(boundary.value)), constant(1.0), constant(0.0))
    distance = apply("-", field(name), constant(boundary.value))
    z = apply("*", apply("/", distance, constant(boundary.width)), constant(slope))
    return apply("/", constant(1.0), apply("+", constant(1.0), apply("exp", z)))
