"""Cells: decoded columns of numbers or categories, and what a feature makes of them.

This is the only place that says what a cell means, as `decoding` is the only place that knows how libraries store it.
Learning, predicting, explaining, composing and table files all go through `decode` and `encode`, so that they cannot
disagree.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nln.rules.circle import on_circle
from nln.rules.dates import NAMES, DateOrder, DateReading, Times, days_between, part_of, to_times
from nln.rules.language.words import counted
from nln.rules.readings import NumberReading, PrefixReading
from nln.rules.schema import Feature, Value

MISSING = -1
"""Index of a missing value."""

UNSEEN = -2
"""Index of a value that the feature does not list."""

EXACT_INTEGERS = 2**53
"""Below this, every integer is a float of its own, so that integers may be compared as floats."""

Array: TypeAlias = NDArray[Any]
Order: TypeAlias = Literal["none", "category", "declared", "ordered", "dates"]
NumberKind: TypeAlias = Literal["bool", "int", "float"]

Column: TypeAlias = NDArray[np.float64] | NDArray[np.int32]
"""Numbers with NaN for missing (continuous, periodic, probability), or indices into the feature's values."""


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A column of numbers or truth values."""

    values: Array  # of a type that holds all of them exactly: Python numbers where NumPy has none
    missing: NDArray[np.bool_]
    kind: NumberKind

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: Array) -> Numbers:
        """Keep the rows of a mask or an array of row numbers."""
        return Numbers(self.values[rows], self.missing[rows], self.kind)

    def cell(self, row: int) -> Value | None:
        """Return one cell as a plain value, None if it is missing."""
        return None if self.missing[row] else plain_value(self.values[row])


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """A column of codes into `values`, -1 for missing; `order` says whether the column's type orders its values.

    A "category" type lists the values without an order, a "declared" one with an order that counts on request. A
    column of a date type holds the text of its dates in the ISO form, and its order is "dates".
    """

    codes: Array
    values: tuple[Value, ...]
    order: Order = "none"

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows are missing."""
        return np.asarray(self.codes < 0)

    def take(self, rows: Array) -> Categories:
        """Keep the rows of a mask or an array of row numbers."""
        return Categories(self.codes[rows], self.values, self.order)

    def cell(self, row: int) -> Value | None:
        """Return one cell as a plain value, None if it is missing."""
        return None if self.codes[row] < 0 else self.values[self.codes[row]]


Cells: TypeAlias = Numbers | Categories


def encode(feature: Feature, cells: Cells, since: Cells | None = None) -> Column:
    """Turn a decoded column into the numbers of a feature, or into indices of its values.

    Of a feature with days between two columns of dates, `since` is the column that they are counted from.
    """
    if isinstance(feature.reading, DateReading):
        cells = read_dates(feature.reading, cells, since)
    elif isinstance(feature.reading, PrefixReading):
        cells = read_prefixes(feature.reading, cells, feature.values)
    elif feature.reading is not None and isinstance(cells, Categories):
        cells = read_numbers(feature.name, feature.reading, cells)
    if isinstance(cells, Categories) and holds_numbers(feature):
        _refuse_text(feature, cells)
    if not feature.is_numeric:
        return find_values(cells, feature.values)
    numbers = _floats(feature, cells)
    if feature.kind == "periodic" and feature.period is not None:
        return on_circle(numbers, feature.period)
    if feature.kind == "probability":
        _check_probabilities(numbers, feature.name)
    return numbers


def read_numbers(name: str, reading: NumberReading, cells: Categories) -> Numbers:
    """Read the numbers that cells of text write; an error names the first cell that writes none."""
    read = [_float(value) if not isinstance(value, str) else reading.number(value) for value in cells.values]
    found = np.array([*(math.nan if number is None else number for number in read), math.nan])[cells.codes]
    strange = np.isnan(found) & ~cells.missing
    if strange.any():
        row = int(strange.argmax())
        raise ValueError(
            f"Column {name!r} is read as {reading.allowed}, but row {row} holds {shown(cells.cell(row))}. Correct such "
            "cells or leave them empty."
        )
    return Numbers(found, cells.missing, "float")


def read_dates(reading: DateReading, cells: Cells, since: Cells | None = None) -> Cells:
    """Take the part of dates that a reading names; an error names the first cell that is no date."""
    times = read_times(reading.column, cells, reading.order)
    missing = np.isnat(times)
    if reading.part == "days":
        start = (
            np.datetime64(reading.since)
            if since is None
            else read_times(reading.since_column, since, reading.since_order)
        )
        days = days_between(start, times)
        return Numbers(days, np.isnan(days), "float")
    part = part_of(times, reading.part)
    if names := NAMES.get(reading.part):
        return Categories(np.where(missing, MISSING, part), names)
    return Numbers(np.where(missing, np.nan, part), missing, "float")


def read_prefixes(reading: PrefixReading, cells: Cells, known: Sequence[Value] = ()) -> Categories:
    """Take the first characters of codes; an error names the first cell that is no code.

    Numbers among the cells are refused if a known prefix begins with a zero, which they would have lost.
    """
    codes = read_codes(reading.column, cells)
    zero = next((value for value in known if isinstance(value, str) and value[:1] == "0"), None)
    if zero is not None and (row := _first_number(cells)) is not None:
        raise ValueError(
            f"Column {reading.column!r} is read as codes, of which some begin with {zero!r}, but row {row} holds the "
            f"number {shown(cells.cell(row))}: numbers lose their leading zeros. Give the codes as text."
        )
    prefixes = [reading.of(str(code)) for code in codes.values]
    places = {prefix: place for place, prefix in enumerate(dict.fromkeys(prefixes))}
    found = np.array([*map(places.__getitem__, prefixes), MISSING], np.int32)
    return Categories(found[codes.codes], tuple(places))


def read_codes(column: str, cells: Cells) -> Categories:
    """Read cells as codes: text as it is, whole numbers as their digits; an error names the first other cell."""
    if isinstance(cells, Numbers):
        distinct, codes = np.unique(cells.values, return_inverse=True)
        values = map(bool, distinct) if cells.kind == "bool" else distinct.tolist()
        cells = Categories(np.where(cells.missing, MISSING, codes), tuple(values))
    texts = [_code(value) for value in cells.values]
    strange = np.array([*(text is None for text in texts), False])[cells.codes]
    if cells.order == "dates" or strange.any():
        row = int(np.argmax(strange if strange.any() else ~cells.missing))
        raise ValueError(
            f"Column {column!r} is read as codes, which are text or whole numbers, but row {row} holds "
            f"{shown(cells.cell(row))}. Give the codes as text, or another kind for the column in feature_types."
        )
    return Categories(cells.codes, tuple(map(str, texts)))


def _code(value: Value) -> str | None:
    """Write a code as text; None if it is neither text nor a whole number of at least 0."""
    if isinstance(value, str):
        return value
    return str(int(value)) if not isinstance(value, bool) and value >= 0 and value % 1 == 0 else None


def _first_number(cells: Cells) -> int | None:
    """Find the first row that holds a number."""
    if isinstance(cells, Numbers):
        is_number = ~cells.missing
    else:
        is_number = np.array([*(not isinstance(value, str) for value in cells.values), False])[cells.codes]
    return int(is_number.argmax()) if is_number.any() else None


def read_times(column: str, cells: Cells, order: DateOrder) -> Times:
    """Read a decoded column as points of time, NaT for missing."""
    if isinstance(cells, Numbers):
        strange, times = ~cells.missing, np.full(len(cells), np.datetime64("NaT"), "datetime64[s]")
    else:
        distinct = np.array(cells.values, "datetime64[s]") if cells.order == "dates" else to_times(cells.values, order)
        times = np.append(distinct, np.datetime64("NaT"))[cells.codes]
        strange = np.isnat(times) & ~cells.missing
    if strange.any():
        row = int(strange.argmax())
        example = {"": "2021-04-03 or 3 April 2021", "dmy": "3/4/2021 (day first)", "mdy": "4/3/2021 (month first)"}[
            order
        ]
        raise ValueError(
            f"Column {column!r} is read as dates, such as {example}, but row {row} holds {shown(cells.cell(row))}. "
            "Correct such cells or leave them empty."
        )
    return times


def find_values(cells: Cells, values: Sequence[Value]) -> NDArray[np.int32]:
    """Find each cell among known values: its index, -1 for missing, -2 for a value not listed.

    Values match as in Python: 1, 1.0 and True are the same, whole numbers keep every digit, and text is never a number.
    """
    known = [value for value in values if not isinstance(value, str)]
    if isinstance(cells, Numbers):
        if cells.values.dtype != object and all(abs(value) < EXACT_INTEGERS for value in known):
            return _find_numbers(cells, values)
        distinct, codes = np.unique(cells.values, return_inverse=True)
        cells = Categories(np.where(cells.missing, MISSING, codes), tuple(distinct.tolist()))
    index = {value: i for i, value in enumerate(values)}
    return np.array([*(index.get(value, UNSEEN) for value in cells.values), MISSING], np.int32)[cells.codes]


def holds_numbers(feature: Feature) -> bool:
    """Tell whether a feature has numbers only: a number line, or values of which none is text."""
    return feature.is_numeric or (bool(feature.values) and not any(isinstance(v, str) for v in feature.values))


def check_finite(name: str, cells: Cells) -> None:
    """Raise if a decoded column holds infinite numbers."""
    if isinstance(cells, Categories):
        infinite = np.array([*(isinstance(v, float) and math.isinf(v) for v in cells.values), False])[cells.codes]
    elif cells.values.dtype == object:
        infinite = np.array([isinstance(v, float) and math.isinf(v) for v in cells.values], np.bool_)
    else:
        infinite = np.isinf(cells.values)
    if count := int(infinite.sum()):
        what = "1 infinite value (" if count == 1 else f"{count} infinite values (first "
        raise ValueError(f"Column {name!r} has {what}at row {infinite.argmax()}). Replace them or drop the rows.")


def plain_value(cell: Any) -> Value | None:
    """Return a cell as a Python value, None if it is neither text nor a number nor a truth value."""
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, bool | np.bool_):
        return bool(cell)
    if isinstance(cell, numbers.Integral):
        return int(cell)
    if isinstance(cell, float | np.floating):
        return float(cell)
    if isinstance(cell, numbers.Real | Decimal):
        return _plain_number(cell)
    return None


def shown(cell: object) -> str:
    """Write a cell for a message, only the ends of a long one."""
    text = (
        f"an integer of {cell.bit_length()} bits" if isinstance(cell, int) and cell.bit_length() > 1024 else repr(cell)
    )
    return text if len(text) <= 100 else f"{text[:60]} ... {text[-30:]}"


def cell_error(feature: Feature, row: int, cell: Value, advice: str) -> ValueError:
    """Say that a cell is not one of the numbers that the feature has."""
    article = "a " * (feature.kind == "probability")
    values = "" if feature.is_numeric else " and its values are numbers"
    return ValueError(
        f"Column {feature.name!r} is {article}{feature.kind}{values}, but row {row} holds {shown(cell)}. {advice}"
    )


def _plain_number(cell: Any) -> Value:
    """Return a decimal or a fraction as the nearest float, or as an integer where floats are too coarse."""
    try:
        number = float(cell)
    except OverflowError:
        number = math.inf
    return int(cell) if abs(number) >= EXACT_INTEGERS and _is_whole(cell) else number


def _is_whole(cell: Any) -> bool:
    """Tell whether a large decimal or fraction is a whole number; the digits of a decimal may be too many to divide."""
    if isinstance(cell, Decimal):
        return cell.is_finite() and cell == cell.to_integral_value()
    return bool(cell == cell // 1)


def _find_numbers(cells: Numbers, values: Sequence[Value]) -> NDArray[np.int32]:
    numbers = cells.values.astype(np.float64)
    known = sorted((float(value), i) for i, value in enumerate(values) if not isinstance(value, str))
    indices = np.full(len(numbers), UNSEEN, np.int32)
    if known:
        keys = np.array([number for number, _ in known])
        order = np.array([i for _, i in known], np.int32)
        place = np.minimum(np.searchsorted(keys, numbers), len(keys) - 1)
        np.copyto(indices, order[place], where=keys[place] == numbers)
    indices[cells.missing] = MISSING
    return indices


def _floats(feature: Feature, cells: Cells) -> NDArray[np.float64]:
    if isinstance(cells, Numbers) and cells.values.dtype != object:
        floats = np.ascontiguousarray(cells.values, np.float64)
        is_marked = cells.values.dtype.kind == "f" or not cells.missing.any()  # missing floats are NaN
        return floats if is_marked else np.where(cells.missing, np.nan, floats)
    values: Any = cells.values if isinstance(cells, Numbers) else (*cells.values, 0)
    floats = np.array([_float(value) for value in values])
    floats = floats if isinstance(cells, Numbers) else floats[cells.codes]
    if (np.isinf(floats) & ~cells.missing).any():
        for row in np.flatnonzero(np.isinf(floats)).tolist():
            cell = cells.cell(row)
            if isinstance(cell, int):
                raise cell_error(feature, row, cell, "Give numbers that a float can hold.")
    return np.where(cells.missing, np.nan, floats)


def _float(value: Value) -> float:
    """Make a float; infinity of an integer beyond all floats, NaN of text, which no row has."""
    if isinstance(value, str):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _check_probabilities(numbers: NDArray[np.float64], name: str) -> None:
    outside = (numbers < 0) | (numbers > 1)
    if count := int(np.count_nonzero(outside)):
        row, values = int(outside.argmax()), counted(count, "value")
        raise ValueError(
            f"Column {name!r} is a probability, but has {values} outside [0, 1] (first {numbers[row]} at row {row}). "
            "Give numbers from 0 to 1, for example percentages divided by 100, or None for a missing value."
        )


def _refuse_text(feature: Feature, cells: Categories) -> None:
    texts = {code: value for code, value in enumerate(cells.values) if isinstance(value, str)}
    is_text = np.isin(cells.codes, list(texts))
    if not is_text.any():
        return
    if cells.order == "dates":
        raise TypeError(
            f"Column {feature.name!r} is {feature.kind}, but holds points of time. Turn them into numbers, for example "
            "the hour, the weekday or the days since a date, or learn from the dates as they are."
        )
    strange = np.isin(cells.codes, [code for code, text in texts.items() if not _is_number(text)])
    row = int((strange if strange.any() else is_text).argmax())
    advice = "Correct these cells or leave them empty." if strange.any() else "Cast the column, for example to float."
    raise cell_error(feature, row, texts[cells.codes[row]], advice)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
