"""What a table looks like to learning: a line a column, with what a user should look at."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from nln.rules.language.words import number, spelled
from nln.rules.schema import Feature

_WIDTH = 40
"""Characters of a list of values."""

_FEWEST = 8
"""Rows from which a column whose values all differ looks like an identifier."""


@dataclass(frozen=True, slots=True)
class ColumnLine:
    """What is said of a column.

    Attributes
    ----------
    name, kind : str
        Its name, and its kind; "left out" if it tells nothing.
    values : str
        Its values, or its range.
    missing : int
        Rows without a value.
    note : str
        What to look at; empty if nothing.
    """

    name: str
    kind: str
    values: str
    missing: int
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Give the same as plain data."""
        return asdict(self)


def describe_columns(table: Any, feature_types: Mapping[str, Any]) -> list[ColumnLine]:
    """Describe the columns of a table as learning will take them.

    Parameters
    ----------
    table : pyarrow table
        The features.
    feature_types : mapping
        What the user says of the columns.

    Examples
    --------
    >>> import pyarrow as pa
    >>> describe_columns(pa.table({"age": [41, None, 7, 30], "site": ["A"] * 4}), {})[0]
    ColumnLine(name='age', kind='continuous', values='7 to 41', missing=1, note='')
    """
    from nln.tables import infer_features, read_table

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # on columns left out: the lines say so
        features, columns = infer_features(read_table(table), dict(feature_types) or None)
    known = {feature.name: feature for feature in features}
    lines = []
    for name in table.column_names:
        missing = int(table[name].null_count)
        if name in known:
            lines.append(_describe(known[name], columns[name], table[name], missing))
        else:
            lines.append(ColumnLine(name, "left out", _only(table[name]), missing, "no two different values"))
    return lines


def describe_target(name: str, labels: Sequence[Any], missing: int) -> ColumnLine:
    """Describe the target: its classes and how many rows have each.

    Examples
    --------
    >>> describe_target("class", ["yes", "no", "yes"], 0).values
    'no 1, yes 2'
    """
    values, counts = np.unique(np.array(labels, dtype=object), return_counts=True)
    said = [f"{spelled(v)} {c}" for v, c in zip(values.tolist(), counts.tolist(), strict=True)]
    return ColumnLine(name, "target", _listed(said), missing, "rows left out" if missing else "")


def _describe(feature: Feature, column: Any, cells: Any, missing: int) -> ColumnLine:
    if feature.is_numeric:
        known = column[~np.isnan(column)]
        said = f"{number(float(known.min()))} to {number(float(known.max()))}"
    else:
        said = _listed([spelled(value) for value in feature.values])
    return ColumnLine(feature.name, feature.kind, said, missing, _note(feature, cells, missing))


def _note(feature: Feature, cells: Any, missing: int) -> str:
    rows = len(cells) - missing
    if rows < _FEWEST or len(cells.drop_null().unique()) < rows:
        return ""
    hint = f"an identifier? --ignore {_quoted(feature.name)}"
    if feature.kind in ("categorical", "ordinal"):
        return f"all values differ: {hint}"
    if feature.kind == "continuous":
        numbers = np.asarray(cells.drop_null().to_numpy(), dtype=np.float64)
        if numbers.max() - numbers.min() == rows - 1 and (numbers == np.floor(numbers)).all():
            return f"counts the rows: {hint}"
    return ""


def _quoted(name: str) -> str:
    """Write a name as a shell takes it."""
    return shlex.quote(name)


def _only(cells: Any) -> str:
    known = cells.drop_null()
    return spelled(known[0].as_py()) if len(known) else "all missing"


def _listed(texts: Sequence[str]) -> str:
    said = ", ".join(texts)
    if len(said) <= _WIDTH:
        return said
    kept, length = 0, 0
    while kept < len(texts) and length + len(texts[kept]) + 2 <= _WIDTH - 12:
        length += len(texts[kept]) + 2
        kept += 1
    return f"{', '.join(texts[:kept])}, ... ({len(texts)} values)" if kept else f"{len(texts)} values"
