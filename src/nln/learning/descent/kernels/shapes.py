"""Boundaries of ordered features while they are learned: readable cuts, fuzzy widths, and the tables they make."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from nln.compiled import compiled, fast
from nln.learning.options import LanguageOptions
from nln.tables.encoding import Encoding, Floats, Slots

WIDTHS = (0.0, 0.02, 0.08, 0.3)
"""Ladder of widths: shares of the training rows that a boundary reaches over."""

_SHARPNESS = math.log(9.0)


@dataclass(frozen=True)
class Shape:
    """The boundaries of one condition.

    Parameters
    ----------
    cuts : ndarray of int
        Each boundary lies below this bin.
    levels : ndarray of int
        Width of each boundary, as a rung of `WIDTHS`; 0 is crisp.
    starts_inside : bool
        Whether the values below the first boundary satisfy the condition.
    """

    cuts: npt.NDArray[np.int64]
    levels: npt.NDArray[np.int64]
    starts_inside: bool


@dataclass(frozen=True)
class Axis:
    """What boundaries of one ordered feature can be.

    Parameters
    ----------
    centers : ndarray, (bins,)
        Number at the centre of each bin.
    values : ndarray, (bins,)
        Number at which each bin begins: short, and in the middle of the gap below it. The first is not used.
    widths : ndarray, (bins, rungs)
        Half-width of a boundary below each bin, for each rung of the ladder.
    penalties : ndarray, (bins,)
        Squared error that the digits of a boundary below each bin cost.
    is_circle : bool
        Whether the last bin meets the first, where the first boundary lies. Such boundaries are crisp and stay.
    """

    centers: Floats
    values: Floats
    widths: Floats
    penalties: Floats
    is_circle: bool = False

    @cached_property
    def sides(self) -> Floats:
        """Membership of every bin above a boundary below each bin, for each rung: (rungs, bins, bins)."""
        cuts = np.arange(len(self.centers))
        return np.stack([upper_sides(self, cuts, level) for level in range(self.widths.shape[1])])


def make_axes(encoding: Encoding, language: LanguageOptions) -> dict[int, Axis]:
    """Boundaries that each ordered feature of an encoding offers, by the feature's number."""
    ladder = WIDTHS if language.fuzzy else WIDTHS[:1]
    return {j: _axis(s, ladder, language.rounding) for j, s in enumerate(encoding.slots) if s.is_ordered}


def _axis(slots: Slots, ladder: tuple[float, ...], rounding: float) -> Axis:
    if not slots.feature.is_numeric:  # the boundary of an ordinal feature is the rank of the first value above it
        return Axis(slots.centers, slots.lows, np.zeros((slots.n_known, len(ladder))), np.zeros(slots.n_known))
    if slots.feature.period is not None:
        return _circle(slots, slots.feature.period)
    gaps = zip(slots.highs[:-1].tolist(), slots.lows[1:].tolist(), strict=True)
    values = np.array([slots.lows[0], *(readable_between(low, high) for low, high in gaps)])
    penalties = rounding * np.array([_digits(value) for value in values.tolist()], np.float64)
    return Axis(slots.centers, values, _local_widths(slots, values, ladder), penalties)


def _circle(slots: Slots, period: float) -> Axis:
    """Boundaries between the bins of a circle; the first one lies at 0 if that is well inside the gap around it."""
    gaps = zip(slots.highs[:-1].tolist(), slots.lows[1:].tolist(), strict=True)
    low, high = float(slots.highs[-1]), float(slots.lows[0]) + period
    middle = low + (high - low) / 4 <= period <= high - (high - low) / 4
    first = 0.0 if middle else readable_between(low, high) % period
    values = np.array([first, *(readable_between(*gap) for gap in gaps)])
    return Axis(slots.centers, values, np.zeros((slots.n_known, 1)), np.zeros(slots.n_known), is_circle=True)


def _local_widths(slots: Slots, values: Floats, ladder: tuple[float, ...]) -> Floats:
    """Half-widths that reach over a share of the training rows to the nearer side, two significant digits.

    Taking the nearer side keeps the width local on skewed columns.
    """
    place = np.concatenate([[0.0], (slots.positions[:-1] + slots.positions[1:]) / 2])
    widths = np.zeros((slots.n_known, len(ladder)))
    for level, share in enumerate(ladder):
        if share > 0:
            below = np.interp(place - share, slots.positions, slots.centers)
            above = np.interp(place + share, slots.positions, slots.centers)
            reach = np.maximum(np.minimum(values - below, above - values), 0.0)
            widths[:, level] = [_two_digits(w) for w in reach.tolist()]
    return widths


def _two_digits(number: float) -> float:
    return float(f"{number:.1e}") if number > 0 else 0.0


def _digits(number: float) -> int:
    """Significant digits of a number as it is written."""
    return len(repr(number).split("e")[0].replace(".", "").strip("-0"))


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
    exponent = math.floor(math.log10(gap))
    for digits in range(-exponent - 1, 4 - exponent):
        candidate = round(middle, digits)
        if low + gap / 4 <= candidate <= high - gap / 4:
            return candidate
    return middle if low < middle <= high else high


def crisp_shape(table: Floats) -> Shape:
    """Shape of a crisp table of bins.

    Examples
    --------
    >>> import numpy as np
    >>> crisp_shape(np.array([0.0, 1.0, 1.0, 0.0])).cuts
    array([1, 3])
    """
    inside = table > 0.5
    cuts = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    return Shape(cuts, np.zeros(len(cuts), np.int64), bool(inside[0]))


def shape_table(axis: Axis, shape: Shape) -> Floats:
    """Membership of each bin: the OR of the intervals, an interval being the AND of its two sides."""
    upper = [axis.sides[level, cut] for cut, level in zip(shape.cuts, shape.levels, strict=True)]
    ends = [1.0, *upper] if shape.starts_inside else upper
    outside = np.ones(len(axis.centers))
    for i in range(0, len(ends), 2):
        outside *= 1.0 - ends[i] * (1.0 - ends[i + 1] if i + 1 < len(ends) else 1.0)
    return 1.0 - outside


def upper_sides(axis: Axis, cuts: npt.NDArray[np.int64], level: int) -> Floats:
    """Membership of every bin above a boundary at each cut, (cuts, bins)."""
    sides = np.empty((len(cuts), len(axis.centers)))
    _fill_sides(axis.centers, axis.values[cuts], axis.widths[cuts, level], sides)
    return sides


@compiled
def _fill_sides(centers, values, widths, out):
    for c in range(values.shape[0]):
        for v in range(centers.shape[0]):
            if widths[c] == 0.0:
                out[c, v] = 1.0 if centers[v] >= values[c] else 0.0
                continue
            z = _SHARPNESS * (centers[v] - values[c]) / widths[c]
            out[c, v] = 1.0 / (1.0 + math.exp(-z)) if z > -700.0 else 0.0


@compiled
def _line(sides, cuts, levels, starts_inside, b, v):
    """A bin's membership as a line in the upper side u of boundary b: constant and slope."""
    n, begin = cuts.shape[0], -1 if starts_inside else 0
    rest, constant, slope = 1.0, 0.0, 0.0
    for low in range(begin, n, 2):
        above = sides[levels[low], cuts[low], v] if low >= 0 else 1.0
        below = 1.0 - sides[levels[low + 1], cuts[low + 1], v] if low + 1 < n else 1.0
        if low == b:
            constant, slope = 0.0, below
        elif low + 1 == b:
            constant, slope = above, -above
        else:
            rest *= 1.0 - above * below
    return 1.0 - rest * (1.0 - constant), rest * slope


@fast
def _cost(first, second, side):
    total = 0.0
    for v in range(side.shape[0]):
        total += (second[v] * side[v] + first[v]) * side[v]
    return total


@compiled
def improve_shape(sides, penalties, cuts, levels, starts_inside, s1, s2, floor):
    """Give each boundary in turn the best of nearby places and of the rungs from `floor` up, in place.

    `s1`, `s2` are the closed-form sums of the feature: the squared error of a table t is  sum_v s2 t^2 - 2 s1 t. Given
    the other boundaries, t is a line in the upper side of one of them, and the error a parabola in each bin.
    """
    n_bins = s1.shape[0]
    first, second = np.empty(n_bins), np.empty(n_bins)
    reach = max(2, n_bins // 16)
    for b in range(cuts.shape[0]):
        for v in range(n_bins):
            constant, slope = _line(sides, cuts, levels, starts_inside, b, v)
            first[v], second[v] = 2.0 * slope * (s2[v] * constant - s1[v]), s2[v] * slope * slope
        lowest = cuts[b - 1] + 1 if b > 0 else 1
        highest = cuts[b + 1] - 1 if b + 1 < cuts.shape[0] else n_bins - 1
        here, best_cost, best_cut, best_level = cuts[b], np.inf, cuts[b], max(levels[b], floor)
        for cut in range(max(lowest, here - reach), min(highest, here + reach) + 1):
            for level in range(floor, sides.shape[0]):
                cost = penalties[cut] + _cost(first, second, sides[level, cut])
                if cost < best_cost - 1e-12:
                    best_cost, best_cut, best_level = cost, cut, level
        cuts[b], levels[b] = best_cut, best_level
