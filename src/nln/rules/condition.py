"""What a rule asks of one feature: a set of values, or a union of intervals with fuzzy or crisp boundaries."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypeAlias

from nln.rules.schema import Feature, Value, plain_values

LOG_9 = math.log(9.0)
"""`width * sharpness`, since the width is half of the band from 10 % to 90 % membership."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """A place on a feature's axis where membership changes.

    Parameters
    ----------
    value : float
        Where the membership of the upper side is one half (fuzzy), or where the upper side begins (crisp). For an
        ordinal feature, the rank of the first value of the upper side.
    width : float, default=0.0
        Half of the band from 10 % to 90 %: the membership of the upper side is `sigma(ln 9 / width * (x - value))`.
        With 0 the boundary is crisp.
    """

    value: float
    width: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", float(self.value))
        object.__setattr__(self, "width", float(self.width))
        if not math.isfinite(self.value):
            raise ValueError(f"A boundary must be a finite number, not {self.value!r}.")
        if not (math.isfinite(self.width) and self.width >= 0):
            raise ValueError(f"A boundary's width must be a finite number of at least 0, not {self.width!r}.")


@dataclass(frozen=True, slots=True)
class Interval:
    """`low <= x < high`.

    Parameters
    ----------
    low, high : Boundary, default=None
        The ends; None is an open end, and two open ends are the whole axis.
    """

    low: Boundary | None = None
    high: Boundary | None = None

    def __post_init__(self) -> None:
        if self.low is not None and self.high is not None and not self.low.value < self.high.value:
            raise ValueError(f"An interval's lower boundary {self.low.value!r} must lie below {self.high.value!r}.")

    @property
    def is_crisp(self) -> bool:
        """Whether membership is 0 or 1 for every number."""
        return not any(end is not None and end.width for end in (self.low, self.high))


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """`feature in {values}`, or `feature not in {values}`.

    Parameters
    ----------
    feature : str
        Name of a binary or categorical feature, or of a probability.
    values : tuple
        The listed values.
    negated : bool, default=False
        Whether the condition asks for every value but these, including values that were never seen.
    missing : float, default=0.0
        Membership of a missing value: `or missing (p)`.

    Examples
    --------
    >>> ValueCondition("colour", ("red", "blue")).size
    2
    """

    feature: str
    values: tuple[Value, ...]
    negated: bool = False
    missing: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "missing", _checked_missing(self.feature, self.missing))
        object.__setattr__(self, "values", plain_values(self.values, f"A condition on {self.feature!r}"))
        if len(set(self.values)) != len(self.values):
            raise ValueError(f"A condition on {self.feature!r} lists a value twice: {self.values!r}. Leave one out.")

    @property
    def size(self) -> int:
        """Number of listed values, at least 1 (`not missing` is a condition too)."""
        return max(len(self.values), 1)

    @property
    def is_crisp(self) -> bool:
        """Whether membership is 0 or 1 for every value, also for a missing one."""
        return self.missing in (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class IntervalCondition:
    """A union of intervals, lowest first: `x < 3 or 5 <= x < 8`.

    Parameters
    ----------
    feature : str
        Name of a continuous, periodic or ordinal feature.
    intervals : tuple of Interval
        Disjoint and in ascending order. The condition is the OR of the intervals, and an interval is the AND of its two
        sides.
    missing : float, default=0.0
        Membership of a missing value: `or missing (p)`.

    Examples
    --------
    >>> IntervalCondition("x", (Interval(Boundary(5.0), Boundary(8.0)),)).size
    2
    """

    feature: str
    intervals: tuple[Interval, ...]
    missing: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "missing", _checked_missing(self.feature, self.missing))
        object.__setattr__(self, "intervals", tuple(self.intervals))
        for left, right in zip(self.intervals, self.intervals[1:], strict=False):
            if left.high is None or right.low is None or left.high.value > right.low.value:
                raise ValueError(
                    f"The intervals of {self.feature!r} must be disjoint and ascending. Sort them, and join overlaps."
                )

    @property
    def boundaries(self) -> tuple[Boundary, ...]:
        """The boundaries of the intervals, lowest first."""
        ends = (end for interval in self.intervals for end in (interval.low, interval.high))
        return tuple(end for end in ends if end is not None)

    @property
    def size(self) -> int:
        """Number of boundaries, at least 1 (`not missing` is a condition too)."""
        return max(len(self.boundaries), 1)

    @property
    def is_crisp(self) -> bool:
        """Whether membership is 0 or 1 for every value, also for a missing one."""
        return self.missing in (0.0, 1.0) and all(interval.is_crisp for interval in self.intervals)


Condition: TypeAlias = ValueCondition | IntervalCondition


def is_crisp(condition: Condition, feature: Feature) -> bool:
    """Tell whether a condition's membership is 0 or 1 on every row; on a probability it is usually the row's number."""
    if isinstance(condition, ValueCondition) and feature.kind == "probability":
        return condition.is_crisp and len(chosen(condition, feature)) != 1
    return condition.is_crisp


def chosen(condition: ValueCondition, feature: Feature) -> tuple[Value, ...]:
    """Return which known values satisfy a condition; on a probability, membership is how probable they are."""
    listed = set(condition.values)
    return tuple(value for value in feature.values if (value in listed) != condition.negated)


def opposite(condition: Condition) -> Condition:
    """Return the condition that holds where a crisp one fails; of an ordinal feature, unseen values fail both."""
    missing = 1.0 - condition.missing
    if isinstance(condition, ValueCondition):
        return replace(condition, negated=not condition.negated, missing=missing)
    gaps, end = [], None
    for interval in condition.intervals:
        if interval.low is not None and interval.low != end:
            gaps.append(Interval(end, interval.low))
        end = interval.high
    if end is not None or not condition.intervals:
        gaps.append(Interval(end))
    return replace(condition, intervals=tuple(gaps), missing=missing)


def _checked_missing(feature: str, missing: float) -> float:
    if not 0.0 <= missing <= 1.0:
        raise ValueError(f"The probability of `or missing` for {feature!r} must lie in [0, 1], not {missing!r}.")
    return float(missing)
