"""Conditions as SQL: crisp ones as Boolean expressions, the others as numbers in [0, 1].

Missing is NULL. A comparison with NULL is neither true nor false and so never satisfies a WHEN: a condition without
`or missing` needs no test for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import reduce

from sqlglot import exp

from nln.export.plain import GROUP, asks_chance, grouped, interval_ends
from nln.export.sql.dialects import Dialect, literals
from nln.rules.condition import LOG_9, Boundary, Condition, Interval, IntervalCondition, ValueCondition
from nln.rules.derived.regions import shown
from nln.rules.schema import Feature

_REACH = 40.0
"""1 / (1 + exp(-40)) is 1 to the last bit: beyond this distance, a boundary counts as crisp."""

NEGLIGIBLE = 1e-17
"""A membership below this is lost when it is subtracted from 1; written as 0 it cannot underflow."""

_FLOOR = 1e-150
"""Where underflow is an error, products are kept above this; anything smaller makes no difference."""


def is_true(condition: Condition, feature: Feature, dialect: Dialect) -> exp.Expression:
    """Write a crisp condition, `or missing` included."""
    inside = _inside(condition, feature, dialect)
    return any_of([inside, _is_missing(feature, dialect)]) if condition.missing else inside


def degree(condition: Condition, feature: Feature, dialect: Dialect) -> exp.Expression:
    """Write a condition's membership as a number in [0, 1]."""
    missing = dialect.double(negligible_as_zero(condition.missing))
    result = exp.Case().when(_is_missing(feature, dialect), missing, copy=False)
    if isinstance(condition, IntervalCondition) and not all(i.is_crisp for i in condition.intervals):
        return result.else_(_union(condition, feature, dialect), copy=False)
    if isinstance(condition, ValueCondition) and asks_chance(condition, feature):
        p = dialect.input(feature)
        return result.else_(p if condition.values == (1,) else complement(p, dialect), copy=False)
    return _zero_or_one(_inside(condition, feature, dialect), dialect, result)


def product(factors: Sequence[exp.Expression], dialect: Dialect, *, of_groups: bool = False) -> exp.Expression:
    """Multiply from left to right, many factors in groups of groups: databases limit how deep expressions are."""
    if len(factors) > GROUP:
        groups = [_above_floor(product(part, dialect, of_groups=of_groups), dialect) for part in grouped(factors)]
        return product(groups, dialect, of_groups=True)
    result = wrapped(factors[0])
    for factor in factors[1:]:
        result = exp.Mul(this=result, expression=wrapped(factor))
        result = _above_floor(result, dialect) if of_groups else result
    return result


def _above_floor(expression: exp.Expression, dialect: Dialect) -> exp.Expression:
    """Keep a product from underflow, where that is an error: two numbers at the floor can still be multiplied."""
    return (
        exp.Greatest(this=expression, expressions=[dialect.number(_FLOOR)])
        if dialect.raises_on_underflow
        else expression
    )


def complement(expression: exp.Expression, dialect: Dialect) -> exp.Expression:
    """Write `1 - p`."""
    return exp.Sub(this=dialect.number(1.0), expression=wrapped(expression))


def any_of(expressions: Iterable[exp.Expression]) -> exp.Expression:
    """Join by OR."""
    return _joined(exp.Or, list(expressions))


def all_of(expressions: Iterable[exp.Expression]) -> exp.Expression:
    """Join by AND."""
    return _joined(exp.And, list(expressions))


def _joined(kind: Callable[..., exp.Expression], parts: Sequence[exp.Expression]) -> exp.Expression:
    """Join by an operator, many parts in groups of groups."""
    if len(parts) > GROUP:
        parts = [_joined(kind, part) for part in grouped(parts)]
        return _joined(kind, parts)
    return reduce(lambda a, b: kind(this=a, expression=b), map(wrapped, parts))


def wrapped(expression: exp.Expression) -> exp.Expression:
    """Put an expression in parentheses if an operator next to it could split it."""
    loose = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.And, exp.Or, exp.Not)
    return exp.Paren(this=expression) if isinstance(expression, loose) else expression


def negligible_as_zero(probability: float) -> float:
    """Replace a probability too small to change any result by 0."""
    return 0.0 if probability < NEGLIGIBLE else probability


def _is_missing(feature: Feature, dialect: Dialect) -> exp.Expression:
    return exp.Is(this=dialect.input(feature), expression=exp.Null())


def _is_present(feature: Feature, dialect: Dialect) -> exp.Expression:
    return exp.Not(this=_is_missing(feature, dialect))


def _inside(condition: Condition, feature: Feature, dialect: Dialect) -> exp.Expression:
    if isinstance(condition, ValueCondition):
        return _in_values(condition, feature, dialect)
    if not condition.intervals:
        return exp.false()
    return any_of([_in_interval(interval, feature, dialect) for interval in condition.intervals])


def _in_values(condition: ValueCondition, feature: Feature, dialect: Dialect) -> exp.Expression:
    if not condition.values:
        return _is_present(feature, dialect) if condition.negated else exp.false()
    listed = literals(condition.values, feature.values, f"Feature {feature.name!r}", dialect)
    asked = dialect.input(feature)
    if len(listed) == 1:
        comparison = exp.NEQ if condition.negated else exp.EQ
        return comparison(this=asked, expression=listed[0])
    inside = exp.In(this=asked, expressions=listed)
    return exp.Not(this=inside) if condition.negated else inside


def _in_interval(interval: Interval, feature: Feature, dialect: Dialect) -> exp.Expression:
    sides = [_side(boundary, feature, dialect, is_low=is_low) for boundary, is_low in interval_ends(interval)]
    return all_of(sides) if sides else _is_present(feature, dialect)


def _side(boundary: Boundary, feature: Feature, dialect: Dialect, *, is_low: bool) -> exp.Expression:
    """Write a crisp side of an interval: `x >= 3`, or `x > 3` where the boundary is the number after 3."""
    place, is_before = shown(boundary)
    kinds = (exp.GT, exp.LTE) if is_before else (exp.GTE, exp.LT)
    return _compare(kinds[0] if is_low else kinds[1], feature, place, dialect)


def _union(condition: IntervalCondition, feature: Feature, dialect: Dialect) -> exp.Expression:
    """Write the OR of fuzzy intervals: `1 - (1 - u) (1 - v)`."""
    inside = [_interval_degree(interval, feature, dialect) for interval in condition.intervals]
    if len(inside) == 1:
        return inside[0]
    return complement(product([complement(degree, dialect) for degree in inside], dialect), dialect)


def _interval_degree(interval: Interval, feature: Feature, dialect: Dialect) -> exp.Expression:
    if interval.is_crisp:
        return _zero_or_one(_in_interval(interval, feature, dialect), dialect)
    ends = interval_ends(interval)
    return product([_side_degree(boundary, feature, dialect, is_low=is_low) for boundary, is_low in ends], dialect)


def _side_degree(boundary: Boundary, feature: Feature, dialect: Dialect, *, is_low: bool) -> exp.Expression:
    """Write `1 / (1 + exp(slope (x - value) / width))`, computed only where nothing can overflow or underflow."""
    place, width = boundary.value, boundary.width
    if not width:
        return _zero_or_one(_side(boundary, feature, dialect, is_low=is_low), dialect)
    low, high = place - _REACH / LOG_9 * width, place + _REACH / LOG_9 * width
    result = exp.Case()
    for test in _near(boundary, feature, dialect, is_narrow=not low < place < high):
        result = result.when(test, dialect.number(0.5), copy=False)
    for comparison, end, value in ((exp.GTE, high, float(is_low)), (exp.LTE, low, float(not is_low))):
        if math.isfinite(end):
            result = result.when(_compare(comparison, feature, end, dialect), dialect.number(value), copy=False)
    return result.else_(_sigmoid(boundary, feature, -LOG_9 if is_low else LOG_9, dialect), copy=False)


def _near(boundary: Boundary, feature: Feature, dialect: Dialect, *, is_narrow: bool) -> list[exp.Expression]:
    """Test for numbers so close to the boundary, relative to its width, that the quotient might underflow."""
    least, most = (boundary.value + sign * 1e-20 * boundary.width for sign in (-1, 1))
    if least == most:
        return [_compare(exp.EQ, feature, boundary.value, dialect)] if is_narrow else []
    return [all_of([_compare(exp.GTE, feature, least, dialect), _compare(exp.LTE, feature, most, dialect)])]


def _sigmoid(boundary: Boundary, feature: Feature, slope: float, dialect: Dialect) -> exp.Expression:
    z: exp.Expression = exp.Sub(this=dialect.input(feature), expression=wrapped(dialect.number(boundary.value)))
    z = exp.Div(this=exp.Paren(this=z), expression=wrapped(dialect.number(boundary.width)), typed=True)
    z = exp.Mul(this=z, expression=dialect.number(slope))
    below = exp.Add(this=dialect.number(1.0), expression=exp.Exp(this=z))
    return exp.Div(this=dialect.number(1.0), expression=exp.Paren(this=below), typed=True)


def _compare(kind: Callable[..., exp.Expression], feature: Feature, place: float, dialect: Dialect) -> exp.Expression:
    return kind(this=dialect.input(feature), expression=dialect.number(place))


def _zero_or_one(test: exp.Expression, dialect: Dialect, case: exp.Case | None = None) -> exp.Expression:
    result = (exp.Case() if case is None else case).when(test, dialect.number(1.0), copy=False)
    return result.else_(dialect.number(0.0), copy=False)
