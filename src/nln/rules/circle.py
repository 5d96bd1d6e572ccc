"""Periodic features: numbers on a circle, and arcs of it as ordinary intervals.

A number is brought into [0, period) when it is read. An arc that contains 0 is kept as two intervals, one that ends the
circle and one that begins it: `22 <= hour < 6` is `hour < 6 or hour >= 22`. So everything after reading compares
numbers as for any other feature, and only the text joins the two parts.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nln.rules.condition import Boundary, Interval

_TURNS = 2.0**30


def farthest(period: float) -> float:
    """Return the number from which on there is no place on the circle: a billion turns away little of it is left.

    Up to there every language can count the turns, also with integers of 32 bits.

    Examples
    --------
    >>> farthest(1.0)
    1073741824.0
    """
    return min(period * _TURNS, sys.float_info.max)


def on_circle(numbers: NDArray[np.float64], period: float) -> NDArray[np.float64]:
    """Bring numbers into [0, period); NaN stays, and what lies too far out to have a place becomes NaN.

    Computed as `x - period * floor(x / period)`: every language has these operations and rounds them alike, so that an
    export finds the same place. Rounding may lead just outside, where the nearest number inside counts.

    Parameters
    ----------
    numbers : array of shape (rows,)
        Any numbers.
    period : float
        Length of the circle.

    Examples
    --------
    >>> on_circle(np.array([6.5, -1.0, 24.0, 49.0, np.inf]), 24.0)
    array([ 6.5, 23. ,  0. ,  1. ,  nan])
    """
    result = np.where(np.abs(numbers) < farthest(period), numbers, np.nan)
    outside = (result < 0) | (result >= period)
    if outside.any():
        far = result[outside]
        result[outside] = np.clip(far - period * np.floor(far / period), 0.0, np.nextafter(period, 0.0))
    return result


def arc(low: float, high: float, period: float) -> tuple[Interval, ...]:
    """Return the intervals of the arc from one number up to another, over 0 if the second is not larger.

    Parameters
    ----------
    low, high : float
        Where it begins and ends, from 0 to the period; both ends of the range are the same place.
    period : float
        Length of the circle.

    Examples
    --------
    >>> [(i.low and i.low.value, i.high and i.high.value) for i in arc(22.0, 6.0, 24.0)]
    [(None, 6.0), (22.0, None)]
    """
    for end in (low, high):
        if not 0.0 <= end <= period:
            raise ValueError(f"An arc's ends lie from 0 to its period, {period!r}: {end!r} does not.")
    if low == high or (low, high) == (period, 0.0):
        raise ValueError(f"An arc from {low!r} to itself is empty or everything; say `not missing` for everything.")
    first = None if low in (0.0, period) else Boundary(low)
    last = None if high in (0.0, period) else Boundary(high)
    if first is None or last is None or first.value < last.value:
        return (Interval(first, last),)
    return (Interval(high=last), Interval(low=first))


def joined_arc(intervals: Sequence[Interval]) -> tuple[Boundary, Boundary] | None:
    """Return the ends of the arc over 0 that a union's first and last interval make together, or None.

    Examples
    --------
    >>> joined_arc(arc(22.0, 6.0, 24.0))
    (Boundary(value=22.0, width=0.0), Boundary(value=6.0, width=0.0))
    """
    if len(intervals) < 2 or intervals[0].low is not None or intervals[-1].high is not None:
        return None
    low, high = intervals[-1].low, intervals[0].high
    # An end that meets itself would read as an arc from a number to the same number.
    return (low, high) if low is not None and high is not None and high.value < low.value else None
