"""Periodic features: numbers on a circle, and arcs of the circle as ordinary intervals.

A number is brought into [0, period) when it is read. An arc that contains 0 is kept as two intervals, one at each end
of the period: `22 <= hour < 6` is `hour < 6 or hour >= 22`. Everything after reading therefore compares numbers as it
does for any other feature, and only the text joins the two intervals.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nln.rules.condition import Boundary, Interval

_TURNS = 2.0**30


def circle_limit(period: float) -> float:
    """Return the size from which a number has no place on the circle, because too few of its digits are left.

    Below 2^30 turns every language that programs are exported to can count the turns, even with integers of 32 bits.
    """
    return min(period * _TURNS, sys.float_info.max)


def on_circle(numbers: NDArray[np.float64], period: float) -> NDArray[np.float64]:
    """Bring numbers into [0, period); NaN and numbers beyond `circle_limit` become NaN.

    The place is `x - period * floor(x / period)`: every language has these operations and rounds them alike, so exports
    find the same place. Where rounding leads just outside the range, the nearest number inside is taken.
    """
    result = np.where(np.abs(numbers) < circle_limit(period), numbers, np.nan)
    outside = (result < 0) | (result >= period)
    if outside.any():
        far = result[outside]
        result[outside] = np.clip(far - period * np.floor(far / period), 0.0, np.nextafter(period, 0.0))
    return result


def arc(low: float, high: float, period: float) -> tuple[Interval, ...]:
    """Return the intervals of the arc from `low` up to `high`, over 0 if `high` is not larger; 0 is also the period."""
    for end in (low, high):
        if not 0.0 <= end <= period:
            raise ValueError(f"The ends of an arc must lie between 0 and the period, {period!r}, but one is {end!r}.")
    if low == high or (low, high) == (period, 0.0):
        raise ValueError(
            f"An arc from {low!r} to itself is empty or the whole circle; for the latter write `not missing`."
        )
    first = None if low in (0.0, period) else Boundary(low)
    last = None if high in (0.0, period) else Boundary(high)
    if first is None or last is None or first.value < last.value:
        return (Interval(first, last),)
    return (Interval(high=last), Interval(low=first))


def joined_arc(intervals: Sequence[Interval]) -> tuple[Boundary, Boundary] | None:
    """Return the ends of the arc over 0 that the first and the last interval of a union make together, if they do."""
    if len(intervals) < 2 or intervals[0].low is not None or intervals[-1].high is not None:
        return None
    low, high = intervals[-1].low, intervals[0].high
    # If both ends were the same number, the text would read as an arc from a number to itself.
    return (low, high) if low is not None and high is not None and high.value < low.value else None
