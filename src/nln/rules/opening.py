"""Tables of any library, opened: which columns there are, and what a feature makes of those it is read from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import EXACT_INTEGERS, Column, encode
from nln.rules.decoding import decode
from nln.rules.schema import Feature


def sources(feature: Feature, given: Collection[Any]) -> tuple[str, ...]:
    """Name the columns that a feature is read from: that of its own name, if it is given, else those of its reading.

    A feature that is calculated from others has none.
    """
    if feature.derived is not None:
        return ()
    return (feature.name,) if feature.name in given else feature.columns


def read_feature(feature: Feature, table: OpenTable, keys: Mapping[str, Any]) -> Column:
    """Read the column of a feature; `keys` maps names to the keys of the table's columns."""
    if feature.name in keys:  # values of the feature itself, also if it is usually read from others
        own = feature if feature.columns == (feature.name,) else replace(feature, reading=None)
        return encode(own, decode(feature.name, table.column(keys[feature.name])))
    return encode(feature, *(decode(name, table.column(keys[name])) for name in feature.columns))


def as_row(X: Any, names: Sequence[str]) -> dict[str, Any] | None:
    """Return one row, a mapping from names to scalars or a series, as a dictionary; None if the input is a table.

    What names other than `names` hold decides nothing, unless there are none of these.
    """
    if getattr(X, "ndim", None) == 1 and hasattr(X, "to_dict"):
        X = X.to_dict()
    if not isinstance(X, Mapping):
        return None
    cells = [X[name] for name in names if name in X] or list(X.values())
    return dict(X) if all(map(_is_scalar, cells)) else None


def as_matrix(X: Any, argument: str = "X") -> NDArray[Any]:
    """Make a two-dimensional array of any array-like; `argument` is what messages call it."""
    if hasattr(X, "toarray"):
        raise TypeError(
            f"{argument} is a sparse matrix; dense data is required. Use {argument}.toarray() to make it so."
        )
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise ValueError(
            f"{argument} cannot be read as a table; do all rows have the same length? ({error})"
        ) from error
    if isinstance(X, np.ma.MaskedArray):
        array = array.astype(object)
        array[np.ma.getmaskarray(X)] = None
    if isinstance(X, list | tuple) and (array.dtype.kind in "USf" and not _is_exact(array)):
        array = np.array(X, dtype=object)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {argument} holds complex numbers. Split them into two columns.")
    if array.ndim != 2:
        given = "scalar array" if array.ndim == 0 else f"{array.ndim}D array"
        raise ValueError(
            f"Expected 2D array, got {given} instead: a table has rows and columns, but {argument} is of type "
            f"{type(X).__name__} and shape {array.shape}. Reshape your data either using array.reshape(-1, 1) if it "
            "has a single column or array.reshape(1, -1) if it is a single row."
        )
    return array


class OpenTable(NamedTuple):
    """A table of any library, still unread."""

    keys: tuple[Any, ...]  # of the columns: numbers if the table has no names
    column: Callable[[Any], Any]
    n_rows: Callable[[], int]
    form: str  # "records" (always by name), "frame" or "matrix"


def open_table(X: Any, needed: Sequence[str]) -> OpenTable:
    """Open a table of any library; `needed` are the names that tell a row from a table."""
    row = as_row(X, needed)
    if row is not None:
        if needed and not isinstance(X, Mapping) and not any(name in row for name in needed):
            as_matrix(X)  # a single column: refused as any other input of one dimension
        return OpenTable(tuple(row), lambda key: [row[key]], lambda: 1, "records")
    if isinstance(X, Mapping):
        scalars = [name for name in needed if name in X and _is_scalar(X[name])]
        if scalars:
            raise ValueError(f"A table has columns only or scalars only, but {scalars[0]!r} is {X[scalars[0]]!r}.")
        columns = [column for column in X.values() if not _is_scalar(column)]
        return OpenTable(tuple(X), X.__getitem__, lambda: len(columns[0]), "records")
    if isinstance(X, list | tuple) and all(isinstance(row, Mapping) for row in X):
        keys = tuple(dict.fromkeys(key for row in X for key in row)) if X else tuple(needed)
        return OpenTable(keys, lambda key: [row.get(key) for row in X], lambda: len(X), "records")
    if hasattr(X, "collect"):
        raise TypeError("X is a lazy frame: its rows are not there yet. Use X.collect() to read them.")
    frame_keys = _frame_keys(X)
    if frame_keys is not None:
        return OpenTable(frame_keys, X.__getitem__, lambda: len(X), "frame")
    matrix = as_matrix(X)
    return OpenTable(tuple(range(matrix.shape[1])), lambda place: matrix[:, place], lambda: len(matrix), "matrix")


def _frame_keys(X: Any) -> tuple[Any, ...] | None:
    """Keys of a frame's columns: pyarrow says `column_names`, pandas and polars `columns`, NumPy `dtype.names`."""
    if isinstance(X, np.ndarray):
        return None if X.dtype.names is None else tuple(X.dtype.names)
    keys = getattr(X, "column_names", getattr(X, "columns", None))
    return None if keys is None else tuple(keys)


def _is_exact(array: NDArray[Any]) -> bool:
    """Tell whether NumPy kept the cells of a list as they were: it makes text of mixed rows and floats of integers."""
    return array.dtype.kind == "f" and not bool((np.abs(array) >= EXACT_INTEGERS).any())


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | bytes) or not hasattr(value, "__len__")
