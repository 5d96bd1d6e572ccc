"""Boundaries of ordered features while they are being learned: readable cuts, fuzzy widths, and the tables they make."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numba import njit

from nln.tables.encoding import Floats, Slots

_SHARPNESS = math.log(9.0)

_compiled = njit(cache=True, nogil=True, error_model="numpy")


@dataclass(frozen=True)
class Shape:
    """The boundaries of one condition.

    Parameters
    ----------
    cuts : tuple of int
        Each boundary lies below this bin.
    widths : tuple of float
        Half-width of each boundary's band from 10 % to 90 %; 0 is crisp.
    starts_inside : bool
        Whether the values below the first boundary satisfy the condition.
    """

    cuts: tuple[int, ...]
    widths: tuple[float, ...]
    starts_inside: bool


def crisp_shape(table: Floats) -> Shape:
    """Shape of a crisp table of bins.

    Examples
    --------
    >>> import numpy as np
    >>> crisp_shape(np.array([0.0, 1.0, 1.0, 0.0])).cuts
    (1, 3)
    """
    inside = table > 0.5
    cuts = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    return Shape(tuple(cuts.tolist()), (0.0,) * len(cuts), bool(inside[0]))


def shape_table(slots: Slots, shape: Shape) -> Floats:
    """Membership of each bin: the OR of the intervals, an interval being the AND of its two sides."""
    values = np.array([cut_value(slots, cut) for cut in shape.cuts])
    out = np.empty(slots.n_known)
    _fill(slots.centers, values, np.array(shape.widths, np.float64), shape.starts_inside, out)
    return out


@_compiled
def _fill(axis, values, widths, starts_inside, out):
    for v in range(axis.shape[0]):
        outside, low, is_open = 1.0, 1.0, starts_inside
        for b in range(values.shape[0]):
            upper = _upper_side(axis[v], values[b], widths[b])
            if is_open:
                outside *= 1.0 - low * (1.0 - upper)
            else:
                low = upper
            is_open = not is_open
        if is_open:
            outside *= 1.0 - low
        out[v] = 1.0 - outside


@_compiled
def _upper_side(x, value, width):
    if width == 0.0:
        return 1.0 if x >= value else 0.0
    z = _SHARPNESS * (x - value) / width
    return 1.0 / (1.0 + math.exp(-z)) if z > -700.0 else 0.0


def cut_value(slots: Slots, cut: int) -> float:
    """Number at which the bin `cut` begins: short, and in the middle half of the gap below it; a rank for ordinals."""
    if not slots.feature.is_numeric:
        return float(cut)
    return readable_between(float(slots.highs[cut - 1]), float(slots.lows[cut]))


@lru_cache(maxsize=65536)
def readable_between(low: float, high: float) -> float:
    """Shortest decimal in the middle half of a gap, nearest to its middle.

    Examples
    --------
    >>> readable_between(14.87, 14.96), readable_between(3.0, 4.0), readable_between(120.0, 177.0)
    (14.9, 3.5, 150.0)
    """
    gap, middle = high - low, low + (high - low) / 2
    if not (gap > 0 and math.isfinite(gap)):
        return high
    for exponent in range(math.floor(math.log10(gap)), math.floor(math.log10(gap)) - 4, -1):
        candidate = round_to(middle, exponent)
        if low + gap / 4 <= candidate <= high - gap / 4:
            return candidate
    return middle if low < middle <= high else high


def round_to(number: float, exponent: int) -> float:
    """Round to a multiple of a power of ten, free of binary dust.

    Examples
    --------
    >>> round_to(14.9153, -1)
    14.9
    """
    return float(round(number, -exponent))


def local_width(slots: Slots, cut: int, share: float) -> float:
    """Width of a boundary that reaches over `share` of the training rows to the nearer side; 0 is crisp.

    Taking the nearer side keeps the width local on skewed columns.
    """
    if share <= 0.0 or not slots.feature.is_numeric:
        return 0.0
    value = cut_value(slots, cut)
    place = (slots.positions[cut - 1] + slots.positions[cut]) / 2
    below, above = np.interp([place - share, place + share], slots.positions, slots.centers)
    reach = float(min(value - below, above - value))
    if reach <= 0.0:
        return 0.0
    return round_to(reach, math.floor(math.log10(reach)) - 1)
