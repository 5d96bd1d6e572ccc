"""Hashes of rows by what their cells mean: the same in every library, in every part of a table and on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from nln.rules.cells import Categories, Cells
from nln.rules.schema import Value

Hashes = npt.NDArray[np.uint64]

_MISSING = np.uint64(0x9E3779B97F4A7C15)
_ODD = np.uint64(0xBF58476D1CE4E5B9)
_ODD_TOO = np.uint64(0x94D049BB133111EB)


def row_hashes_of(columns: Sequence[Cells]) -> Hashes:
    """Hash each row of some columns; the order of the columns counts."""
    hashes = np.zeros(len(columns[0]) if columns else 0, np.uint64)
    for column in columns:
        hashes = _mix(hashes * np.uint64(31) + cell_hashes(column))
    return hashes


def cell_hashes(column: Cells) -> Hashes:
    """Hash each cell: numbers by their value, whatever their type, text by its letters."""
    if isinstance(column, Categories):
        return np.array([*map(value_hash, column.values), _MISSING], np.uint64)[column.codes]
    if column.values.dtype == object:
        values = [_MISSING if gap else value_hash(v) for v, gap in zip(column.values, column.missing, strict=True)]
        return np.array(values, np.uint64)
    return np.where(column.missing, _MISSING, _number_hashes(column.values))


def value_hash(value: Value) -> np.uint64:
    """Hash one value; 1, 1.0 and True are the same."""
    if isinstance(value, str):
        return np.uint64(int.from_bytes(blake2b(value.encode(errors="replace"), digest_size=8).digest(), "little"))
    try:
        return np.uint64(_number_hashes(np.array([value], np.float64))[0])
    except OverflowError:  # an integer beyond all floats
        return value_hash(str(value))


def _number_hashes(numbers: npt.NDArray[np.generic]) -> Hashes:
    return _mix((numbers.astype(np.float64) + 0.0).view(np.uint64))  # the sum makes one zero of both


def _mix(bits: Hashes) -> Hashes:
    """The finalizer of SplitMix64: every bit of the result depends on every bit given."""
    bits = (bits ^ (bits >> np.uint64(30))) * _ODD
    bits = (bits ^ (bits >> np.uint64(27))) * _ODD_TOO
    return bits ^ (bits >> np.uint64(31))
