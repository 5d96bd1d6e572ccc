"""Decoded columns of several parts of a table, put together as if the table had been read whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nln.rules.cells import Categories, Cells, NumberKind, Numbers, Order
from nln.rules.schema import Value

_KINDS: tuple[NumberKind, ...] = ("bool", "int", "float")
"""Kinds of numbers, each of which can hold those before it."""


def join_cells(columns: Sequence[Cells]) -> Cells:
    """Put columns below one another.

    A part that is all missing does not say what the others hold. Numbers beside text are values, as in a column of
    objects.
    """
    telling = [column for column in columns if not column.missing.all()] or columns[:1]
    if all(isinstance(column, Numbers) for column in telling):
        return _join_numbers(columns, [column for column in telling if isinstance(column, Numbers)])
    return _join_categories([column if isinstance(column, Categories) else _as_values(column) for column in columns])


def _join_numbers(columns: Sequence[Cells], telling: Sequence[Numbers]) -> Numbers:
    kind = max((column.kind for column in telling), key=_KINDS.index)
    dtype = np.result_type(*(column.values.dtype for column in telling))
    if kind == "int" and dtype.kind == "f":  # signed and unsigned integers of 64 bits
        dtype = np.dtype(object)
    blank = np.nan if dtype.kind == "f" else None if dtype.kind == "O" else 0
    values = [
        column.values.astype(dtype)
        if isinstance(column, Numbers) and not column.missing.all()
        else np.full(len(column), blank, dtype)
        for column in columns
    ]
    missing = np.concatenate([column.missing for column in columns])
    joined = np.concatenate(values)
    if dtype.kind == "f" and missing.any():
        joined = np.where(missing, np.nan, joined)
    return Numbers(joined, missing, kind)


def _as_values(column: Numbers) -> Categories:
    distinct, codes = np.unique(np.where(column.missing, 0, column.values), return_inverse=True)
    plain = [bool(value) for value in distinct] if column.kind == "bool" else distinct.tolist()
    return Categories(np.where(column.missing, -1, codes), tuple(plain))


def _join_categories(columns: Sequence[Categories]) -> Categories:
    place: dict[Value, int] = {}
    codes = []
    for column in columns:
        own = np.array([*(place.setdefault(value, len(place)) for value in column.values), -1], np.int32)
        codes.append(own[column.codes])
    orders = {column.order for column in columns if not column.missing.all()} or {columns[0].order}
    order: Order = orders.pop() if len(orders) == 1 else "none"
    return Categories(np.concatenate(codes), tuple(place), order)
