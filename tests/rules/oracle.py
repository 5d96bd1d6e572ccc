"""What programs mean, one row and one number at a time, written without a look at the package's evaluation."""

from __future__ import annotations

import math

from nln.rules import Boundary, Condition, Feature, Interval, LogicProgram, Rule, ValueCondition
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.count import Count
from nln.rules.derived.same import Same


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
        feature = program.schema[condition.feature]
        product *= holds(condition, entry_of(feature, row, program), feature)
    return product


def entry_of(feature: Feature, row: dict[str, object], program: LogicProgram) -> object:
    """A cell of the row, or what is calculated from other cells."""
    derived = feature.derived
    if derived is None:
        return row[feature.name]
    parents = {name: program.schema[name] for name in derived.features}
    entries = {name: entry_of(parent, row, program) for name, parent in parents.items()}
    if isinstance(derived, Count):
        return int(sum(holds(m, entries[m.feature], parents[m.feature]) for m in derived.members))
    if any(entry is None or (isinstance(entry, float) and math.isnan(entry)) for entry in entries.values()):
        return None
    if isinstance(derived, Same):
        one, other = entries.values()
        return one == other and one in next(iter(parents.values())).values
    return quotient(derived, {name: float(entry) for name, entry in entries.items()})


def quotient(expression: Arithmetic, entries: dict[str, float]) -> float | None:
    above = total(expression.numerator, entries)
    try:
        if len(expression.denominator) == 1:
            for name in expression.denominator[0][0]:
                above /= entries[name]
        else:
            above /= total(expression.denominator, entries)
    except ZeroDivisionError:
        return None
    return float(f"{above:.10e}") if math.isfinite(above) else None


def total(terms: tuple, entries: dict[str, float]) -> float:
    products = [sign * math.prod(entries[name] for name in monomial) for monomial, sign in terms]
    result = sum(products)
    exact = len(terms) < 2 or (len(terms) == 2 and max(len(monomial) for monomial, _ in terms) == 1)
    return result if exact or abs(result) >= 1e-14 * sum(map(abs, products)) or math.isnan(result) else 0.0


def outputs(program: LogicProgram, row: dict[str, object]) -> list[float]:
    result = []
    for label, bias in zip(program.schema.target.outputs, program.biases, strict=True):
        absent = 1 - bias
        for rule in program.rules:
            if rule.label == label:
                absent *= 1 - rule.weight * fires(rule, row, program)
        result.append(1 - absent)
    return result
