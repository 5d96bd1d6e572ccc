"""Boundaries of ordered features while they are learned: readable numbers, fuzzy widths, and the tables they make."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from nln.learning.descent.kernels.shapes import fill_sides
from nln.learning.options import LanguageOptions
from nln.tables.encoding import Encoding, Floats, Slots

WIDTHS = (0.0, 0.02, 0.08, 0.3)
"""Ladder of widths: shares of the training rows that a boundary reaches over."""

FEW_NUMBERS = 10
"""Boundaries between whole numbers are crisp where the column has at most so many different ones."""


@dataclass(frozen=True)
class Shape:
    """The boundaries of one condition."""

    cuts: npt.NDArray[np.int64]  # each boundary lies below this bin
    levels: npt.NDArray[np.int64]  # width of each boundary, as a rung of `WIDTHS`; 0 is crisp
    starts_inside: bool  # whether the values below the first boundary satisfy the condition


@dataclass(frozen=True)
class FeatureBoundaries:
    """The boundaries that one ordered feature offers: one below each bin, with a ladder of widths."""

    centers: Floats  # (bins,) number at the centre of each bin
    values: Floats  # (bins, rungs) short number near the gap below each bin, inside it if crisp; the first is unused
    widths: Floats  # (bins, rungs) half-width of a boundary below each bin, for each rung of the ladder
    penalties: Floats  # (bins, rungs) squared error that the digits of a boundary below each bin cost
    is_circle: bool = False  # whether the last bin meets the first; such boundaries are crisp and do not move

    @cached_property
    def sides(self) -> Floats:
        """Membership of every bin above a boundary below each bin, for each rung: (rungs, bins, bins)."""
        cuts = np.arange(len(self.centers))
        return np.stack([upper_sides(self, cuts, level) for level in range(self.widths.shape[1])])


Boundaries = dict[int, FeatureBoundaries]
"""Boundaries that each ordered feature offers, by its number."""

SIDES_KEPT = 2**27
"""Bytes of `sides` that are kept: those of some sixty features with many bins."""


def release_sides(boundaries: Boundaries, most: int = SIDES_KEPT) -> None:
    """Forget all `sides` if they take more than so many bytes; they are computed anew when they are asked for."""
    held = [offered for offered in boundaries.values() if "sides" in vars(offered)]
    if sum(offered.widths.size * len(offered.centers) * 8 for offered in held) > most:
        for offered in held:
            vars(offered).pop("sides", None)


def feature_boundaries(encoding: Encoding, language: LanguageOptions) -> Boundaries:
    """Boundaries that each ordered feature of an encoding offers, by the feature's number."""
    ladder = WIDTHS if language.fuzzy else WIDTHS[:1]
    return {j: _boundaries_of(s, ladder, language.rounding) for j, s in enumerate(encoding.slots) if s.is_ordered}


def _boundaries_of(slots: Slots, ladder: tuple[float, ...], rounding: float) -> FeatureBoundaries:
    centers, n, period = slots.centers, slots.n_known, slots.feature.period
    if not slots.feature.is_numeric:  # the boundary of an ordinal feature is the rank of the first value above it
        none = np.zeros((n, len(ladder)))
        return FeatureBoundaries(centers, np.repeat(slots.lows[:, None], len(ladder), axis=1), none, none)
    whole = slots.feature.whole
    inner = readable_numbers(slots.highs[:-1], slots.lows[1:], whole=whole)
    if period is not None:
        values = np.array([_first_on_circle(slots, period), *inner])[:, None]
        return FeatureBoundaries(centers, values, np.zeros((n, 1)), np.zeros((n, 1)), is_circle=True)
    crisp = np.array([slots.lows[0], *inner])
    widths = _local_widths(slots, crisp, ladder)
    if whole:
        is_crisp = n <= FEW_NUMBERS or slots.feature.derived is not None
        widths = np.zeros_like(widths) if is_crisp else np.rint(widths)
    values = np.stack([_places(crisp, width, whole=whole) for width in widths.T], axis=1)
    penalties = rounding * np.array([[_digits(value) for value in row] for row in values.tolist()], np.float64)
    return FeatureBoundaries(centers, values, widths, penalties)


def _places(crisp: Floats, widths: Floats, *, whole: bool) -> Floats:
    """Move fuzzy boundaries to a short number nearby, at most by an eighth of their width, in ascending order."""
    moved = readable_numbers(crisp - widths / 8, crisp + widths / 8, whole=whole) if widths.any() else crisp
    return np.maximum.accumulate(np.where(widths > 0, moved, crisp))


def _first_on_circle(slots: Slots, period: float) -> float:
    """Boundary between the last bin of a circle and the first: 0 if that is well inside the gap between them."""
    low, high = float(slots.highs[-1]), float(slots.lows[0]) + period
    is_inside = low + (high - low) / 4 <= period <= high - (high - low) / 4
    return 0.0 if is_inside else readable_between(low, high) % period


def _local_widths(slots: Slots, values: Floats, ladder: tuple[float, ...]) -> Floats:
    """Half-widths that reach over a share of the training rows to the nearer side, one significant digit or 1.5 or 2.5.

    Taking the nearer side keeps the width local on skewed columns.
    """
    place = np.concatenate([[0.0], (slots.positions[:-1] + slots.positions[1:]) / 2])
    widths = np.zeros((slots.n_known, len(ladder)))
    for level, share in enumerate(ladder):
        if share > 0:
            below = np.interp(place - share, slots.positions, slots.centers)
            above = np.interp(place + share, slots.positions, slots.centers)
            reach = np.maximum(np.minimum(values - below, above - values), 0.0)
            widths[:, level] = [_short_width(width) for width in reach.tolist()]
    return widths


def _short_width(width: float) -> float:
    text = f"{width:.1e}"
    return float(text if text[:3] in ("1.5", "2.5") else f"{width:.0e}")


def _digits(number: float) -> int:
    """Significant digits of a number as it is written."""
    return len(repr(number).split("e")[0].replace(".", "").strip("-0"))


def readable_between(low: float, high: float, *, whole: bool = False) -> float:
    """Number above `low` and not above `high` that a person would choose; see `readable_numbers`."""
    return float(readable_numbers(np.array([low]), np.array([high]), whole=whole)[0])


def readable_numbers(lows: Floats, highs: Floats, *, whole: bool = False) -> Floats:
    """Numbers above `lows` and not above `highs` that a person would choose: whole ones between whole numbers.

    That is the shortest; of several, one that ends in 5 in the middle half of the gap, or else the most central.
    """
    with np.errstate(all="ignore"):
        gaps = highs - lows
        middles = lows + (gaps + whole) / 2
        result = np.where((lows < middles) & (middles <= highs) & np.isfinite(gaps) & ~whole, middles, highs)
        left = np.flatnonzero((gaps > 0) & np.isfinite(gaps))
        if not len(left):
            return result
        first = -math.floor(math.log10(np.abs([lows[left], highs[left]]).max())) - 1
        last = 0 if whole else 3 - math.floor(math.log10(gaps[left].min()))
        for digits in range(max(first, -300), min(last, 300) + 1):
            low, high, middle, unit = lows[left], highs[left], middles[left], 10.0**-digits
            multiple = np.clip(np.rint(middle / unit), np.floor(low / unit) + 1, np.floor(high / unit))
            fifth = 5 * np.rint(middle / (5 * unit))
            is_central = (np.abs(fifth * unit - middle) <= gaps[left] / 4) & (fifth > low / unit)
            multiple = np.where(is_central & (fifth <= high / unit), fifth, multiple)
            # Read from its text, a number is the nearest to what is written.
            found = np.array([float(f"{n:.0f}e{-digits}") for n in multiple.tolist()]) + 0.0
            inside = (low < found) & (found <= high)
            result[left[inside]] = found[inside]
            left = left[~inside]
            if not len(left):
                break
    return result


def crisp_shape(table: Floats) -> Shape:
    """Shape of a crisp table of bins."""
    inside = table > 0.5
    cuts = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    return Shape(cuts, np.zeros(len(cuts), np.int64), bool(inside[0]))


def shape_table(boundaries: FeatureBoundaries, shape: Shape) -> Floats:
    """Membership of each bin: the OR of the intervals, an interval being the AND of its two sides."""
    upper = [boundaries.sides[level, cut] for cut, level in zip(shape.cuts, shape.levels, strict=True)]
    ends = [1.0, *upper] if shape.starts_inside else upper
    outside = np.ones(len(boundaries.centers))
    for i in range(0, len(ends), 2):
        outside *= 1.0 - ends[i] * (1.0 - ends[i + 1] if i + 1 < len(ends) else 1.0)
    return 1.0 - outside


def upper_sides(boundaries: FeatureBoundaries, cuts: npt.NDArray[np.int64], level: int) -> Floats:
    """Membership of every bin above a boundary at each cut, (cuts, bins)."""
    sides = np.empty((len(cuts), len(boundaries.centers)))
    fill_sides(boundaries.centers, boundaries.values[cuts, level], boundaries.widths[cuts, level], sides)
    return sides
