"""Tables into columns of numbers and value indices, whatever library the table comes from.

Only `table[name]` and `numpy.asarray` are asked of a table, so scoring a saved program needs no data frame library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nln.rules.circle import on_circle
from nln.rules.schema import Feature, Schema, Value

MISSING = -1
"""Index of a missing value."""

UNSEEN = -2
"""Index of a value that the feature does not list."""

_EXACT_INTEGERS = 2**53
"""Below this, every integer is a float of its own, so that integers may be compared as floats."""

Column: TypeAlias = NDArray[np.float64] | NDArray[np.int32]
"""Numbers with NaN for missing (continuous, periodic, probability), or indices into the feature's values."""


def read_columns(X: Any, schema: Schema, *, only: Iterable[str] | None = None) -> dict[str, Column]:
    """Read a table's columns as numbers or as indices into the feature's values.

    Parameters
    ----------
    X : table
        A mapping from names to columns, a pandas or polars data frame, a pyarrow table, a list of dict rows, one dict
        of scalars (one row), or a two-dimensional array with the columns in the order of the schema.
    schema : Schema
        The features to read.
    only : iterable of str, optional
        Names of the features to read; all by default.

    Returns
    -------
    dict of str to array
        Continuous features, periodic ones (brought into [0, period)) and probabilities: float64 with NaN for missing.
        The others: int32 with -1 for missing and -2 for a value never seen.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> colour = Feature("colour", "categorical", ("blue", "red"))
    >>> schema = Schema((colour, Feature("x", "continuous")), Target("y", "binary", (0, 1)))
    >>> read_columns({"colour": ["red", None, "green"], "x": [1, 2.5, None]}, schema)
    {'colour': array([ 1, -1, -2], dtype=int32), 'x': array([1. , 2.5, nan])}
    """
    wanted = None if only is None else frozenset(only)
    if wanted is not None and not wanted <= frozenset(schema.names):
        unknown = sorted(wanted - frozenset(schema.names))
        raise ValueError(f"The schema has no features {', '.join(map(repr, unknown))}.")
    features = [feature for feature in schema.features if wanted is None or feature.name in wanted]
    raw = _raw_columns(X, schema, [feature.name for feature in features])
    lengths = {name: len(column) for name, column in raw.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"The columns differ in length: {', '.join(f'{n!r} {k}' for n, k in lengths.items())}.")
    return {feature.name: read_column(raw[feature.name], feature) for feature in features}


def read_column(column: Any, feature: Feature) -> Column:
    """Read one column as `read_columns` does.

    Examples
    --------
    >>> from nln.rules import Feature
    >>> read_column([3, None], Feature("x", "continuous"))
    array([ 3., nan])
    """
    if feature.is_numeric:
        return as_numbers(_numbers(_as_array(column, feature.name), feature), feature)
    if str(getattr(column, "dtype", "")) == "category":
        return _coded_indices(column, feature.values)
    return value_indices(_as_array(column, feature.name), feature.values)


def as_numbers(numbers: NDArray[np.float64], feature: Feature) -> NDArray[np.float64]:
    """Bring the numbers of a periodic feature into its period, and check those of a probability.

    Examples
    --------
    >>> from nln.rules import Feature
    >>> as_numbers(np.array([25.0, -1.0]), Feature("hour", "periodic", period=24))
    array([ 1., 23.])
    """
    if feature.kind == "periodic" and feature.period is not None:
        return on_circle(numbers, feature.period)
    if feature.kind == "probability":
        _check_probabilities(numbers, feature.name)
    return numbers


def _check_probabilities(numbers: NDArray[np.float64], name: str) -> None:
    outside = (numbers < 0) | (numbers > 1)
    if count := int(np.count_nonzero(outside)):
        row = int(outside.argmax())
        what = "1 value" if count == 1 else f"{count} values"
        raise ValueError(
            f"Column {name!r} is a probability, but has {what} outside [0, 1] (first {numbers[row]} at row {row}). "
            "Give numbers from 0 to 1, for example percentages divided by 100, or None for a missing value."
        )


def count_rows(X: Any, schema: Schema) -> int:
    """Count the rows of a table in any form that `read_columns` takes.

    Examples
    --------
    >>> from nln.rules import Schema, Target
    >>> count_rows([{"a": 1}, {"a": 2}], Schema((), Target("y", "binary", (0, 1))))
    2
    """
    if isinstance(X, Mapping):
        known = [name for name in schema.names if name in X] or list(X)
        return len(_raw_columns(X, schema, known[:1])[known[0]]) if known else 1
    return len(X)


def value_indices(column: Any, values: Sequence[Value]) -> NDArray[np.int32]:
    """Find each entry of a column among known values: its index, -1 for missing, -2 for unseen.

    Parameters
    ----------
    column : array-like of shape (rows,)
        Values as the user wrote them.
    values : sequence
        The known values.

    Examples
    --------
    >>> value_indices(["b", None, "z"], ("a", "b"))
    array([ 1, -1, -2], dtype=int32)
    """
    array = _as_array(column, "values")
    if array.dtype.kind in "biuf" and all(isinstance(v, str) or abs(v) < _EXACT_INTEGERS for v in values):
        return _numeric_indices(array.astype(np.float64), values)
    index = _Index({value: i for i, value in enumerate(values)})
    index[None] = MISSING
    entries = array.tolist()
    try:
        codes = np.fromiter(map(index.__getitem__, entries), np.int32, len(entries))
    except TypeError:  # an unhashable entry, such as a list, equals no known value
        codes = np.array([index[e] if _is_hashable(e) else index.__missing__(e) for e in entries], np.int32)
    return codes


def is_missing(value: object) -> bool:
    """Tell whether a value is None, NaN, or the missing mark of a data frame library.

    Examples
    --------
    >>> is_missing(float("nan")), is_missing(None), is_missing("")
    (True, True, False)
    """
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - only NaN, NaT and their like differ from themselves
    except TypeError:  # pandas.NA: neither equal nor unequal to itself
        return True
    except ValueError:  # an array in a cell
        return False


class _Index(dict[object, int]):
    """Indices of values; `map` over its look-up is twice as fast as a loop over `get` with a default."""

    def __missing__(self, value: object) -> int:
        return MISSING if is_missing(value) else UNSEEN


def _coded_indices(column: Any, values: Sequence[Value]) -> NDArray[np.int32]:
    """Look up the categories of a pandas column instead of its rows, which are many; the code of missing is -1."""
    categorical = getattr(column, "array", column)  # a series has its categorical inside
    known = value_indices(categorical.categories, values)
    indices: NDArray[np.int32] = np.append(known, np.int32(MISSING))[categorical.codes]
    return indices


def _numeric_indices(numbers: NDArray[np.float64], values: Sequence[Value]) -> NDArray[np.int32]:
    known = sorted((float(value), i) for i, value in enumerate(values) if not isinstance(value, str))
    codes = np.full(len(numbers), UNSEEN, np.int32)
    if known:
        keys = np.array([number for number, _ in known])
        order = np.array([i for _, i in known], np.int32)
        place = np.minimum(np.searchsorted(keys, numbers), len(keys) - 1)
        np.copyto(codes, order[place], where=keys[place] == numbers)
    codes[np.isnan(numbers)] = MISSING
    return codes


def _numbers(array: NDArray[Any], feature: Feature) -> NDArray[np.float64]:
    if array.dtype.kind in "biuf":
        return np.ascontiguousarray(array, np.float64)
    entries = list(array) if array.dtype.kind in "mM" else array.tolist()
    if {type(entry) for entry in entries} <= {float, int, bool, type(None)}:
        with suppress(OverflowError):  # an integer beyond all floats: found below
            return np.array(entries, np.float64)  # NumPy reads None as NaN
    numbers = np.full(len(entries), np.nan)
    for row, entry in enumerate(entries):
        if not is_missing(entry):
            numbers[row] = _number(entry, feature, row)
    return numbers


def _number(entry: Any, feature: Feature, row: int) -> float:
    """Convert decimals, fractions and their like, but never text: '1,5' and '1.5' must not differ in kind."""
    try:
        if isinstance(entry, str | bytes | np.datetime64 | np.timedelta64):
            raise TypeError
        return float(entry)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"Column {feature.name!r} is {'a ' * (feature.kind == 'probability')}{feature.kind}, but row {row} holds "
            f"{entry!r}. Give numbers, or None for a missing value."
        ) from None


def _as_array(column: Any, name: str) -> NDArray[Any]:
    array: NDArray[Any]
    if str(getattr(column, "type", "")).startswith("dictionary"):
        column = column.to_pylist()  # as an array, pyarrow gives missing entries the last value of the dictionary
    if isinstance(column, np.ma.MaskedArray):
        array = np.array(column.data, dtype=object)
        array[np.ma.getmaskarray(column)] = None
    elif isinstance(column, list | tuple):
        # As objects, [1, None, "a"] keeps its types, where NumPy would turn them all into text.
        array = np.fromiter(column, object, len(column))
    else:
        array = np.asarray(column)
    if array.ndim != 1:
        raise ValueError(f"Column {name!r} has shape {array.shape}; a column has one dimension and occurs once.")
    return array


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _raw_columns(X: Any, schema: Schema, names: Sequence[str]) -> dict[str, Any]:
    if isinstance(X, Mapping):
        return _from_mapping(X, names)
    if isinstance(X, list | tuple) and all(isinstance(row, Mapping) for row in X):
        return _from_rows(X, names)
    if isinstance(X, np.ndarray | list | tuple) and getattr(X, "dtype", np.dtype(object)).names is None:
        return _from_array(X, schema, names)
    known = _column_names(X)
    _check_present(names, known)
    return {name: X[known[name]] for name in names}


def _from_mapping(X: Mapping[Any, Any], names: Sequence[str]) -> dict[str, Any]:
    _check_present(names, X)
    scalars = [name for name in names if _is_scalar(X[name])]
    if scalars and len(scalars) < len(names):
        raise ValueError(f"A table has columns only or scalars only, but {scalars[0]!r} is {X[scalars[0]]!r}.")
    return {name: [X[name]] if scalars else X[name] for name in names}


def _from_rows(X: Sequence[Mapping[Any, Any]], names: Sequence[str]) -> dict[str, Any]:
    if X:
        _check_present(names, {key for row in X for key in row})
    return {name: [row.get(name) for row in X] for name in names}


def _from_array(X: Any, schema: Schema, names: Sequence[str]) -> dict[str, Any]:
    array = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    if array.ndim != 2 or array.shape[1] != len(schema.features):
        raise ValueError(
            f"An array must have shape (rows, {len(schema.features)}), one column per feature of the schema, "
            f"not {array.shape}."
        )
    places = {name: place for place, name in enumerate(schema.names)}
    return {name: array[:, places[name]] for name in names}


def _column_names(X: Any) -> dict[str, Any]:
    """Map names to keys of a frame: pyarrow says `column_names`, pandas and polars `columns`, NumPy `dtype.names`."""
    sources: tuple[Callable[[], Any], ...] = (
        lambda: X.column_names,
        lambda: X.columns,
        lambda: X.dtype.names,
    )
    for source in sources:
        try:
            return {str(key): key for key in source()}
        except (AttributeError, TypeError):
            continue
    raise TypeError(f"A table is a data frame, a mapping, a list of dicts or an array, not {type(X).__name__}.")


def _check_present(names: Sequence[str], known: Iterable[Any]) -> None:
    present = set(known)
    absent = [name for name in names if name not in present]
    if absent:
        raise ValueError(f"The table lacks columns that are needed: {', '.join(map(repr, absent))}.")


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | bytes) or not hasattr(value, "__len__")
