"""Which reading a column of text needs: found from all its cells, and only if there is one way to read them.

A single cell that does not fit leaves the column as it is, since the same cell would be an error when predicting. A
column of two different numbers stays text, too: `"2wd"` and `"4wd"` say more than 2 and 4. So do whole numbers
without any mark, which may be codes: in a table of pandas, polars or pyarrow their type says that they are text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise

import numpy as np

from nln.rules.cells import Categories, Cells, read_times
from nln.rules.dates import DATE_ORDERS, NAMES, DateOrder, DateReading, Part, days_between, parse_date
from nln.rules.readings import DECIMALS, Decimal, NumberReading, WrittenNumber, same_unit, written_number
from nln.rules.schema import Feature, Value

_FEWEST_NUMBERS = 3
_MOST_PAIRED = 4
"""Most date columns of which all pairs are compared."""

_POINT_UNITS = ("$", "US$", "USD", "£", "GBP", "¥", "₹")
"""Units of countries that write a decimal point, which decides how to read 1,020."""


def find_numbers(values: Iterable[Value], *, plain: bool = False) -> NumberReading | None:
    """Find how different cells are read as numbers; None if they are not, or in more than one way.

    `plain` says that text without any mark counts as numbers, too; otherwise it may be codes.
    """
    values = tuple(values)
    texts = [value for value in values if isinstance(value, str)]
    if not texts or any(isinstance(value, bool) for value in values):
        return None
    written = {decimal: _all_written(texts, decimal) for decimal in DECIMALS}
    ways = {decimal: found for decimal, found in written.items() if found is not None}
    if not ways:
        return None
    decimal = _only_way(ways)
    found = ways[decimal or "."] if plain else ways.get(decimal) if decimal else None
    if found is None:
        return None
    unit = _one_unit(found)
    numbers = {one.value for one in found} | {float(v) for v in values if not isinstance(v, str)}
    is_marked = unit or any(one.at_limit or one.grouped or one.has_part for one in found)
    if unit is None or not (plain or is_marked) or (len(numbers) < _FEWEST_NUMBERS and not plain):
        return None
    return NumberReading(unit, decimal or ".")


def find_date_order(values: Iterable[Value]) -> DateOrder | None:
    """Find how different cells are read as dates; None if they are not dates, or both day and month may come first."""
    texts = [value if isinstance(value, str) else "" for value in values]
    fitting = [order for order in DATE_ORDERS if texts and all(parse_date(text, order) for text in texts)]
    if "" in fitting or len(fitting) == 1:
        return fitting[0]
    return "dmy" if fitting and all("." in text for text in texts) else None


def date_features(column: str, order: DateOrder, cells: Cells) -> list[Feature]:
    """Make the features of one column of dates: year, month, weekday, hour if there are times, days since a date.

    Days are counted from the beginning of the earliest year, which does not move with a single row.
    """
    times = read_times(column, cells, order)
    times = times[~np.isnat(times)]
    parts: list[Part] = ["year", "month", "weekday"]
    if (times != times.astype("datetime64[D]")).any():
        parts.append("hour")
    found = [_part_feature(column, part, order) for part in parts]
    if len(times):
        since = f"{times.min().astype('datetime64[Y]')}-01-01"
        reading = DateReading(column, "days", since=since, order=order)
        found.append(Feature(f"days from {since} to {column}", "continuous", reading=reading))
    return found


def date_pairs(orders: Mapping[str, DateOrder]) -> list[tuple[str, str]]:
    """Choose the pairs of date columns to count the days between: all of up to four columns, of more the neighbours."""
    names = list(orders)
    return list(combinations(names, 2)) if len(names) <= _MOST_PAIRED else list(pairwise(names))


def pair_feature(one: str, other: str, orders: Mapping[str, DateOrder], cells: Mapping[str, Cells]) -> Feature:
    """Make the feature of the days from one column of dates to another, from the one that is mostly earlier."""
    days = days_between(*(read_times(name, cells[name], orders[name]) for name in (one, other)))
    if (days < 0).sum() > (days > 0).sum():
        one, other = other, one
    reading = DateReading(other, "days", since_column=one, order=orders[other], since_order=orders[one])
    return Feature(f"days from {one} to {other}", "continuous", reading=reading)


def _part_feature(column: str, part: Part, order: DateOrder) -> Feature:
    reading = DateReading(column, part, order=order)
    if part in NAMES:
        return Feature(f"{column} {part}", "ordinal", NAMES[part], reading=reading)
    if part == "hour":
        return Feature(f"{column} {part}", "periodic", period=24, reading=reading)
    return Feature(f"{column} {part}", "continuous", reading=reading)


def count_limits(cells: Categories, reading: NumberReading) -> int:
    """Count the rows whose cell says that the number lies below or above a limit."""
    limits = [
        code
        for code, value in enumerate(cells.values)
        if isinstance(value, str) and (found := written_number(value, reading.decimal)) and found.at_limit
    ]
    return int(np.isin(cells.codes, limits).sum())


def _all_written(texts: Sequence[str], decimal: Decimal) -> list[WrittenNumber] | None:
    found = []
    for text in texts:
        one = written_number(text, decimal)
        if one is None:
            return None
        found.append(one)
    return found


def _only_way(ways: dict[Decimal, list[WrittenNumber]]) -> Decimal | None:
    """Find the decimal mark: the only one that fits, or the one that the cells show; None if both are possible."""
    if len(ways) == 1:
        return next(iter(ways))
    point = ways["."]
    if not any(one.grouped for one in point) or all(one.unit in _POINT_UNITS for one in point):
        return "."  # a single point is decimal, as in every table file
    # Commas with three digits behind them: 1,020. Beside 950 they group digits; alone they may be decimal.
    return "." if any(not one.grouped and 100 <= abs(one.value) < 1000 for one in point) else None


def _one_unit(found: Sequence[WrittenNumber]) -> str | None:
    """Return the unit of all cells, empty if none has one; None if they differ. A zero needs no unit."""
    units = {one.unit for one in found if one.unit or one.value != 0}
    longest = max(units, key=lambda unit: (len(unit), unit), default="")
    return longest if all(same_unit(unit, longest) for unit in units) else None
