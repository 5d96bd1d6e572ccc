"""One column of any library, decoded into numbers or categories, and encoded for a feature.

A column decodes into `Numbers` or `Categories`, and everything above works on those two.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NoReturn, TypeAlias

import narwhals as nw
import numpy as np

from nln.rules.columns import MISSING, UNSEEN, as_numbers, is_missing, value_indices
from nln.rules.schema import Feature, Value

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
            return as_numbers(_floats(cells), feature)
        index = {value: i for i, value in enumerate(feature.values)}
        return np.array([*(index.get(v, UNSEEN) for v in cells.values), MISSING], dtype=np.int32)[cells.codes]
    if feature.is_numeric:
        return as_numbers(np.asarray(cells.values, dtype=np.float64), feature)
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
