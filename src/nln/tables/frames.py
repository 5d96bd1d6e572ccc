"""Tables of every supported library, as named columns.

With `nln.tables.cells` the only place that knows how pandas, polars, pyarrow and NumPy differ.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from scipy.sparse import issparse

from nln.rules.schema import Schema
from nln.tables.cells import Array, Cells, Column, decode, encode


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a table, still in the library they came in.

    Parameters
    ----------
    names : tuple of str
        Column names; `x0`, `x1`, ... where the input has none.
    columns : tuple of narwhals Series or 1-D arrays
        One per name.
    n_rows : int
        Number of rows.
    named : bool
        Whether the names are the input's own.

    Examples
    --------
    >>> table = read_table([[1, "a"], [2, None]])
    >>> table.names, table.n_rows
    (('x0', 'x1'), 2)
    >>> table.cells("x1")
    Categories(codes=array([ 0, -1], dtype=int32), values=('a',), order='none')
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    n_rows: int
    named: bool

    @property
    def backend(self) -> str | None:
        """Name of the library that the columns are in ("pandas", "polars", "pyarrow", ...); None for arrays."""
        column = self.columns[0]
        return None if isinstance(column, np.ndarray) else column.implementation.value

    def cells(self, name: str) -> Cells:
        """Decode one column."""
        return decode(name, self.columns[self.names.index(name)])

    def take(self, rows: Array) -> Table:
        """Keep the rows of a mask or an array of row numbers, in that order."""
        keep = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return Table(self.names, tuple(column[keep] for column in self.columns), len(keep), self.named)

    def select(self, names: Iterable[str]) -> Table:
        """Keep the columns of these names, in that order."""
        place = {name: i for i, name in enumerate(self.names)}
        names = tuple(names)
        return Table(names, tuple(self.columns[place[name]] for name in names), self.n_rows, self.named)


def read_table(X: Any, *, argument: str = "X") -> Table:
    """Read a table of any supported library without copying its columns.

    Parameters
    ----------
    X : data frame or array-like of shape (rows, columns)
        A pandas or polars data frame, a pyarrow table, anything else eager that narwhals knows, a 2-D NumPy array, a
        list of rows, an object with `__array__`, or a `Table`, which stays as it is. Column names that are not strings
        count as no names, as in scikit-learn.
    argument : str
        What messages call the table.

    Returns
    -------
    Table

    Examples
    --------
    >>> read_table(np.eye(3)).names
    ('x0', 'x1', 'x2')
    """
    if isinstance(X, Table):
        return X
    if issparse(X):
        raise TypeError(
            f"{argument} is a sparse matrix; dense data is required. Use {argument}.toarray() to make it so."
        )
    try:
        native = nw.from_native(X, pass_through=True)
    except DuplicateError as error:
        raise ValueError(f"Column names must differ. {error}. Rename them.") from None
    if isinstance(native, nw.LazyFrame):
        raise TypeError(
            f"{argument} is a lazy frame: its rows are not there yet. Use {argument}.collect() to read them."
        )
    columns: tuple[Column, ...]
    if isinstance(native, nw.DataFrame):
        labels = _labels(native.to_native())
        columns, n_rows = tuple(native.iter_columns()), native.shape[0]
    else:
        array = _matrix(X, argument)
        columns, n_rows, labels = tuple(array.T), len(array), None
    if not columns:
        raise ValueError(f"Found array with 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required.")
    if not n_rows:
        shape = (0, len(columns))
        raise ValueError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
    names = labels or tuple(f"x{i}" for i in range(len(columns)))
    return Table(names, columns, n_rows, labels is not None)


def read_columns(table: Table, schema: Schema, *, at_fit: bool = False) -> dict[str, Array]:
    """Read the columns of a schema's features as numbers and codes.

    Parameters
    ----------
    table : Table
        A table with a column for each feature, in any order.
    schema : Schema
        What the columns mean.
    at_fit : bool
        Whether infinite numbers are an error; else they belong to the outermost interval.

    Returns
    -------
    dict from str to array of shape (rows,)
        Continuous features, periodic ones within their period and probabilities as float64 with NaN for missing; the
        others as int32 indices into `feature.values`, -1 for missing and -2 for a value that the feature does not list.
        Values match as in Python: 1, 1.0 and True are the same, and text never matches a number.

    Examples
    --------
    >>> from nln.rules.schema import Feature, Target
    >>> schema = Schema((Feature("x0", "categorical", ("a", "b")),), Target("y", "binary", (0, 1)))
    >>> read_columns(read_table([["b"], ["c"], [None]]), schema)
    {'x0': array([ 1, -2, -1], dtype=int32)}
    """
    place = {name: column for name, column in zip(table.names, table.columns, strict=True)}
    return {f.name: encode(f, decode(f.name, place[f.name]), at_fit=at_fit) for f in schema.features}


def align(table: Table, names: Sequence[str], *, named: bool = True, estimator: str = "NLNClassifier") -> Table:
    """Bring a table's columns into the order of the table a model was fitted on.

    Parameters
    ----------
    table : Table
        The new table.
    names : sequence of str
        Column names at fit.
    named : bool
        Whether they were the own names of the table at fit. If they were not, or this table has none, columns match
        by position.
    estimator : str
        Whom messages speak of.

    Returns
    -------
    Table
        With exactly the columns `names`; further columns are left out.

    Examples
    --------
    >>> align(read_table([[1, 2]]), ["age", "height"], named=False).names
    ('age', 'height')
    """
    if table.named and named:
        _check_names(table.names, names)
        return table.select(names)
    if len(table.names) != len(names):
        raise ValueError(
            f"X has {len(table.names)} features, but {estimator} is expecting {len(names)} features as input."
        )
    if table.named != named:
        had, has = ("with", "does not have valid") if named else ("without", "has")
        warnings.warn(
            f"X {has} feature names, but {estimator} was fitted {had} feature names: columns are matched by position.",
            UserWarning,
            stacklevel=3,
        )
    return Table(tuple(names), table.columns, table.n_rows, named)


def _labels(frame: Any) -> tuple[str, ...] | None:
    """Column names of a frame; None if they are not strings."""
    labels = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    types = sorted({type(label).__name__ for label in labels})
    if len(types) > 1 and "str" in types:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{types} as feature name / column name types. Use X.columns = X.columns.astype(str)."
        )
    return tuple(labels) if types == ["str"] else None


def _matrix(X: Any, argument: str) -> Array:
    """Make a 2-D array of any array-like."""
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise ValueError(
            f"{argument} cannot be read as a table; do all rows have the same length? ({error})"
        ) from error
    if isinstance(X, np.ma.MaskedArray):
        array = array.astype(object)
        array[np.ma.getmaskarray(X)] = None
    if array.dtype.kind in "US" and isinstance(X, list | tuple):
        # NumPy would turn the numbers of mixed rows into text.
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


def _check_names(given: Sequence[str], expected: Sequence[str]) -> None:
    missing = sorted(set(expected) - set(given))
    if not missing:
        return
    extra = sorted(set(given) - set(expected))
    parts = [("Feature names unseen at fit time", extra), ("Feature names seen at fit time, yet now missing", missing)]
    listed = [f"{title}:\n{''.join(f'- {name}{chr(10)}' for name in some)}" for title, some in parts if some]
    raise ValueError("The feature names should match those that were passed during fit.\n" + "".join(listed))
