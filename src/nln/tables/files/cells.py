"""Cells of text files: which are missing, which are numbers, and what they mean for a feature.

A column is read in two ways: its type is found from all its cells (to learn), or known from a schema (to predict).
Both go by the same rules, so that a file means the same when it is learned from and when it is decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from nln.rules.schema import Feature, Value

MISSING = ("NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A", "<NA>", "?")
"""Spellings of a missing value in every column, beside the blank cell."""

MISSING_NUMBERS = ("-", "--", ".", "na", "n/a", "nan", "none", "null")
"""Further spellings in columns of numbers, in upper and lower case; elsewhere `-` and `none` may be values."""

_POINT = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|^[+-]?(?i:inf|infinity)$"
_COMMA = r"^[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?$|^[+-]?(?i:inf|infinity)$"
_WHOLE = r"^[+-]?\d{1,18}$"
_TRUTH = {"true": True, "false": False}


@dataclass(frozen=True)
class CellRules:
    """How the cells of a text file are read.

    Parameters
    ----------
    missing : iterable of str, optional
        Spellings of missing values in place of the usual ones; a blank cell is always missing.
    decimal_comma : bool
        Whether `1,5` is a number.

    Examples
    --------
    >>> CellRules(missing=["unknown"]).everywhere
    ('', 'unknown')
    """

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
    """A column with the type that its cells show, and what a user should know of it."""

    cells: Any
    notes: tuple[str, ...] = ()


def type_column(name: str, column: Any, rules: CellRules) -> TypedColumn:
    """Find the type of a column of text: numbers, truth values or text.

    Parameters
    ----------
    name : str
        For the notes.
    column : pyarrow array of text
        All of its cells.
    rules : CellRules
        How cells are read.

    Examples
    --------
    >>> typed = type_column("age", pa.array([" 41", "-", "?", "7"]), CellRules())
    >>> typed.cells.to_pylist()
    [41, None, None, 7]
    """
    text = _without(pc.utf8_trim_whitespace(column), rules.everywhere)
    numbers = _without_missing_numbers(text, rules)
    known = len(numbers) - numbers.null_count
    is_number = pc.match_substring_regex(numbers, rules.number)
    count = pc.sum(is_number).as_py() or 0
    if known and count == known:
        return TypedColumn(_to_numbers(numbers, rules), _comma_notes(name, numbers, rules))
    lower = pc.utf8_lower(numbers)
    if known and pc.all(pc.is_in(lower.drop_null(), pa.array(list(_TRUTH)))).as_py():
        return TypedColumn(pc.equal(lower, "true"))
    return TypedColumn(text, _mixed_notes(name, numbers, is_number) if 2 * count > known else ())


def read_text_column(column: Any, feature: Feature, rules: CellRules, *, first: int = 0) -> NDArray[Any]:
    """Read a column of text as the values of a feature.

    Parameters
    ----------
    column : pyarrow array of text
        Some of its cells.
    feature : Feature
        What they mean: numbers, or one of its values as people write them (`1`, `1.0` and `true` for a true).
    rules : CellRules
        How cells are read.
    first : int
        Number of the first row, for messages.

    Returns
    -------
    array of shape (rows,)
        Numbers with NaN for missing; or values with None for missing, and text or a number for what is not known.

    Examples
    --------
    >>> read_text_column(pa.array(["1", "", "7"]), Feature("albumin", "categorical", (0, 1)), CellRules())
    array([1, None, 7], dtype=object)
    """
    text = pc.utf8_trim_whitespace(column)
    if not feature.is_numeric:
        coded = pc.dictionary_encode(text)
        coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
        known = _Spellings(feature.values, rules)
        values = np.empty(len(coded.dictionary) + 1, dtype=object)
        values[:-1] = [known.value(cell) for cell in coded.dictionary.to_pylist()]
        found: NDArray[Any] = values[coded.indices.fill_null(len(values) - 1).to_numpy(zero_copy_only=False)]
        return found
    numbers = _without_missing_numbers(_without(text, rules.everywhere), rules)
    is_number = pc.match_substring_regex(numbers, rules.number)
    wrong = pc.index(is_number, False).as_py()
    if wrong >= 0:
        raise ValueError(
            f"Column {feature.name!r} is {'a ' * (feature.kind == 'probability')}{feature.kind}, but row "
            f"{first + wrong} holds {numbers[wrong].as_py()!r}. Give a number, or nothing for missing."
        )
    floats: NDArray[Any] = np.asarray(_to_floats(numbers, rules).to_numpy(zero_copy_only=False), dtype=np.float64)
    return floats


class _Spellings:
    """Values by their text, and by their number where they have one; a known value is never a missing one."""

    def __init__(self, values: Sequence[Value], rules: CellRules) -> None:
        self.rules = rules
        self.texts: dict[str, Value] = {str(value).lower(): value for value in values if isinstance(value, bool)}
        for text in (value for value in values if isinstance(value, str)):
            self.texts[text.strip()] = text
        self.numbers = {float(value): value for value in values if not isinstance(value, str)}
        self.only_numbers = bool(values) and len(self.numbers) == len(values)

    def value(self, cell: str | None) -> Value | None:
        if cell is None or cell in self.texts:
            return self.texts[cell] if cell is not None else None
        if cell in self.rules.everywhere or (self.only_numbers and cell.lower() in self.rules.in_numbers):
            return None
        if cell.lower() in _TRUTH:
            return self.texts.get(cell.lower(), cell)
        number = self._number(cell) if self.numbers else None
        return cell if number is None else self.numbers.get(number, int(number) if number.is_integer() else number)

    def _number(self, cell: str) -> float | None:
        if not re.search(self.rules.number, cell):
            return None
        return float(cell.replace(",", ".") if self.rules.decimal_comma else cell)


def _without(text: Any, spellings: Sequence[str]) -> Any:
    """Make cells of these spellings null."""
    return pc.if_else(pc.is_in(text, pa.array(spellings, pa.string())), None, text)


def _without_missing_numbers(text: Any, rules: CellRules) -> Any:
    if not rules.in_numbers:
        return text
    return pc.if_else(pc.is_in(pc.utf8_lower(text), pa.array(rules.in_numbers)), None, text)


def _to_floats(numbers: Any, rules: CellRules) -> Any:
    return pc.cast(pc.replace_substring(numbers, ",", ".") if rules.decimal_comma else numbers, pa.float64())


def _to_numbers(numbers: Any, rules: CellRules) -> Any:
    whole = pc.all(pc.match_substring_regex(numbers, _WHOLE)).as_py()
    return pc.cast(pc.utf8_ltrim(numbers, "+"), pa.int64()) if whole else _to_floats(numbers, rules)


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
