"""Tables of every supported library, read column by column into NumPy.

The only module that knows how pandas, polars, pyarrow and NumPy differ: a column of any of them decodes into
`Numbers` or `Categories`, and everything above works on those two.
"""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NoReturn, TypeAlias

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from scipy.sparse import issparse

from nln.rules.columns import MISSING, UNSEEN, is_missing, value_indices
from nln.rules.schema import Feature, Schema, Value

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Column: TypeAlias = "nw.Series[Any] | Array"
Order: TypeAlias = Literal["none", "declared", "ordered"]
NumberKind: TypeAlias = Literal["bool", "int", "float"]


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of numbers or truth values; NaN is missing; `kind` is what they were before NaN made them floats."""

    values: Array
    kind: NumberKind

    @property
    def missing(self) -> Array:
        """Which rows are missing."""
        return np.isnan(self.values) if self.values.dtype.kind == "f" else np.zeros(len(self.values), dtype=bool)


@dataclass(frozen=True, slots=True)
class Categories:
    """A column of codes into `values`, -1 for missing; `order` says whether the column's type orders its values."""

    codes: Array
    values: tuple[Value, ...]
    order: Order = "none"


Cells: TypeAlias = Numbers | Categories


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
        list of rows, or an object with `__array__`. Column names that are not strings count as no names, as in
        scikit-learn.
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
        Continuous features as float64 with NaN for missing; the others as int32 indices into `feature.values`, -1 for
        missing and -2 for a value that the feature does not list. Values match as in Python: 1, 1.0 and True are the
        same, and text never matches a number.

    Examples
    --------
    >>> from nln.rules.schema import Target
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


def decode(name: str, column: Column) -> Cells:
    """Decode a column of any library; `name` is for messages."""
    if isinstance(column, np.ndarray):
        return _decode_array(name, column)
    dtype = column.dtype
    if dtype.is_temporal():
        _refuse_time(name, str(dtype))
    if dtype.is_nested():
        present = np.asarray((~column.is_null()).to_numpy(), dtype=bool)
        _refuse_cell(name, int(present.argmax()), dtype)
    if dtype == nw.Boolean or dtype.is_numeric():
        return _decode_numbers(column)
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        codes, values, order = _codes(column)
        return _categories(name, codes, values, order)
    return _decode_array(name, np.asarray(column.to_numpy()))


def encode(feature: Feature, cells: Cells, *, at_fit: bool = False) -> Array:
    """Turn a decoded column into what `read_columns` returns for a feature."""
    if at_fit:
        check_finite(feature.name, cells)
    known_numbers = feature.is_numeric or (feature.values and not any(isinstance(v, str) for v in feature.values))
    if isinstance(cells, Categories):
        if known_numbers:
            _refuse_text(feature, cells)
        if feature.is_numeric:
            return _floats(cells)
        index = {value: i for i, value in enumerate(feature.values)}
        return np.array([*(index.get(v, UNSEEN) for v in cells.values), MISSING], dtype=np.int32)[cells.codes]
    if feature.is_numeric:
        return np.asarray(cells.values, dtype=np.float64)
    return value_indices(cells.values, feature.values)


def check_finite(name: str, cells: Cells) -> None:
    """Raise if a decoded column holds infinite numbers."""
    if isinstance(cells, Numbers):
        infinite = np.isinf(cells.values)
    else:
        infinite = np.array([*(isinstance(v, float) and math.isinf(v) for v in cells.values), False])[cells.codes]
    if count := int(infinite.sum()):
        what = "1 infinite value (" if count == 1 else f"{count} infinite values (first "
        raise ValueError(f"Column {name!r} has {what}at row {infinite.argmax()}). Replace them or drop the rows.")


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


def _decode_numbers(column: nw.Series[Any]) -> Numbers:
    kind: NumberKind = "float"
    if column.dtype == nw.Boolean or column.dtype.is_integer():
        kind = "bool" if column.dtype == nw.Boolean else "int"
        if not column.null_count():
            return Numbers(np.asarray(column.to_numpy()), kind)
    values = np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64)
    return _numbers(values, kind)


def _numbers(values: Array, kind: NumberKind) -> Numbers:
    """Whole numbers with gaps are integers: pandas makes them floats, other libraries do not."""
    if kind == "float":
        gaps = np.isnan(values)
        if gaps.any() and bool((np.isfinite(values) & (values == np.floor(values)) | gaps).all()):
            kind = "int"
    return Numbers(values, kind)


def _floats(cells: Categories) -> Array:
    return np.array([*(math.nan if isinstance(v, str) else float(v) for v in cells.values), math.nan])[cells.codes]


def _codes(column: nw.Series[Any]) -> tuple[Array, list[Any], Order]:
    """Codes and their values by the fastest way of each library."""
    native: Any = column.to_native()
    if column.implementation.is_pandas_like():
        if column.dtype != nw.String and hasattr(native, "cat"):
            codes, values = native.cat.codes.to_numpy(), native.cat.categories.tolist()
            return codes, values, "ordered" if native.cat.ordered else "none"
        codes, distinct = native.factorize()
        return codes, distinct.tolist(), "none"
    if column.implementation.is_pyarrow() and column.dtype == nw.Categorical:
        whole = native.unify_dictionaries().combine_chunks()
        codes = whole.indices.fill_null(MISSING).to_numpy(zero_copy_only=False)
        return codes, whole.dictionary.to_pylist(), "ordered" if whole.type.ordered else "none"
    declared = isinstance(column.dtype, nw.Enum)
    values = list(column.dtype.categories) if declared else column.drop_nulls().unique().to_list()  # type: ignore[attr-defined]
    if not values:
        return np.full(len(column), MISSING), values, "none"
    codes = column.replace_strict(values, range(len(values)), return_dtype=nw.Int32).fill_null(MISSING).to_numpy()
    return codes, values, "declared" if declared else "none"


def _decode_array(name: str, array: Array) -> Cells:
    kind = array.dtype.kind
    if kind in "bui":
        return Numbers(array, "bool" if kind == "b" else "int")
    if kind == "f":
        return _numbers(array, "float")
    if kind in "mM":
        _refuse_time(name, str(array.dtype))
    # A dictionary is several times faster than sorting text.
    place: dict[Hashable, int] = {}
    try:
        codes = np.fromiter((place.setdefault(cell, len(place)) for cell in array.tolist()), np.int64, len(array))
    except TypeError:
        for row, cell in enumerate(array.tolist()):
            if not isinstance(cell, Hashable):
                _refuse_cell(name, row, cell)
        raise
    cells = _categories(name, codes, list(place), "none")
    if any(isinstance(value, str) for value in cells.values):
        return cells
    kinds = {type(value) for value in cells.values}
    return _numbers(_floats(cells), "bool" if kinds == {bool} else "float" if float in kinds or not kinds else "int")


def _categories(name: str, codes: Array, values: list[Any], order: Order) -> Categories:
    """Plain Python values, each once, without the missing ones."""
    place: dict[Value, int] = {}
    target = np.full(len(values) + 1, MISSING, dtype=np.int32)
    for code, cell in enumerate(values):
        if not is_missing(cell):
            plain = _plain(cell)
            if plain is None:
                _refuse_cell(name, int((codes == code).argmax()), cell)
            target[code] = place.setdefault(plain, len(place))
    return Categories(target[codes], tuple(place), order)


def _plain(cell: Any) -> Value | None:
    """Return a cell as a Python value, None if it is neither text nor a number nor a truth value."""
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, bool | np.bool_):
        return bool(cell)
    if isinstance(cell, numbers.Integral):
        return int(cell)
    if isinstance(cell, numbers.Real | Decimal):
        return float(cell)
    return None


def _refuse_time(name: str, what: str) -> NoReturn:
    raise TypeError(
        f"Column {name!r} holds points or spans of time ({what}), which rules cannot compare. Turn it into numbers, "
        "for example the hour, the weekday or the days since a date, or drop it."
    )


def _refuse_cell(name: str, row: int, cell: Any) -> NoReturn:
    if isinstance(cell, numbers.Complex):
        raise ValueError(f"Complex data not supported: column {name!r} holds {cell!r} in row {row}.")
    what = str(cell) if isinstance(cell, nw.dtypes.DType) else type(cell).__name__
    if isinstance(cell, np.datetime64 | np.timedelta64) or hasattr(cell, "strftime") or hasattr(cell, "total_seconds"):
        _refuse_time(name, what)
    raise TypeError(
        f"Column {name!r} holds a value of type {what} in row {row}, but the argument must be a string or a number "
        "(or a truth value, or missing). Spread it over several columns, turn it into text, or drop the column."
    )


def _refuse_text(feature: Feature, cells: Categories) -> None:
    texts = {code: value for code, value in enumerate(cells.values) if isinstance(value, str)}
    is_text = np.isin(cells.codes, list(texts))
    if not is_text.any():
        return
    strange = np.isin(cells.codes, [code for code, text in texts.items() if not _is_number(text)])
    row = int((strange if strange.any() else is_text).argmax())
    advice = "Correct these cells or leave them empty" if strange.any() else "Cast the column, for example to float"
    raise ValueError(
        f"Column {feature.name!r} holds text in row {row}: {texts[cells.codes[row]]!r}, but it is a {feature.kind} "
        f"feature of numbers. {advice}."
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
