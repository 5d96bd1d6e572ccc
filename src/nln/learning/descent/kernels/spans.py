"""The best fuzzy interval of an ordered feature, given the closed-form sums.

A boundary with a floor under its width is steadier than a crisp one where rows are few, and rules that are fuzzy while
they are found need fewer conditions than rules that are softened afterwards. The places that a boundary may take and
the memberships that it gives to the bins are laid out once (`fuzzy_layout`). A *span* is the pair of a lower and an
upper boundary, each the number of such a place or -1 for none.
"""

from __future__ import annotations

import numpy as np

from nln.compiled import compiled, fast
from nln.learning.descent.kernels.best_table import best_missing
from nln.learning.descent.kernels.statistics import is_used


@compiled
def has_fuzzy_places(layout, j):
    """Whether the layout offers fuzzy boundaries for a feature."""
    return layout.place_offsets.shape[0] > 0 and layout.place_offsets[j + 1] > layout.place_offsets[j]


@compiled
def extra_literals(layout, j):
    """Literals that it costs to ask about a feature at all, beside those of the condition."""
    return layout.extra[j] if layout.extra.shape[0] > 0 else 0.0


@compiled
def span_literals(table, n_bins, span):
    """Literals of a fuzzy condition: its boundaries (one for `not missing`), and one for `or missing`."""
    if not is_used(table):
        return 0.0
    missing = table.shape[0] > n_bins and table[n_bins] > 0.0
    return max(1.0, 1.0 * (span[0] >= 0) + (span[1] >= 0)) + missing


@compiled
def most_saved(s1, s2, n_bins):
    """Upper bound of the squared error that a fuzzy condition can save where nothing is asked yet.

    The error s2 t^2 - 2 s1 t is convex in t, so a table t saves at most g (1 - t) with g = 2 (s2 - s1) in each bin. The
    table of two boundaries rises, then falls: it is a mean of crisp intervals, and the best of these bounds them all.
    """
    total, here, lowest = 0.0, 0.0, 0.0
    for v in range(n_bins):
        g = 2.0 * (s2[v] - s1[v])
        total += g
        here = min(here + g, 0.0)
        lowest = min(lowest, here)
    saved = total - lowest
    if s1.shape[0] > n_bins:
        p = min(max(s1[n_bins] / max(s2[n_bins], 1e-300), 0.0), 1.0)
        saved += s2[n_bins] * (1.0 - p * p) - 2.0 * s1[n_bins] * (1.0 - p)
    return saved


@fast
def _one_boundary(upper, weight1, weight2, low, high):
    """Squared error of each place as the lower (t = u) and as the upper (t = 1 - u) boundary, from the sums w1, w2.

    The sums of a table t times a given factor f are w1 = s1 f and w2 = s2 f^2.
    """
    total = 0.0
    for v in range(weight1.shape[0]):
        total += weight2[v] - 2.0 * weight1[v]
    for c in range(upper.shape[0]):
        square, first, second = 0.0, 0.0, 0.0
        for v in range(weight1.shape[0]):
            u = upper[c, v]
            square += u * u * weight2[v]
            first += u * weight1[v]
            second += u * weight2[v]
        low[c], high[c] = square - 2.0 * first, total + square - 2.0 * second + 2.0 * first


@compiled
def best_span(upper, penalties, s1, s2, price, span):
    """Write the best lower and upper boundary to `span`; return the cost, with a price per boundary.

    One boundary is tried at every place; from the best lower and the best upper one, the other side is added and both
    are moved in turn until neither improves.
    """
    n_places, n_bins = upper.shape
    low, high = np.empty(n_places), np.empty(n_places)
    _one_boundary(upper, s1, s2, low, high)
    low += penalties + price
    high += penalties + price
    first, last = np.argmin(low), np.argmin(high)
    best = min(low[first], high[last])
    span[0], span[1] = (first, -1) if low[first] <= high[last] else (-1, last)
    w1, w2 = np.empty(n_bins), np.empty(n_bins)
    for start in range(2):
        move_lower = start == 1
        here = first if start == 0 else last
        for _ in range(4):
            for v in range(n_bins):
                f = 1.0 - upper[here, v] if move_lower else upper[here, v]
                w1[v], w2[v] = s1[v] * f, s2[v] * f * f
            _one_boundary(upper, w1, w2, low, high)
            cost = low if move_lower else high
            cost += penalties + (penalties[here] + 2.0 * price)
            if move_lower:
                cost[here:] = np.inf
            else:
                cost[: here + 1] = np.inf
            other = np.argmin(cost)
            if not cost[other] < best - 1e-12:
                break
            best = cost[other]
            span[0], span[1] = (other, here) if move_lower else (here, other)
            here, move_lower = other, not move_lower
    return best


@compiled
def best_fuzzy_table(layout, j, s1, s2, price, span, out):
    """Write the best fuzzy condition of a feature to `out` and its boundaries to `span`; return its cost.

    All ones if asking nothing is as good; `not missing` and `missing` cost a literal.
    """
    n_bins, n_slots = layout.n_known[j], s1.shape[0]
    places = layout.place_offsets[j + 1] - layout.place_offsets[j]
    begin = layout.upper_offsets[j]
    upper = layout.upper[begin : begin + places * n_bins].reshape((places, n_bins))
    penalties = layout.place_penalties[layout.place_offsets[j] : layout.place_offsets[j + 1]]
    cost = best_span(upper, penalties, s1[:n_bins], s2[:n_bins], price, span)
    known, unused = 0.0, 0.0
    for v in range(n_slots):
        unused += s2[v] - 2.0 * s1[v]
        known += s2[v] - 2.0 * s1[v] if v < n_bins else 0.0
    is_whole = n_slots > n_bins and known + price < cost
    is_empty = min(cost, known + price if n_slots > n_bins else cost) > 0.0
    if is_whole or is_empty:
        span[0], span[1] = -1, -1
        cost = 0.0 if is_empty else known + price
    for v in range(n_bins):
        t = 0.0 if is_empty else 1.0
        if span[0] >= 0:
            t *= upper[span[0], v]
        if span[1] >= 0:
            t *= 1.0 - upper[span[1], v]
        out[v] = t
    if n_slots > n_bins:
        p, saved = best_missing(s1[n_bins], s2[n_bins], price, layout.partial_missing)
        out[n_bins] = p
        cost += saved
    cost += price * extra_literals(layout, j)
    if unused <= cost + 1e-12:
        out[:] = 1.0
        span[0], span[1] = -1, -1
        return unused
    return cost
