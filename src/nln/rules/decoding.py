"""Columns of any library, decoded into numbers or categories.

It needs NumPy only: columns of pandas, polars and pyarrow are recognized by their types. Text arrives as codes of its
distinct values wherever a library gives them.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable
from datetime import date, datetime
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import EXACT_INTEGERS, MISSING, Array, Categories, Cells, Numbers, Order, plain_value
from nln.rules.schema import Value


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


def _decode_pandas(name: str, column: Any) -> Cells:
    """Decode a series, index or array of pandas whose type NumPy does not have."""
    dtype = column.dtype
    if str(dtype) == "category":
        coded = getattr(column, "cat", column)
        order: Order = "ordered" if coded.ordered else "category"
        return _categories(name, np.asarray(coded.codes), coded.categories.tolist(), order)
    if hasattr(dtype, "pyarrow_dtype"):
        return _decode_arrow(name, getattr(column, "array", column).__arrow_array__())
    if type(dtype).__name__ == "StringDtype":
        codes, distinct = column.factorize()
        return _categories(name, codes, np.asarray(distinct, dtype=object).tolist())
    if getattr(dtype, "tz", None) is not None:
        local = getattr(column, "dt", column).tz_localize(None)
        return _decode_array(name, local)
    if getattr(dtype, "kind", "O") in "biuf" and hasattr(dtype, "numpy_dtype"):
        values = np.asarray(column.to_numpy(dtype=dtype.numpy_dtype, na_value=0))
        return _numbers(values, np.asarray(column.isna(), dtype=np.bool_))
    return _decode_array(name, column)


def _decode_polars(name: str, column: Any) -> Cells:
    dtype, kind = column.dtype, str(column.dtype)
    if kind.startswith("Date"):  # Date and Datetime
        local = column.dt.replace_time_zone(None) if getattr(dtype, "time_zone", None) else column
        return _dates(local.to_numpy())
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
        return _categories(name, codes, distinct, "declared" if is_enum else "none" if kind == "String" else "category")
    return _decode_objects(name, column.to_list())


def _decode_arrow(name: str, column: Any) -> Cells:
    kind = str(column.type)
    if kind.startswith(("timestamp", "date")):
        zoned = kind.startswith("timestamp") and column.type.tz is not None
        return _zoned(column) if zoned else _dates(np.asarray(column))
    if kind.startswith(("time", "duration", "month_day")):
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
        order: Order = "ordered" if coded.type.ordered else "category" if kind.startswith("dictionary") else "none"
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
    if array.dtype.kind == "M":
        return _dates(array)
    if array.dtype.kind == "m":
        _refuse_time(name, str(array.dtype))
    return _decode_objects(name, array.tolist())


def _decode_objects(name: str, entries: list[Any]) -> Cells:
    """Decode Python objects; numbers of one type need no dictionary, which for text is faster than sorting."""
    types = set(map(type, entries))
    if types <= {float, type(None)}:
        return _numbers(np.array(entries, np.float64))  # NumPy reads None as NaN
    if types == {bool}:
        return _numbers(np.array(entries, np.bool_))
    if any(map(_is_date_type, types)):
        known = [not is_missing(cell) for cell in entries]
        are_dates = all(_is_date_type(type(cell)) for cell, is_known in zip(entries, known, strict=True) if is_known)
        entries = [_date_text(cell) if is_known else None for cell, is_known in zip(entries, known, strict=True)]
        if are_dates:
            return _dates(np.array(entries, "datetime64[s]"))
    place: dict[Hashable, int] = {}
    try:
        codes = np.fromiter((place.setdefault(cell, len(place)) for cell in entries), np.int64, len(entries))
    except TypeError:
        for row, cell in enumerate(entries):
            if not _is_hashable(cell):
                _refuse_cell(name, row, cell)
        raise
    return _without_text(_categories(name, codes, list(place)))


def _is_date_type(kind: type) -> bool:
    return issubclass(kind, date | np.datetime64)  # a datetime and a timestamp of pandas are dates


def _date_text(cell: Any) -> Any:
    """Write a date or a time in the ISO form, as its clock shows it; other cells stay as they are."""
    if isinstance(cell, datetime):
        return cell.replace(tzinfo=None, microsecond=0).isoformat()[:19]
    return (
        str(cell.astype("datetime64[s]"))
        if isinstance(cell, np.datetime64)
        else str(cell)
        if isinstance(cell, date)
        else cell
    )


def _zoned(column: Any) -> Categories:
    """Decode times with a zone, of pyarrow, as the clocks of that zone show them."""
    texts = np.asarray(column.cast("string").fill_null("NaT"))
    return _dates(np.array([text[:19] for text in texts.tolist()], "datetime64[s]"))  # without the zone


def _dates(times: Array) -> Categories:
    """Make text of dates in the ISO form, with the time of day if there is one."""
    distinct, codes = np.unique(times.astype("datetime64[s]"), return_inverse=True)
    missing = np.isnat(distinct)
    days = distinct.astype("datetime64[D]")
    texts = np.datetime_as_string(days if (missing | (distinct == days)).all() else distinct)
    n_known = int((~missing).sum())  # NumPy sorts what is missing to the end
    return Categories(np.where(missing[codes], MISSING, codes), tuple(texts[:n_known].tolist()), "dates")


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
    return Numbers(values, np.isnan(values), "float")


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
