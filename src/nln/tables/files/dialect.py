"""How a text file is written: what separates its cells, and the names of its columns."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice

from nln.tables.files.streams import HEAD, TextStream

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_SAMPLE = 200
"""Rows that the separator is found from."""

_NUMBER = re.compile(r"[+-]?\d+([.,]\d*)?")
_BLANK_LINES = re.compile(r"\A(?:[ \t]*\r?\n)+")
_SEP_LINE = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file is written."""

    separator: str  # what stands between cells
    names: tuple[str, ...]  # of all columns in order, without spaces around them; empty where the header has none

    @property
    def decimal_comma(self) -> bool:
        """Whether a comma inside a number is a decimal comma."""
        return self.separator != ","


def find_dialect(stream: TextStream, separator: str | None = None) -> Dialect:
    """Find how a text file is written from its beginning; what stands before the header is dropped from the stream."""
    head = stream.peek(HEAD).decode(errors="ignore")
    body = _BLANK_LINES.sub("", head)
    if found := _SEP_LINE.match(body):  # a line that spreadsheets write and take
        separator = found[1]
        body = body[found.end() :]
    if not body.strip():
        raise ValueError(f"{stream.name} is empty. Give a file with a header and rows.")
    stream.drop(len(head[: len(head) - len(body)].encode()))
    if separator is None:
        separator = _best_separator(body)
    return Dialect(separator, _names(_rows(body, separator)[0], stream.name))


def _rows(text: str, separator: str) -> list[list[str]]:
    """Split the beginning of a text into rows; the last of several may be cut off and is left out."""
    try:
        rows = list(islice(csv.reader(io.StringIO(text, newline=""), delimiter=separator), _SAMPLE))
    except csv.Error:
        rows = [line.split(separator) for line in text.splitlines()[:_SAMPLE]]
    rows = [row for row in rows if row]
    return rows[:-1] if len(rows) > 2 else rows


def _best_separator(text: str) -> str:
    """Choose the separator that gives most rows as many cells as the header, then the one with most columns.

    Of equals the one that stands less often before a space: that may be a comma in a name.
    """

    def merit(separator: str) -> tuple[float, int, int]:
        rows = _rows(text, separator)
        width = len(rows[0])
        agreeing = sum(len(row) == width for row in rows) / len(rows)
        return (agreeing if width > 1 else 0.0), width, -sum(cell.startswith(" ") for row in rows for cell in row)

    return max(SEPARATORS, key=merit)


def _names(header: list[str], file: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in header)
    named = [name for name in names if name]
    numbers = [name for name in named if _NUMBER.fullmatch(name)]
    if numbers and (len(numbers) == len(named) or any(not name.lstrip("+-").isdigit() for name in numbers)):
        raise ValueError(
            f"{file} has no header: its first row holds the number {numbers[0]!r}. Put a row with the names of the "
            "columns on top."
        )
    twice = [name for name, count in Counter(named).items() if count > 1]
    if twice:
        places = [place for place, name in enumerate(names, 1) if name == twice[0]][:2]
        raise ValueError(
            f"{file} names two columns {twice[0]!r} (the {_nth(places[0])} and the {_nth(places[1])}). Rename one, or "
            "put a row with the names of the columns on top if there is none."
        )
    return names


def _nth(place: int) -> str:
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"
