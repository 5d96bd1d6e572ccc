"""Cells: a column of any library becomes numbers or categories, and these become what a feature makes of them.

This is the only place that says what a cell means. Learning, predicting, explaining, composing and table files all go
through `decode` and `encode`, so that they cannot disagree. It needs NumPy only: columns of pandas, polars and pyarrow
are recognized by their types, and text arrives as codes of its distinct values wherever a library gives them.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nln.rules.circle import on_circle
from nln.rules.schema import Feature, Value

MISSING = -1
"""Index of a missing value."""

UNSEEN = -2
"""Index of a value that the feature does not list."""

EXACT_INTEGERS = 2**53
"""Below this, every integer is a float of its own, so that integers may be compared as floats."""

Array: TypeAlias = NDArray[Any]
Order: TypeAlias = Literal["none", "declared", "ordered"]
NumberKind: TypeAlias = Literal["bool", "int", "float"]

Column: TypeAlias = NDArray[np.float64] | NDArray[np.int32]
"""Numbers with NaN for missing (continuous, periodic, probability), or indices into the feature's values."""


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A column of numbers or truth values."""

    values: Array  # of a type that holds all of them exactly: Python numbers where NumPy has none
    missing: NDArray[np.bool_]
    kind: NumberKind  # whole numbers with gaps are "int", though pandas makes them floats

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: Array) -> Numbers:
        """Keep the rows of a mask or an array of row numbers."""
        return Numbers(self.values[rows], self.missing[rows], self.kind)

    def cell(self, row: int) -> Value | None:
        """Return one cell as a plain value, None if it is missing."""
        return None if self.missing[row] else plain_value(self.values[row])


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """A column of codes into `values`, -1 for missing; `order` says whether the column's type orders its values."""

    codes: Array
    values: tuple[Value, ...]
    order: Order = "none"

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows are missing."""
        return np.asarray(self.codes < 0)

    def take(self, rows: Array) -> Categories:
        """Keep the rows of a mask or an array of row numbers."""
        return Categories(self.codes[rows], self.values, self.order)

    def cell(self, row: int) -> Value | None:
        """Return one cell as a plain value, None if it is missing."""
        return None if self.codes[row] < 0 else self.values[self.codes[row]]


Cells: TypeAlias = Numbers | Categories


def decode(name: str, column: Any) -> Cells:
    """Decode a column of any library; `name` is for messages."""
    if isinstance(column, Numbers | Categories):
        return column
    if hasattr(column, "to_native"):  # narwhals
        column = column.to_native()
    library = type(column).__module__.partition(".")[0]
    if library == "polars":
        return _decode_polars(name, column)
    if library == "pyarrow":
        return _decode_arrow(name, column)
    if isinstance(column, list | tuple):
        return _decode_objects(name, list(column))
    if not isinstance(getattr(column, "dtype", None), np.dtype | None):
        return _decode_pandas(name, column)
    return _decode_array(name, column)


def encode(feature: Feature, cells: Cells) -> Column:
    """Turn a decoded column into the numbers of a feature, or into indices of its values."""
    if isinstance(cells, Categories) and holds_numbers(feature):
        _refuse_text(feature, cells)
    if not feature.is_numeric:
        return find_values(cells, feature.values)
    numbers = _floats(feature, cells)
    if feature.kind == "periodic" and feature.period is not None:
        return on_circle(numbers, feature.period)
    if feature.kind == "probability":
        _check_probabilities(numbers, feature.name)
    return numbers


def find_values(cells: Cells, values: Sequence[Value]) -> NDArray[np.int32]:
    """Find each cell among known values: its index, -1 for missing, -2 for a value not listed.

    Values match as in Python: 1, 1.0 and True are the same, whole numbers keep every digit, and text is never a number.
    """
    known = [value for value in values if not isinstance(value, str)]
    if isinstance(cells, Numbers):
        if cells.values.dtype != object and all(abs(value) < EXACT_INTEGERS for value in known):
            return _find_numbers(cells, values)
        distinct, codes = np.unique(cells.values, return_inverse=True)
        cells = Categories(np.where(cells.missing, MISSING, codes), tuple(distinct.tolist()))
    index = {value: i for i, value in enumerate(values)}
    return np.array([*(index.get(value, UNSEEN) for value in cells.values), MISSING], np.int32)[cells.codes]


def value_indices(column: Any, values: Sequence[Value], name: str = "y") -> NDArray[np.int32]:
    """Find each entry of a column of any library among known values; see `find_values`."""
    return find_values(decode(name, column), values)


def holds_numbers(feature: Feature) -> bool:
    """Tell whether a feature has numbers only: a number line, or values of which none is text."""
    return feature.is_numeric or (bool(feature.values) and not any(isinstance(v, str) for v in feature.values))


def check_finite(name: str, cells: Cells) -> None:
    """Raise if a decoded column holds infinite numbers."""
    if isinstance(cells, Categories):
        infinite = np.array([*(isinstance(v, float) and math.isinf(v) for v in cells.values), False])[cells.codes]
    elif cells.values.dtype == object:
        infinite = np.array([isinstance(v, float) and math.isinf(v) for v in cells.values], np.bool_)
    else:
        infinite = np.isinf(cells.values)
    if count := int(infinite.sum()):
        what = "1 infinite value (" if count == 1 else f"{count} infinite values (first "
        raise ValueError(f"Column {name!r} has {what}at row {infinite.argmax()}). Replace them or drop the rows.")


def is_missing(value: object) -> bool:
    """Tell whether a value is None, NaN, or the missing mark of a data frame library."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - only NaN, NaT and their like differ from themselves
    except TypeError:  # pandas.NA: neither equal nor unequal to itself
        return True
    except (ValueError, ArithmeticError):  # an array in a cell, a decimal that signals
        return False


def plain_value(cell: Any) -> Value | None:
    """Return a cell as a Python value, None if it is neither text nor a number nor a truth value."""
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, bool | np.bool_):
        return bool(cell)
    if isinstance(cell, numbers.Integral):
        return int(cell)
    if isinstance(cell, float | np.floating):
        return float(cell)
    if isinstance(cell, numbers.Real | Decimal):
        return _plain_number(cell)
    return None


def cell_error(feature: Feature, row: int, cell: Value, advice: str) -> ValueError:
    """Say that a cell is not one of the numbers that the feature has."""
    article = "a " * (feature.kind == "probability")
    values = "" if feature.is_numeric else " and its values are numbers"
    return ValueError(
        f"Column {feature.name!r} is {article}{feature.kind}{values}, but row {row} holds {cell!r}. {advice}"
    )


def _plain_number(cell: Any) -> Value:
    """Return a decimal or a fraction as the nearest float, or as an integer where floats are too coarse."""
    try:
        number = float(cell)
    except OverflowError:
        number = math.inf
    if abs(number) >= EXACT_INTEGERS and cell == cell // 1:
        return int(cell)
    return number


def _decode_pandas(name: str, column: Any) -> Cells:
    """Decode a series, index or array of pandas whose type NumPy does not have."""
    dtype = column.dtype
    if str(dtype) == "category":
        coded = getattr(column, "cat", column)
        order: Order = "ordered" if coded.ordered else "none"
        return _categories(name, np.asarray(coded.codes), coded.categories.tolist(), order)
    if hasattr(dtype, "pyarrow_dtype"):
        return _decode_arrow(name, getattr(column, "array", column).__arrow_array__())
    if type(dtype).__name__ == "StringDtype":
        codes, distinct = column.factorize()
        return _categories(name, codes, np.asarray(distinct, dtype=object).tolist())
    if getattr(dtype, "kind", "O") in "biuf" and hasattr(dtype, "numpy_dtype"):
        values = np.asarray(column.to_numpy(dtype=dtype.numpy_dtype, na_value=0))
        return _numbers(values, np.asarray(column.isna(), dtype=np.bool_))
    return _decode_array(name, column)


def _decode_polars(name: str, column: Any) -> Cells:
    dtype, kind = column.dtype, str(column.dtype)
    if dtype.is_temporal():
        _refuse_time(name, kind)
    if dtype.is_nested():
        _refuse_cell(name, int((~column.is_null()).to_numpy().argmax()), kind)
    if kind == "Boolean" or (dtype.is_integer() and "128" not in kind):
        values = column.fill_null(value=False if kind == "Boolean" else 0).to_numpy()
        return _numbers(values, column.is_null().to_numpy())
    if dtype.is_float():
        return _numbers(column.to_numpy())
    if kind.partition("(")[0] in ("String", "Categorical", "Enum"):
        is_enum = kind.startswith("Enum")
        distinct = list(dtype.categories) if is_enum else column.drop_nulls().unique().to_list()
        if not distinct:
            return Categories(np.full(len(column), MISSING, np.int32), ())
        codes = column.cast(str).replace_strict(distinct, range(len(distinct))).fill_null(MISSING).to_numpy()
        return _categories(name, codes, distinct, "declared" if is_enum else "none")
    return _decode_objects(name, column.to_list())


def _decode_arrow(name: str, column: Any) -> Cells:
    kind = str(column.type)
    if kind.startswith(("timestamp", "date", "time", "duration", "month_day")):
        _refuse_time(name, kind)
    if kind.startswith(("list", "large_list", "fixed_size_list", "struct", "map", "union", "sparse_union")):
        _refuse_cell(name, int(np.asarray(column.is_valid()).argmax()), kind)
    if kind == "bool" or kind.startswith(("int", "uint")):
        return _numbers(
            np.asarray(column.fill_null(False if kind == "bool" else 0)), np.asarray(column.is_null(), dtype=np.bool_)
        )
    if kind in ("halffloat", "float", "double"):
        return _numbers(np.asarray(column))
    if kind.startswith(("dictionary", "string", "large_string", "decimal")):
        if kind.startswith("string_view"):
            column = column.cast("large_string")
        coded = column if kind.startswith("dictionary") else column.dictionary_encode()
        coded = coded.unify_dictionaries().combine_chunks() if hasattr(coded, "combine_chunks") else coded
        codes = np.asarray(coded.indices.cast("int64").fill_null(MISSING))
        values = coded.dictionary.to_pylist()
        order: Order = "ordered" if coded.type.ordered else "none"
        found = _categories(name, codes, values, order)
        return _without_text(found) if kind.startswith("decimal") else found
    return _decode_objects(name, column.to_pylist())


def _decode_array(name: str, column: Any) -> Cells:
    if isinstance(column, np.ma.MaskedArray):
        array = np.array(column.data, dtype=object)
        array[np.ma.getmaskarray(column)] = None
    else:
        array = np.asarray(column)
    if array.ndim != 1:
        raise ValueError(f"Column {name!r} has shape {array.shape}; a column has one dimension and occurs once.")
    if array.dtype.kind in "buif":
        return _numbers(array)
    if array.dtype.kind in "mM":
        _refuse_time(name, str(array.dtype))
    return _decode_objects(name, array.tolist())


def _decode_objects(name: str, entries: list[Any]) -> Cells:
    """Decode Python objects; numbers of one type need no dictionary, which for text is faster than sorting."""
    types = set(map(type, entries))
    if types <= {float, type(None)}:
        return _numbers(np.array(entries, np.float64))  # NumPy reads None as NaN
    if types == {bool}:
        return _numbers(np.array(entries, np.bool_))
    place: dict[Hashable, int] = {}
    try:
        codes = np.fromiter((place.setdefault(cell, len(place)) for cell in entries), np.int64, len(entries))
    except TypeError:
        for row, cell in enumerate(entries):
            if not _is_hashable(cell):
                _refuse_cell(name, row, cell)
        raise
    return _without_text(_categories(name, codes, list(place)))


def _is_hashable(cell: object) -> bool:
    try:
        hash(cell)
    except TypeError:
        return False
    return True


def _numbers(values: Array, missing: NDArray[np.bool_] | None = None) -> Numbers:
    if values.dtype.kind != "f":
        gaps = np.zeros(len(values), np.bool_) if missing is None else missing
        return Numbers(values, gaps, "bool" if values.dtype.kind == "b" else "int")
    if missing is not None and missing.any():
        values = np.where(missing, np.nan, values)
    gaps = np.isnan(values)
    is_whole = gaps.any() and bool((np.isfinite(values) & (values == np.floor(values)) | gaps).all())
    return Numbers(values, gaps, "int" if is_whole else "float")


def _categories(name: str, codes: Array, cells: list[Any], order: Order = "none") -> Categories:
    """Plain Python values, each once, without the missing ones."""
    place: dict[Value, int] = {}
    target = np.full(len(cells) + 1, MISSING, np.int32)
    for code, cell in enumerate(cells):
        if not is_missing(cell):
            plain = plain_value(cell)
            if plain is not None:
                target[code] = place.setdefault(plain, len(place))
            elif (rows := codes == code).any():
                _refuse_cell(name, int(rows.argmax()), cell)
    return Categories(target[codes], tuple(place), order)


def _without_text(cells: Categories) -> Cells:
    """Turn categories into numbers if none of them is text."""
    plain = [value for value in cells.values if not isinstance(value, str)]
    if len(plain) < len(cells.values):
        return cells
    types = set(map(type, plain))
    if not types or (float in types and all(abs(v) < EXACT_INTEGERS for v in plain if isinstance(v, int))):
        return _numbers(np.array([*plain, math.nan], np.float64)[cells.codes])
    if types == {bool}:
        return _numbers(np.array([*plain, False])[cells.codes], cells.missing)
    values = np.array([*plain, 0], dtype=object)
    if float not in types and all(-(2**63) <= value < 2**63 for value in plain):
        values = values.astype(np.int64)
    return Numbers(values[cells.codes], cells.missing, "float" if float in types else "int")


def _find_numbers(cells: Numbers, values: Sequence[Value]) -> NDArray[np.int32]:
    numbers = cells.values.astype(np.float64)
    known = sorted((float(value), i) for i, value in enumerate(values) if not isinstance(value, str))
    indices = np.full(len(numbers), UNSEEN, np.int32)
    if known:
        keys = np.array([number for number, _ in known])
        order = np.array([i for _, i in known], np.int32)
        place = np.minimum(np.searchsorted(keys, numbers), len(keys) - 1)
        np.copyto(indices, order[place], where=keys[place] == numbers)
    indices[cells.missing] = MISSING
    return indices


def _floats(feature: Feature, cells: Cells) -> NDArray[np.float64]:
    if isinstance(cells, Numbers) and cells.values.dtype != object:
        floats = np.ascontiguousarray(cells.values, np.float64)
        return (
            np.where(cells.missing, np.nan, floats)
            if cells.values.dtype.kind != "f" and cells.missing.any()
            else floats
        )
    values: Any = cells.values if isinstance(cells, Numbers) else (*cells.values, 0)
    floats = np.array([_float(value) for value in values])
    floats = floats if isinstance(cells, Numbers) else floats[cells.codes]
    if (np.isinf(floats) & ~cells.missing).any():
        for row in np.flatnonzero(np.isinf(floats)).tolist():
            cell = cells.cell(row)
            if isinstance(cell, int):
                raise cell_error(feature, row, cell, "Give numbers that a float can hold.")
    return np.where(cells.missing, np.nan, floats)


def _float(value: Value) -> float:
    """Make a float; infinity of an integer beyond all floats, NaN of text, which no row has."""
    if isinstance(value, str):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _check_probabilities(numbers: NDArray[np.float64], name: str) -> None:
    outside = (numbers < 0) | (numbers > 1)
    if count := int(np.count_nonzero(outside)):
        row = int(outside.argmax())
        what = "1 value" if count == 1 else f"{count} values"
        raise ValueError(
            f"Column {name!r} is a probability, but has {what} outside [0, 1] (first {numbers[row]} at row {row}). "
            "Give numbers from 0 to 1, for example percentages divided by 100, or None for a missing value."
        )


def _refuse_time(name: str, what: str) -> NoReturn:
    raise TypeError(
        f"Column {name!r} holds points or spans of time ({what}), which rules cannot compare. Turn it into numbers, "
        "for example the hour, the weekday or the days since a date, or drop it."
    )


def _refuse_cell(name: str, row: int, cell: Any) -> NoReturn:
    """Refuse a cell that is neither text nor a number; of nested columns `cell` is the name of their type."""
    if isinstance(cell, numbers.Complex):
        raise ValueError(f"Complex data not supported: column {name!r} holds {cell!r} in row {row}.")
    what = cell if isinstance(cell, str) else type(cell).__name__
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
    advice = "Correct these cells or leave them empty." if strange.any() else "Cast the column, for example to float."
    raise cell_error(feature, row, texts[cells.codes[row]], advice)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
