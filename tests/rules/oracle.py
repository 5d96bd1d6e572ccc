"""What programs mean, one row and one number at a time, written without a look at the package's evaluation."""

from __future__ import annotations

import math

from nln.rules import Boundary, Condition, Feature, Interval, LogicProgram, Rule, ValueCondition


def sigmoid(z: float) -> float:
    if z >= 0:
        return 1 / (1 + math.exp(-z)) if z < 700 else 1.0
    return math.exp(z) / (1 + math.exp(z)) if z > -700 else 0.0


def above(boundary: Boundary, x: float) -> float:
    if boundary.width == 0:
        return 1.0 if x >= boundary.value else 0.0
    if x == boundary.value:
        return 0.5
    return sigmoid((x - boundary.value) / boundary.width * math.log(9))


def inside(interval: Interval, x: float) -> float:
    low = 1.0 if interval.low is None else above(interval.low, x)
    high = 1.0 if interval.high is None else 1 - above(interval.high, x)
    return low * high


def holds(condition: Condition, entry: object, feature: Feature) -> float:
    if entry is None or (isinstance(entry, float) and math.isnan(entry)):
        return condition.missing
    if feature.kind == "probability":
        chances = {0: 1 - float(entry), 1: float(entry)}
        return sum(p for value, p in chances.items() if (value in condition.values) != condition.negated)
    if isinstance(condition, ValueCondition):
        return float((entry in condition.values) != condition.negated)
    if feature.kind == "ordinal" and entry not in feature.values:
        return 0.0
    x = float(feature.values.index(entry)) if feature.kind == "ordinal" else float(entry)
    if feature.kind == "periodic":
        if abs(x) >= feature.period * 2**30:
            return condition.missing
        if not 0 <= x < feature.period:
            x -= feature.period * math.floor(x / feature.period)
            x = min(max(x, 0.0), math.nextafter(feature.period, 0))
    outside = 1.0
    for interval in condition.intervals:
        outside *= 1 - inside(interval, x)
    return 1 - outside


def fires(rule: Rule, row: dict[str, object], program: LogicProgram) -> float:
    product = 1.0
    for condition in rule.conditions:
        product *= holds(condition, row[condition.feature], program.schema[condition.feature])
    return product


def outputs(program: LogicProgram, row: dict[str, object]) -> list[float]:
    result = []
    for label, bias in zip(program.schema.target.outputs, program.biases, strict=True):
        absent = 1 - bias
        for rule in program.rules:
            if rule.label == label:
                absent *= 1 - rule.weight * fires(rule, row, program)
        result.append(1 - absent)
    return result
