"""What pruning may take out of a condition: a value of a set, a boundary, an interval of a union, or all of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nln.rules import Condition, Interval, ValueCondition


def reductions(condition: Condition) -> Iterator[Condition | None]:
    """Yield every condition that is one step shorter; None stands for no condition.

    Parameters
    ----------
    condition : ValueCondition or IntervalCondition
        The condition. Its membership of missing values stays.

    Examples
    --------
    >>> [None if c is None else c.values for c in reductions(ValueCondition("colour", ("red", "blue")))]
    [None, ('blue',), ('red',)]
    """
    yield None
    if isinstance(condition, ValueCondition):
        if len(condition.values) > 1:
            for i in range(len(condition.values)):
                yield replace(condition, values=condition.values[:i] + condition.values[i + 1 :])
    else:
        for intervals in _shorter(condition.intervals):
            yield replace(condition, intervals=intervals)


def _shorter(intervals: tuple[Interval, ...]) -> Iterator[tuple[Interval, ...]]:
    """Leave out an interval, open an outer end, or join two neighbours."""
    last = len(intervals) - 1
    for i, interval in enumerate(intervals):
        if last:
            yield intervals[:i] + intervals[i + 1 :]
        if i < last:
            joined = Interval(interval.low, intervals[i + 1].high)
            if joined != Interval():
                yield (*intervals[:i], joined, *intervals[i + 2 :])
        # An open end in the middle would swallow the next interval, which joining does.
        if i == 0 and interval.low is not None and interval.high is not None:
            yield (Interval(None, interval.high), *intervals[1:])
        if i == last and interval.low is not None and interval.high is not None:
            yield (*intervals[:-1], Interval(interval.low, None))


def saved(condition: Condition, shorter: Condition | None) -> int:
    """Literals that a reduction saves.

    Examples
    --------
    >>> saved(ValueCondition("colour", ("red", "blue")), None)
    2
    """
    return condition.size - (0 if shorter is None else shorter.size)
