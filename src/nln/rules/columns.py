"""The reader of a user's table: finds the columns that a program asks about, whatever library the table comes from.

Columns are found by name, or by position where the table or the model has no names. A column that is asked about must
be there; any other may be absent. `nln.rules.cells` says what the cells of a column mean.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import EXACT_INTEGERS, Column, encode, find_values
from nln.rules.decoding import decode
from nln.rules.derived.kinds import with_derived
from nln.rules.schema import Feature, Schema, Value
from nln.rules.validate import listed


class Inputs(NamedTuple):
    """What a program sees of a table."""

    columns: dict[str, Column]
    n_rows: int


def read_columns(X: Any, schema: Schema, *, only: Iterable[str] | None = None) -> dict[str, Column]:
    """Read a table's columns as numbers or as indices into the feature's values.

    Parameters
    ----------
    X : table
        A mapping from names to columns, a pandas or polars data frame, a pyarrow table, a structured array, a list of
        dict rows, one row (a dict of scalars or a series), or a two-dimensional array with the columns in the order of
        the schema.
    schema : Schema
        The features to read.
    only : iterable of str, default=None
        Names of the features to read; all by default. Other columns may be absent.

    Returns
    -------
    dict of str to array
        Continuous features, periodic ones (brought into [0, period)) and probabilities: float64 with NaN for missing.
        The others: int32 with -1 for missing and -2 for a value never seen. Values match as in Python: 1, 1.0 and True
        are the same, and text never matches a number. Beside features that are calculated stand those they are
        calculated from.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> colour = Feature("colour", "categorical", ("blue", "red"))
    >>> schema = Schema((colour, Feature("x", "continuous")), Target("y", "binary", (0, 1)))
    >>> read_columns({"colour": ["red", None, "green"], "x": [1, 2.5, None]}, schema)
    {'colour': array([ 1, -1, -2], dtype=int32), 'x': array([1. , 2.5, nan])}
    """
    return read_inputs(X, schema, only=only).columns


def read_inputs(
    X: Any,
    schema: Schema,
    *,
    only: Iterable[str] | None = None,
    if_present: Iterable[str] = (),
    names: Sequence[str] | None = None,
    named: bool | None = None,
    model: str = "the program",
) -> Inputs:
    """Read the columns of `only` (all by default), and those of `if_present` that the table has; count the rows.

    A fitted model says by `names` and `named` which columns it saw and whether these were the table's own names. If
    they were not, or if the new table has none, columns match by position.
    """
    wanted = set(schema.names if only is None else only)
    optional = set(if_present) - wanted
    unknown = sorted((wanted | optional) - set(schema.names))
    if unknown:
        raise ValueError(f"The schema has no features {', '.join(map(repr, unknown))}.")
    derived = [name for name in schema.names if name in wanted | optional and schema[name].derived is not None]
    asked, perhaps = schema.plain(wanted), schema.plain(optional)
    computed = wanted.intersection(derived)
    wanted, optional = {feature.name for feature in asked}, {feature.name for feature in perhaps}
    table = _open(X, [name for feature in asked for name in dict.fromkeys((*feature.columns, feature.name))])
    needed = list(dict.fromkeys(name for feature in asked for name in sources(feature, table.keys)))
    keys = _match(table, needed, names, schema, named, model)
    columns = {}
    for feature in schema.features:
        if feature.name in wanted or (feature.name in optional and set(sources(feature, table.keys)) <= set(keys)):
            columns[feature.name] = _read(feature, table, keys)
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"The columns differ in length: {', '.join(f'{n!r} {k}' for n, k in lengths.items())}.")
    present = (name for name in derived if name in computed or {f.name for f in schema.plain([name])} <= set(columns))
    columns = with_derived(columns, schema, present)
    return Inputs(columns, next(iter(lengths.values())) if lengths else table.n_rows())


def sources(feature: Feature, given: Collection[Any]) -> tuple[str, ...]:
    """Name the columns that a feature is read from: that of its own name, if it is given, else those of its dates.

    A feature that is calculated from others has none.
    """
    if feature.derived is not None:
        return ()
    return (feature.name,) if feature.name in given else feature.columns


def _read(feature: Feature, table: _Table, keys: Mapping[str, Any]) -> Column:
    if feature.name in keys:  # values of the feature itself, also if it is usually read from dates
        own = feature if feature.columns == (feature.name,) else replace(feature, reading=None)
        return encode(own, decode(feature.name, table.column(keys[feature.name])))
    return encode(feature, *(decode(name, table.column(keys[name])) for name in feature.columns))


def read_truth(y: Any, schema: Schema, rows: int) -> NDArray[np.bool_]:
    """Turn the true classes, or 0 and 1 for each label of a multi-label target, into a (rows, outputs) mask."""
    target = schema.target
    if target.kind == "multilabel":
        matrix = np.asarray(y)
        if matrix.shape != (rows, len(target.labels)):
            raise ValueError(
                f"y must have shape {(rows, len(target.labels))}, a column for each label, not {matrix.shape}."
            )
        return matrix.astype(np.bool_)
    codes = find_values(decode("y", y), target.labels)
    if len(codes) != rows:
        raise ValueError(f"y has {len(codes)} entries, but the table has {rows} rows.")
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise ValueError(f"y holds {list(y)[row]!r} at row {row}; known labels: {listed(target.labels)}.")
    places = np.array([target.labels.index(label) for label in target.outputs])
    truth: NDArray[np.bool_] = codes[:, None] == places
    return truth


def label_array(labels: tuple[Value, ...]) -> NDArray[Any]:
    """Make an array of labels; as objects where NumPy's common type would change one of them (`1` beside `"a"`)."""
    array = np.array(labels)
    return array if tuple(array.tolist()) == labels else np.array(labels, dtype=object)


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


class _Table(NamedTuple):
    """A table of any library, still unread."""

    keys: tuple[Any, ...]  # of the columns: numbers if the table has no names
    column: Callable[[Any], Any]
    n_rows: Callable[[], int]
    form: str  # "records" (always by name), "frame" or "matrix"


def _open(X: Any, needed: Sequence[str]) -> _Table:
    row = as_row(X, needed)
    if row is not None:
        if needed and not isinstance(X, Mapping) and not any(name in row for name in needed):
            as_matrix(X)  # a single column: refused as any other input of one dimension
        return _Table(tuple(row), lambda key: [row[key]], lambda: 1, "records")
    if isinstance(X, Mapping):
        scalars = [name for name in needed if name in X and _is_scalar(X[name])]
        if scalars:
            raise ValueError(f"A table has columns only or scalars only, but {scalars[0]!r} is {X[scalars[0]]!r}.")
        columns = [column for column in X.values() if not _is_scalar(column)]
        return _Table(tuple(X), X.__getitem__, lambda: len(columns[0]), "records")
    if isinstance(X, list | tuple) and all(isinstance(row, Mapping) for row in X):
        keys = tuple(dict.fromkeys(key for row in X for key in row)) if X else tuple(needed)
        return _Table(keys, lambda key: [row.get(key) for row in X], lambda: len(X), "records")
    if hasattr(X, "collect"):
        raise TypeError("X is a lazy frame: its rows are not there yet. Use X.collect() to read them.")
    frame_keys = _frame_keys(X)
    if frame_keys is not None:
        return _Table(frame_keys, X.__getitem__, lambda: len(X), "frame")
    matrix = as_matrix(X)
    return _Table(tuple(range(matrix.shape[1])), lambda place: matrix[:, place], lambda: len(matrix), "matrix")


def _frame_keys(X: Any) -> tuple[Any, ...] | None:
    """Keys of a frame's columns: pyarrow says `column_names`, pandas and polars `columns`, NumPy `dtype.names`."""
    if isinstance(X, np.ndarray):
        return None if X.dtype.names is None else tuple(X.dtype.names)
    keys = getattr(X, "column_names", getattr(X, "columns", None))
    return None if keys is None else tuple(keys)


def _match(
    table: _Table, needed: Sequence[str], names: Sequence[str] | None, schema: Schema, named: bool | None, model: str
) -> dict[str, Any]:
    """Map the names of features to the keys of the table's columns."""
    texts = [key for key in table.keys if isinstance(key, str)]
    has_names = table.form != "matrix" and bool(texts)
    if table.form == "records" or (has_names and named is not False):
        _check_present(needed, table.keys, names)
        counts = Counter(texts)
        for name in needed:
            if counts[name] > 1:
                raise ValueError(f"Column names must differ, but {name!r} occurs {counts[name]} times. Rename one.")
        return {name: name for name in texts}
    if table.form == "frame" and named is None and set(needed) <= set(map(str, table.keys)):
        return {str(key): key for key in table.keys}
    seen = schema.columns if names is None else names
    if len(table.keys) != len(seen):
        raise ValueError(f"X has {len(table.keys)} features, but {model} is expecting {len(seen)} features as input.")
    if named is not None and named != has_names:
        had, has = ("with", "does not have valid") if named else ("without", "has")
        warnings.warn(
            f"X {has} feature names, but {model} was fitted {had} feature names: columns are matched by position.",
            UserWarning,
            stacklevel=5,
        )
    return dict(zip(seen, table.keys, strict=True))


def _check_present(needed: Sequence[str], given: Sequence[Any], seen: Sequence[str] | None) -> None:
    present = set(given)
    absent = [name for name in needed if name not in present]
    if not absent:
        return
    if seen is None:
        raise ValueError(f"The table lacks columns that are needed: {', '.join(map(repr, absent))}.")
    lines = ["The feature names should match those that were passed during fit."]  # as scikit-learn says it
    if further := sorted(map(str, present - set(seen))):
        lines += ["Feature names unseen at fit time:", *(f"- {name}" for name in further)]
    lines += ["Feature names seen at fit time, yet now missing:", *(f"- {name}" for name in sorted(absent))]
    raise ValueError("\n".join([*lines, ""]))


def _is_exact(array: NDArray[Any]) -> bool:
    """Tell whether NumPy kept the cells of a list as they were: it makes text of mixed rows and floats of integers."""
    return array.dtype.kind == "f" and not bool((np.abs(array) >= EXACT_INTEGERS).any())


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | bytes) or not hasattr(value, "__len__")
