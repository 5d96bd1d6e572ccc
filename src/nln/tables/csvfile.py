"""Comma-separated files read by a schema that is known: no guessing of types, no data frame library."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nln.rules.columns import MISSING, UNSEEN, Column
from nln.rules.program import read_truth
from nln.rules.schema import Feature, Schema, Value


def read_csv(path: Path, schema: Schema, target: str | None = None) -> tuple[dict[str, Column], NDArray[np.bool_]]:
    """Read the features and the target of a schema from a file with a header.

    Parameters
    ----------
    path : Path
        The file, in UTF-8; `.gz` is decompressed. An empty cell is missing.
    schema : Schema
        The features, found by the names of the header; further columns are left out.
    target : str, optional
        The column of the true classes; the name of the target by default. A multi-label target has a column of zeros
        and ones per label.

    Returns
    -------
    columns, truth
        What `read_columns` gives, and a (rows, outputs) mask of what holds.

    Raises
    ------
    ValueError
        If a column is absent or a cell does not fit; the message names the place.

    Examples
    --------
    >>> import tempfile
    >>> from nln.rules import Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "data.csv")
    ...     _ = path.write_text("x,class\\n1.5,yes\\n,no\\n")
    ...     columns, truth = read_csv(path, schema)
    >>> columns["x"], truth.ravel()
    (array([1.5, nan]), array([ True, False]))
    """
    if target is not None and schema.target.kind == "multilabel":
        raise ValueError("A multi-label target has one column per label, each named after it: give no target column.")
    rows = _read_cells(path)
    header = next(rows, [])
    places = _places(header, path)
    cells = [row for row in _checked(rows, len(header), path) if row]
    if not cells:
        raise ValueError(f"{path} has no rows below its header.")

    def column(name: str) -> list[str]:
        if name not in places:
            raise ValueError(f"{path} has no column {name!r}; its columns: {', '.join(map(repr, header))}.")
        return [row[places[name]] for row in cells]

    columns = {feature.name: read_text_column(column(feature.name), feature) for feature in schema.features}
    if schema.target.kind == "multilabel":
        labels = [_label_column(column(str(label)), str(label)) for label in schema.target.labels]
        return columns, read_truth(np.column_stack(labels), schema, len(cells))
    name = schema.target.name if target is None else target
    return columns, _classes(column(name), schema, name)


def read_text_column(cells: Sequence[str], feature: Feature) -> Column:
    """Read a column of text as `read_columns` reads one of values.

    Parameters
    ----------
    cells : sequence of str
        The empty text is missing.
    feature : Feature
        What the cells mean: numbers, or one of its values as people write them (`1`, `1.0` and `true` for a true).

    Examples
    --------
    >>> read_text_column(["1", "", "7"], Feature("albumin", "categorical", (0, 1)))
    array([ 1, -1, -2], dtype=int32)
    """
    if feature.is_numeric:
        return np.array([_number(cell, feature.name, row) for row, cell in enumerate(cells)])
    known = _Spellings(feature.values)
    return np.array([known.place(cell) for cell in cells], np.int32)


class _Spellings:
    """Values by their text, and by their number where they have one."""

    def __init__(self, values: Sequence[Value]) -> None:
        texts = {str(value).lower(): i for i, value in enumerate(values) if isinstance(value, bool)}
        self.texts = {**texts, **{value: i for i, value in enumerate(values) if isinstance(value, str)}}
        self.numbers = {float(value): i for i, value in enumerate(values) if not isinstance(value, str)}

    def place(self, cell: str) -> int:
        if cell in self.texts:
            return self.texts[cell]
        if not cell:
            return MISSING
        if cell.lower() in ("true", "false"):
            return self.texts.get(cell.lower(), UNSEEN)
        try:
            return self.numbers.get(float(cell), UNSEEN)
        except ValueError:
            return UNSEEN


def _read_cells(path: Path) -> Iterator[list[str]]:
    opened = gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb")  # noqa: SIM115 - closed below
    with opened as file:
        try:
            text = file.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError(f"{path} is not UTF-8 text: byte {error.start} is wrong.") from None
    return csv.reader(io.StringIO(text, newline=""))


def _places(header: list[str], path: Path) -> dict[str, int]:
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise ValueError(f"{path} names the column {twice[0]!r} twice. Rename one.")
    return {name: place for place, name in enumerate(header)}


def _checked(rows: Iterator[list[str]], width: int, path: Path) -> Iterator[list[str]]:
    for number, row in enumerate(rows):
        if row and len(row) != width:
            raise ValueError(f"{path} has {len(row)} cells in row {number}, but {width} columns.")
        yield row


def _number(cell: str, name: str, row: int) -> float:
    try:
        return float(cell) if cell else np.nan
    except ValueError:
        raise ValueError(
            f"Column {name!r} is continuous, but row {row} holds {cell!r}. Give a number, or nothing for missing."
        ) from None


def _classes(cells: Sequence[str], schema: Schema, name: str) -> NDArray[np.bool_]:
    known = _Spellings(schema.target.labels)
    codes = [known.place(cell) for cell in cells]
    wrong = next((row for row, code in enumerate(codes) if code < 0), None)
    if wrong is not None:
        labels = ", ".join(map(repr, schema.target.labels))
        raise ValueError(f"Column {name!r} holds {cells[wrong]!r} in row {wrong}; known classes: {labels}.")
    return read_truth([schema.target.labels[code] for code in codes], schema, len(codes))


def _label_column(cells: Sequence[str], name: str) -> list[int]:
    known = _Spellings((False, True))
    codes = [known.place(cell) for cell in cells]
    wrong = next((row for row, code in enumerate(codes) if code < 0), None)
    if wrong is not None:
        raise ValueError(f"Column {name!r} holds {cells[wrong]!r} in row {wrong}; a label holds 0 or 1.")
    return codes
