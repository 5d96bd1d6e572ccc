"""Dates: what text writes one, and what a feature takes of it.

A feature is read from one date column (its year, month, weekday or hour, or the days since a fixed date) or from two
(the days between them). Month and weekday are ordinal with their names, because `visit month >= October` and `visit
weekday >= Saturday` say what they mean; a span of winter months is a union of two ranges. Days are whole calendar days,
so that the time of day does not change them. Times count as they are written, whatever their zone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

Part: TypeAlias = Literal["year", "month", "weekday", "hour", "days"]
DateOrder: TypeAlias = Literal["", "dmy", "mdy"]
Times: TypeAlias = NDArray[np.datetime64]

PARTS: tuple[Part, ...] = get_args(Part)
DATE_ORDERS: tuple[DateOrder, ...] = get_args(DateOrder)

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

NAMES: dict[Part, tuple[str, ...]] = {"month": MONTHS, "weekday": WEEKDAYS}
"""The values of the parts that have names."""

MONTH_NUMBERS = {name[:length].lower(): i for i, name in enumerate(MONTHS, 1) for length in (3, len(name))} | {
    "sept": 9
}
_TIME = (
    r"(?:(?:T|,? )(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?)?"
)
_ISO = re.compile(r"(?P<y>\d{4})(?P<mark>[-/.])(?P<m>\d{1,2})(?P=mark)(?P<d>\d{1,2})" + _TIME, re.ASCII)
_NUMBERS = re.compile(r"(?P<a>\d{1,2})(?P<mark>[-/.])(?P<b>\d{1,2})(?P=mark)(?P<y>\d{4})" + _TIME, re.ASCII)
_DAY_FIRST = re.compile(
    r"(?P<d>\d{1,2})(?:st|nd|rd|th)?(?:\. ?|[ -])(?P<name>[A-Za-z]{3,9})\.?,?[ -](?P<y>\d{4})" + _TIME, re.ASCII
)
_MONTH_FIRST = re.compile(r"(?P<name>[A-Za-z]{3,9})\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?,? (?P<y>\d{4})" + _TIME, re.ASCII)


DATE_PATTERNS = (_ISO, _NUMBERS, _DAY_FIRST, _MONTH_FIRST)
"""What dates look like: numbers that begin or end with the year, and names of months; the first that fits counts."""


@dataclass(frozen=True, slots=True)
class DateReading:
    """A part of a date, or the days from one date to another.

    Parameters
    ----------
    column : str
        The column of dates: a date type, or text.
    part : {"year", "month", "weekday", "hour", "days"}
        What the feature takes of it.
    since : str, default=""
        For "days": the date to count from, as `2020-01-01`.
    since_column : str, default=""
        For "days": the column of dates to count from.
    order : {"", "dmy", "mdy"}, default=""
        How `3/4/2021` is read: day first, month first, or not at all. `2021-04-03` and `3 April 2021` are always read.
    since_order : {"", "dmy", "mdy"}, default=""
        The same for `since_column`.

    Examples
    --------
    >>> from nln.rules import DateReading, Feature, Schema, Target, read_columns
    >>> stay = DateReading("discharge", "days", since_column="admission")
    >>> schema = Schema((Feature("days in hospital", "continuous", reading=stay),), Target("y", "binary", (0, 1)))
    >>> read_columns({"admission": ["2021-02-27"], "discharge": ["3 March 2021"]}, schema)
    {'days in hospital': array([4.])}
    """

    column: str
    part: Part
    since: str = ""
    since_column: str = ""
    order: DateOrder = ""
    since_order: DateOrder = ""

    def __post_init__(self) -> None:
        if self.part not in PARTS:
            raise ValueError(f"A part of a date is one of {', '.join(PARTS)}, not {self.part!r}.")
        for order in (self.order, self.since_order):
            if order not in DATE_ORDERS:
                raise ValueError(f"The order of a date is 'dmy', 'mdy' or '', not {order!r}.")
        if (self.part == "days") != (bool(self.since) != bool(self.since_column)):
            raise ValueError("Days are counted from a date or from a column of dates, and only days are.")
        if self.since and parse_date(self.since) is None:
            raise ValueError(f"Days are counted from a date such as 2020-01-01, not from {self.since!r}.")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read: the dates, then those that days are counted from."""
        return (self.column, self.since_column) if self.since_column else (self.column,)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that the feature may have."""
        return ("ordinal", "categorical") if self.part in NAMES else ("continuous", "periodic")

    @property
    def what(self) -> str:
        """What the feature is, for messages."""
        return f"read from the dates in {' and '.join(map(repr, self.columns))}"


def parse_date(text: str, order: DateOrder = "") -> datetime | None:
    """Read a date with or without a time of day; None if the text is none, or one that needs an order."""
    plain = " ".join(text.split())
    if found := _ISO.fullmatch(plain):
        return _datetime(found, found["m"], found["d"])
    if found := _NUMBERS.fullmatch(plain):
        month, day = (found["b"], found["a"]) if order == "dmy" else (found["a"], found["b"])
        return _datetime(found, month, day) if order else None
    found = _DAY_FIRST.fullmatch(plain) or _MONTH_FIRST.fullmatch(plain)
    if found and (number := MONTH_NUMBERS.get(found["name"].lower())):
        return _datetime(found, number, found["d"])
    return None


def to_times(values: tuple[Any, ...], order: DateOrder) -> Times:
    """Read distinct cells as points of time; NaT where a cell writes none."""
    found = [parse_date(value, order) if isinstance(value, str) else None for value in values]
    return np.array([np.datetime64("NaT") if time is None else time for time in found], "datetime64[s]")


def days_between(start: Any, end: Times) -> NDArray[np.float64]:
    """Count the calendar days from one time to another; NaN where one is missing."""
    days = end.astype("datetime64[D]") - np.asarray(start).astype("datetime64[D]")
    return np.where(np.isnat(days), np.nan, days.astype(np.int64).astype(np.float64))


def part_of(times: Times, part: Part) -> NDArray[np.int64]:
    """Take the year or the hour, or the place of the month or the weekday among their names; not for NaT."""
    if part == "year":
        return times.astype("datetime64[Y]").astype(np.int64) + 1970
    if part == "month":
        return times.astype("datetime64[M]").astype(np.int64) % 12
    days = times.astype("datetime64[D]")
    if part == "weekday":
        return (days.astype(np.int64) + 3) % 7  # 1 January 1970 was a Thursday
    hours: NDArray[np.int64] = (times - days).astype("timedelta64[h]").astype(np.int64)
    return hours


def _datetime(found: re.Match[str], month: Any, day: Any) -> datetime | None:
    hour, half = int(found["hour"] or 0), (found["half"] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half == "p")
    try:
        return datetime(
            int(found["y"]), int(month), int(day), hour, int(found["minute"] or 0), int(found["second"] or 0)
        )
    except ValueError:
        return None
