"""Boundaries of one condition: memberships above a fuzzy boundary, and the best place and width of each boundary."""

from __future__ import annotations

import math

import numpy as np

from nln.compiled import compiled, fast
from nln.rules.condition import LOG_9


@compiled
def fill_sides(centers, values, widths, out):
    """Membership of every bin above a boundary of each value and half-width, (boundaries, bins)."""
    for c in range(values.shape[0]):
        for v in range(centers.shape[0]):
            if widths[c] == 0.0:
                out[c, v] = 1.0 if centers[v] >= values[c] else 0.0
                continue
            z = LOG_9 * (centers[v] - values[c]) / widths[c]
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
                # Of equally good places the nearest: the descent put the boundary in the middle of a flat zone.
                cost = penalties[cut, level] + _cost(first, second, sides[level, cut]) + 1e-9 * abs(cut - here)
                if cost < best_cost - 1e-12:
                    best_cost, best_cut, best_level = cost, cut, level
        cuts[b], levels[b] = best_cut, best_level
