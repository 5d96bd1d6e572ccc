"""Cells of text files: which are missing, which are numbers, and what they mean for a feature.

A column is read in two ways: its type is found from all its cells (to learn), or known from a schema (to predict).
Both go by the same rules, so that a file means the same when it is learned from and when it is decided.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nln.rules.cells import MISSING as MISSING_VALUE
from nln.rules.cells import Categories, Cells, cell_error, holds_numbers
from nln.rules.dates import DATE_ORDERS, parse_date
from nln.rules.decoding import decode
from nln.rules.readings import PrefixReading
from nln.rules.schema import Feature, Value
from nln.tables.recognise import find_date_order, find_numbers

MISSING = ("NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A", "<NA>", "?")
"""Spellings of a missing value in every column, beside the blank cell."""

MISSING_NUMBERS = ("-", "--", ".", "na", "n/a", "nan", "none", "null")
"""Further spellings in columns of numbers, in upper and lower case; elsewhere `-` and `none` may be values."""

_POINT = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|^[+-]?(?i:inf|infinity)$"
_COMMA = r"^[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?$|^[+-]?(?i:inf|infinity)$"
_WHOLE = r"^[+-]?\d+$"
_TRUTH = {"true": True, "false": False}


@dataclass(frozen=True)
class CellRules:
    """How the cells of a text file are read; `missing` takes the place of the usual spellings of missing values."""

    missing: Iterable[str] | None = None
    decimal_comma: bool = False
    everywhere: tuple[str, ...] = field(init=False)
    in_numbers: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        given = self.missing is not None
        texts = [text.strip() for text in self.missing] if self.missing is not None else MISSING
        object.__setattr__(self, "everywhere", tuple(dict.fromkeys(("", *texts))))
        object.__setattr__(self, "in_numbers", () if given else MISSING_NUMBERS)

    @property
    def number(self) -> str:
        """The regular expression of a number."""
        return _COMMA if self.decimal_comma else _POINT


@dataclass(frozen=True, eq=False)
class TypedColumn:
    """A column with the type that its cells show, and notes about it for the user."""

    cells: Any
    notes: tuple[str, ...] = ()


def type_column(name: str, column: Any, rules: CellRules) -> TypedColumn:
    """Find the type of a column of text from all its cells: numbers, truth values or text."""
    text = _without(pc.utf8_trim_whitespace(column), rules.everywhere)
    numbers = _without_missing_numbers(text, rules)
    known = len(numbers) - numbers.null_count
    is_number = pc.match_substring_regex(numbers, rules.number)
    count = pc.sum(is_number).as_py() or 0
    if known and count == known:
        return TypedColumn(_to_numbers(numbers, rules), _comma_notes(name, numbers, rules))
    if known and _needs_reading(numbers.drop_null()):
        return TypedColumn(numbers)
    lower = pc.utf8_lower(numbers)
    if known and pc.all(pc.is_in(lower.drop_null(), pa.array(list(_TRUTH)))).as_py():
        return TypedColumn(pc.equal(lower, "true"))
    return TypedColumn(text, _mixed_notes(name, numbers, is_number) if 2 * count > known else ())


def type_table(table: Any, rules: CellRules, codes: Collection[str] = ()) -> tuple[Any, list[str]]:
    """Find the types of all columns of text, and notes about them; columns of `codes` stay text, zeros and all."""
    found = {
        name: TypedColumn(without_missing(table[name], rules))
        if name in codes
        else type_column(name, table[name], rules)
        for name in table.column_names
    }
    notes = [note for column in found.values() for note in column.notes]
    return pa.table({name: column.cells for name, column in found.items()}), notes


def _needs_reading(known: Any) -> bool:
    """Tell whether known cells of text write numbers or dates; the first one mostly shows that they do not."""
    first = known[0].as_py()
    if find_numbers([first], plain=True) is None and not any(parse_date(first, order) for order in DATE_ORDERS):
        return False
    distinct = known.unique().to_pylist()
    return find_numbers(distinct) is not None or find_date_order(distinct) is not None


def without_missing(column: Any, rules: CellRules) -> Any:
    """Make the cells of text that are missing in every column null, and trim the others."""
    return _without(pc.utf8_trim_whitespace(column), rules.everywhere)


def read_text_column(column: Any, feature: Feature, rules: CellRules, *, first: int = 0) -> Cells:
    """Read a column of text as numbers or values of a feature; `first` is the number of its first row in messages.

    Values are known as people write them: `1`, `1.0` and `true` for a true; what is not known stays text or a number.
    """
    text = pc.utf8_trim_whitespace(column)
    if not feature.is_numeric and feature.reading is None:
        return _read_values(text, feature, rules, first)
    if isinstance(feature.reading, PrefixReading):
        return decode(feature.name, _without(text, rules.everywhere))
    numbers = _without_missing_numbers(_without(text, rules.everywhere), rules)
    if feature.reading is not None:
        return decode(feature.name, numbers)
    is_number = pc.match_substring_regex(numbers, rules.number)
    if pc.any(pc.invert(is_number)).as_py():  # truth values count as 0 and 1
        lower = pc.utf8_lower(numbers)
        numbers = pc.if_else(pc.equal(lower, "true"), "1", pc.if_else(pc.equal(lower, "false"), "0", numbers))
        wrong = pc.index(pc.match_substring_regex(numbers, rules.number), False).as_py()
        if wrong >= 0:
            raise _not_a_number(feature, first + wrong, numbers[wrong].as_py())
    return decode(feature.name, _to_floats(numbers, rules))


def _read_values(text: Any, feature: Feature, rules: CellRules, first: int) -> Categories:
    coded = pc.dictionary_encode(text)
    coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    spellings = _Spellings(feature.values, rules)
    place: dict[Value | None, int] = {None: MISSING_VALUE}
    found = [place.setdefault(spellings.value(cell), len(place) - 1) for cell in coded.dictionary.to_pylist()]
    codes = np.array([*found, MISSING_VALUE], np.int32)[np.asarray(coded.indices.fill_null(len(found)))]
    values = tuple(value for value in place if value is not None)
    if holds_numbers(feature):
        words = [code for code, value in enumerate(values) if isinstance(value, str)]
        if (is_word := np.isin(codes, words)).any():
            row = int(is_word.argmax())
            raise _not_a_number(feature, first + row, values[codes[row]])
    return Categories(codes, values)


def _not_a_number(feature: Feature, row: int, cell: Value) -> ValueError:
    return cell_error(feature, row, cell, "Give a number, or nothing for a missing value.")


class _Spellings:
    """Values by their text, and by their number where they have one; a known value is never a missing one."""

    def __init__(self, values: Sequence[Value], rules: CellRules) -> None:
        self.rules = rules
        self.texts: dict[str, Value] = {value.strip(): value for value in values if isinstance(value, str)}
        self.numbers = {value: value for value in values if not isinstance(value, str)}
        self.floats = {value: value for value in values if isinstance(value, float)}
        self.only_numbers = bool(values) and not self.texts
        self.has_truths = self.only_numbers or any(isinstance(value, bool) for value in values)

    def value(self, cell: str | None) -> Value | None:
        if cell is None:
            return None
        if cell in self.texts:
            return self.texts[cell]
        if cell in self.rules.everywhere or (self.only_numbers and cell.lower() in self.rules.in_numbers):
            return None
        if cell.lower() in _TRUTH:
            return _TRUTH[cell.lower()] if self.has_truths else cell
        return self._number(cell) if self.numbers and re.search(self.rules.number, cell) else cell

    def _number(self, cell: str) -> Value:
        """Find a number: a whole one by all its digits, unless the values were read as floats."""
        plain = cell.replace(",", ".") if self.rules.decimal_comma else cell
        nearest = float(plain)
        number = int(plain) if re.fullmatch(_WHOLE, plain) else nearest
        return self.numbers.get(number, self.floats.get(nearest, number))


def _without(text: Any, spellings: Sequence[str]) -> Any:
    """Make cells of these spellings null."""
    return pc.if_else(pc.is_in(text, pa.array(spellings, pa.string())), None, text)


def _without_missing_numbers(text: Any, rules: CellRules) -> Any:
    return pc.if_else(pc.is_in(pc.utf8_lower(text), pa.array(rules.in_numbers, pa.string())), None, text)


def _to_floats(numbers: Any, rules: CellRules) -> Any:
    return pc.cast(pc.replace_substring(numbers, ",", ".") if rules.decimal_comma else numbers, pa.float64())


def _to_numbers(numbers: Any, rules: CellRules) -> Any:
    if pc.all(pc.match_substring_regex(numbers, _WHOLE)).as_py():
        with suppress(pa.ArrowInvalid):  # more digits than 64 bits hold
            return pc.cast(pc.utf8_ltrim(numbers, "+"), pa.int64())
    return _to_floats(numbers, rules)


def _comma_notes(name: str, numbers: Any, rules: CellRules) -> tuple[str, ...]:
    if not rules.decimal_comma:
        return ()
    comma, point = (pc.match_substring(numbers, mark) for mark in ",.")
    if not pc.any(comma).as_py() or not pc.any(point).as_py():
        return ()
    cells = [numbers[pc.index(mask, True).as_py()].as_py() for mask in (comma, point)]
    return (
        f"Column {name!r} has decimal commas and decimal points ({cells[0]} and {cells[1]}): both are read as decimal. "
        "If one of them groups thousands, take it out.",
    )


def _mixed_notes(name: str, numbers: Any, is_number: Any) -> tuple[str, ...]:
    count = pc.sum(pc.invert(is_number)).as_py()
    row = pc.index(is_number, False).as_py()
    cells = "1 cell is no number" if count == 1 else f"{count} cells are no numbers"
    word = numbers[row].as_py()
    return (
        f"Column {name!r} is taken as text, since {cells} (first {word!r} in row {row}). Correct them, or give "
        f"--missing {word!r} if it means that the value is missing.",
    )
