"""Which reading a column of text needs: found from all its cells, and only if there is one way to read them.

A single cell that does not fit leaves the column as it is, since the same cell would be an error when predicting. A
column of two different numbers stays text, too: `"2wd"` and `"4wd"` say more than 2 and 4. So do whole numbers
without any mark, which may be codes: in a table of pandas, polars or pyarrow their type says that they are text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from nln.rules.cells import Categories
from nln.rules.readings import DECIMALS, Decimal, NumberReading, WrittenNumber, same_unit, written_number
from nln.rules.schema import Value

_FEWEST_NUMBERS = 3
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
