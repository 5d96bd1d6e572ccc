"""The best region of a column in a context. The loops are in `regions.c`, with their formulas."""

from __future__ import annotations

import numpy as np

from nln.native.binding import BYTES, CODES, DOUBLES, INTEGERS, REAL, WHOLE, kernel
from nln.tables.encoding import Codes, Floats, Integers

PSEUDO_MASS = 0.5
"""Mass that every region has beside its rows, as in `regions.c`."""

_best_region = kernel("best_region", DOUBLES, DOUBLES, WHOLE, REAL, REAL, REAL, INTEGERS, result=float)
_histogram = kernel("histogram", CODES, DOUBLES, DOUBLES, DOUBLES, DOUBLES)
_region_gains = kernel("region_gains", BYTES, INTEGERS, DOUBLES, DOUBLES, REAL, REAL, DOUBLES, DOUBLES)


def best_region(
    mass: Floats, hits: Floats, n_bins: int, total: float, price: float, extra: float
) -> tuple[float, int, int, bool]:
    """Best interval of the bins, or all but one: what it saves beyond its price, its ends, and whether it is inside.

    `total` is the mass of all rows for the only rule of an output, and infinite in the place of a rule's conditions.
    """
    found = np.empty(3, np.int64)
    gain = float(_best_region(mass, hits, n_bins, total, price, extra, found))
    first, last, inside = found.tolist()
    return gain, first, last, bool(inside)


def histogram(codes: Codes, n_slots: int, row_mass: Floats, row_hits: Floats) -> tuple[Floats, Floats]:
    """Mass and hits of each slot of a column."""
    mass, hits = np.empty(n_slots), np.empty(n_slots)
    _histogram(codes, row_mass, row_hits, mass, hits)
    return mass, hits


def region_gains(
    codes: Codes, n_bins: Integers, row_mass: Floats, row_hits: Floats, total: float, price: float, extra: Floats
) -> Floats:
    """What the best region of each column saves in each context, (columns, contexts)."""
    gains = np.empty((len(codes), len(row_mass)))
    _region_gains(codes, n_bins, row_mass, row_hits, total, price, extra, gains)
    return gains
