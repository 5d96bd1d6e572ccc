"""Regions of results: how those of an expression and of its negative answer to each other, and which way to write them.

Intervals hold their lower end and not their upper one. Between two neighbouring floats there is no third, so `x > 3` is
`x >= just_after(3)`: the text shows the number before a boundary, with `>` or `<=`, where it is the shorter one.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable

import numpy as np

from nln.rules.condition import Boundary, Interval
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.rounding import in_digits, just_after

_SHORTER = 4  # digits that the number before a boundary must save to be written


def mirrored(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """Return the intervals in which -x lies where x lies in these; mirroring them again gives these."""
    return tuple(Interval(_mirrored(i.high), _mirrored(i.low)) for i in intervals)[::-1]


def in_results(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """Move crisp boundaries to results of 11 digits, or just after one, which changes no membership of a result."""
    found = ((_in_results(interval.low), _in_results(interval.high)) for interval in intervals)
    return tuple(Interval(low, high) for low, high in found if not (low and high and low.value >= high.value))


def in_counts(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """Move crisp boundaries to whole numbers from 1 on, which changes no membership of a count."""
    found = []
    for interval in intervals:
        low, high = (None if end is None else math.ceil(end.value) for end in (interval.low, interval.high))
        low = None if low is None or low <= 0 else low
        if high is None or high > (low or 0):
            ends = (None if end is None else Boundary(float(end)) for end in (low, high))
            found.append(Interval(*ends))
    return tuple(found)


def shown(boundary: Boundary) -> tuple[float, bool]:
    """Return the number to write for a boundary, and whether it lies just below the boundary: `> number`."""
    before = math.nextafter(boundary.value, -math.inf)
    if boundary.width or math.isinf(before) or len(_digits(before)) + _SHORTER > len(_digits(boundary.value)):
        return boundary.value, False
    return before + 0.0, True


def compares(expression: Arithmetic, intervals: Iterable[Interval]) -> str | None:
    """Return the sign of a comparison, if the region of a difference is one of its two sides."""
    if not expression.is_difference:
        return None
    return _COMPARISONS.get(tuple((_pair(interval.low), _pair(interval.high)) for interval in intervals))


def oriented(expression: Arithmetic, intervals: tuple[Interval, ...]) -> tuple[Arithmetic, tuple[Interval, ...]]:
    """Return the expression or its negative with the region, whichever is read with positive boundaries."""
    ends = [end.value for interval in intervals for end in (interval.low, interval.high) if end is not None]
    has_both_signs = len({sign for _, sign in expression.numerator}) == 2
    if has_both_signs and ends and max(ends) <= just_after(0.0) and -sys.float_info.max < min(ends) < 0:
        return expression.mirrored(), mirrored(intervals)
    return expression, intervals


def _in_results(end: Boundary | None) -> Boundary | None:
    if end is None or end.width:
        return end
    result = float(in_digits(np.array([end.value]))[0])
    return Boundary(result if result >= end.value else just_after(result))


def _mirrored(end: Boundary | None) -> Boundary | None:
    if end is None:
        return None
    value = -end.value if end.width else just_after(-end.value)
    return Boundary(min(value, sys.float_info.max) + 0.0, end.width)


def _pair(end: Boundary | None) -> tuple[float, float] | None:
    return None if end is None else (end.value, end.width)


def _digits(value: float) -> str:
    return repr(value + 0.0).removesuffix(".0").lstrip("-")


_ZERO, _AFTER = (0.0, 0.0), (just_after(0.0), 0.0)
_COMPARISONS = {
    ((_ZERO, None),): ">=",
    ((_AFTER, None),): ">",
    ((None, _ZERO),): "<",
    ((None, _AFTER),): "<=",
    ((_ZERO, _AFTER),): "=",
    ((None, _ZERO), (_AFTER, None)): "!=",
}
REGIONS = {
    sign: tuple(Interval(*(None if end is None else Boundary(*end) for end in ends)) for ends in region)
    for region, sign in _COMPARISONS.items()
}
"""The region of a difference for each sign of a comparison."""
