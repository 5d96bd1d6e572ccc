"""Passes of the rule modules: from weights to memberships and look-up tables, and back. Compiled with Numba.

    T_ij[v] = 1 - [A_ij]+ (1 - m_ij[v]) - [A_ij]- m_ij[v]

with m_ij[v] the membership of slot v in rule i's module of feature j. For an ordered feature it is the OR over fuzzy
intervals, each the AND of two neighbouring fuzzy dichotomies. Plain loops over arrays, contiguous in the rules.
"""

from __future__ import annotations

import math

import numpy as np

from nln.compiled import compiled, fast

F = np.float32
BINARY, VALUES, ORDERED, CIRCULAR, PROBABILITY = 0, 1, 2, 3, 4


@fast
def rule_tables(layout, weights, scratch):
    """Look-up tables of the rules: `T = 1 - [A]+ (1 - m) - [A]- m`."""
    memberships, and_weights, slot_offsets = scratch.memberships, weights.and_weights, layout.slot_offsets
    for j in range(and_weights.shape[0]):
        for s in range(slot_offsets[j], slot_offsets[j + 1]):
            for r in range(and_weights.shape[1]):
                w = and_weights[j, r]
                positive, negative = max(w, F(0)), max(-w, F(0))
                m = memberships[s, r]
                scratch.tables[s, r] = F(1) - positive * (F(1) - m) - negative * m


@fast
def rule_tables_backward(layout, weights, scratch, gradient):
    """Gradients of `rule_tables`. At a weight of exactly 0 the steeper descent of the two sides counts."""
    and_weights, slot_offsets, g_and = weights.and_weights, layout.slot_offsets, gradient.and_weights
    n_rules = and_weights.shape[1]
    right, left = np.empty(n_rules, F), np.empty(n_rules, F)
    for j in range(and_weights.shape[0]):
        right[:] = F(0)
        left[:] = F(0)
        for s in range(slot_offsets[j], slot_offsets[j + 1]):
            for r in range(n_rules):
                g, m = scratch.g_tables[s, r], scratch.memberships[s, r]
                scratch.g_memberships[s, r] = g * and_weights[j, r]
                right[r] += g * (m - F(1))
                left[r] += g * m
        for r in range(n_rules):
            g_and[j, r] = steeper(and_weights[j, r], right[r], left[r])


@compiled
def steeper(w, right, left):
    """Gradient of an AND weight from its slopes on both sides of 0; at 0 that of the steeper descent.

    Moving right changes the loss by `right`, moving left by `-left`.
    """
    if w > F(0):
        return right
    if w < F(0):
        return left
    down_right, down_left = max(-right, F(0)), max(left, F(0))
    return -down_right if down_right >= down_left else down_left


@compiled
def has_intervals(layout, j):
    """Whether a feature enters through fuzzy intervals, on a line or on a circle."""
    return layout.kinds[j] == ORDERED or layout.kinds[j] == CIRCULAR


@compiled
def circle_length(layout, j):
    """Length of a feature's axis if it is a circle, whose intervals are 1 wide; 0 for a line."""
    return F(layout.n_regular[j]) if layout.kinds[j] == CIRCULAR else F(0)


@compiled
def distance(u, boundary, turn):
    """From a boundary to a bin, upwards; on a circle of length `turn` between minus and plus half a turn."""
    far = u - boundary
    return far - turn * F(math.floor(far / turn + F(0.5))) if turn > F(0) else far


@compiled
def bins_of(layout, j):
    """First and last slot (exclusive) of a feature's bins."""
    first = layout.slot_offsets[j]
    return first, first + layout.n_bins[j]


@compiled
def interval_values(layout, weights, scratch, j):
    """Fuzzy dichotomies `sigma(alpha (u - B))` of one feature and its intervals, within each bin's band.

    The AND of two neighbours is a fuzzy interval: `I_m = s_m (1 - s_(m+1))`. On a line dichotomies are padded with 1
    below and 0 above. On a circle each is true on the half circle from its boundary on, and the neighbour of the last
    one is the first.
    """
    n, first_dichotomy, turn = layout.n_regular[j], layout.dichotomy_offsets[j], circle_length(layout, j)
    dichotomy = scratch.dichotomy
    first, last = bins_of(layout, j)
    for v in range(first, last):
        for m in range(scratch.low[v], scratch.high[v] + 1):
            if turn == F(0) and m == 0:
                dichotomy[v, m] = F(1)
            elif turn == F(0) and m == n:
                dichotomy[v, m] = F(0)
            else:
                d = first_dichotomy + (m % n if turn > F(0) else m - 1)
                z = weights.sharpness[d] * distance(layout.positions[v], weights.boundaries[d], turn)
                dichotomy[v, m] = F(1) / (F(1) + F(math.exp(-z)))
        for m in range(scratch.low[v], scratch.high[v]):
            scratch.value[v, m] = dichotomy[v, m] * (F(1) - dichotomy[v, m + 1])


@compiled
def interval_bands(layout, scratch, j, threshold):
    """First and last interval (exclusive) of each bin whose value is above the threshold: others are not visited."""
    n, low, high = layout.n_regular[j], scratch.low, scratch.high
    first, last = bins_of(layout, j)
    for v in range(first, last):
        low[v], high[v] = n, 0
        for m in range(n):
            if scratch.value[v, m] > threshold:
                low[v] = min(low[v], m)
                high[v] = max(high[v], m + 1)
        if low[v] >= high[v]:
            low[v], high[v] = 0, n


@fast
def interval_memberships(layout, weights, scratch, j):
    """Membership of the OR over the intervals: `m = 1 - prod_m (1 - O_m I_m)`."""
    memberships, or_weights, first_weight = scratch.memberships, weights.or_weights, layout.weight_offsets[j]
    n_rules = or_weights.shape[1]
    first, last = bins_of(layout, j)
    for v in range(first, last):
        for r in range(n_rules):
            memberships[v, r] = F(1)
        for m in range(scratch.low[v], scratch.high[v]):
            i = scratch.value[v, m]
            for r in range(n_rules):
                memberships[v, r] *= F(1) - or_weights[first_weight + m, r] * i
        for r in range(n_rules):
            memberships[v, r] = F(1) - memberships[v, r]


@fast
def interval_backward(layout, weights, scratch, j, gradient):
    """Gradients of `interval_memberships` for the OR weights and the interval values."""
    or_weights, first_weight, low, high = weights.or_weights, layout.weight_offsets[j], scratch.low, scratch.high
    n_rules = or_weights.shape[1]
    others = np.empty(n_rules, F)
    first_bin, last_bin = bins_of(layout, j)
    gradient.or_weights[first_weight : first_weight + layout.n_regular[j]] = F(0)
    for v in range(first_bin, last_bin):
        for m in range(low[v], high[v]):
            first = True
            for q in range(low[v], high[v]):
                if q == m:
                    continue
                i = scratch.value[v, q]
                if first:
                    for r in range(n_rules):
                        others[r] = F(1) - or_weights[first_weight + q, r] * i
                else:
                    for r in range(n_rules):
                        others[r] *= F(1) - or_weights[first_weight + q, r] * i
                first = False
            if first:
                others[:] = F(1)
            total, i = F(0), scratch.value[v, m]
            for r in range(n_rules):
                g = scratch.g_memberships[v, r] * others[r]
                gradient.or_weights[first_weight + m, r] += g * i
                total += g * or_weights[first_weight + m, r]
            scratch.g_value[v, m] = total


@compiled
def dichotomy_backward(layout, weights, scratch, j, gradient):
    """Gradients of `interval_values` for the boundaries and sharpnesses."""
    n, first_dichotomy, turn = layout.n_regular[j], layout.dichotomy_offsets[j], circle_length(layout, j)
    low, high, dichotomy = scratch.low, scratch.high, scratch.dichotomy
    padded = 1 if turn == F(0) else 0  # the first and the last dichotomy of a line are no parameters
    first, last = bins_of(layout, j)
    for v in range(first, last):
        for m in range(max(low[v], padded), min(high[v], n - padded) + 1):
            s = dichotomy[v, m]
            g = F(0)
            if m < high[v]:  # s is the lower side of interval m ...
                g += scratch.g_value[v, m] * (F(1) - dichotomy[v, m + 1])
            if m > low[v]:  # ... and the upper side of interval m - 1
                g -= scratch.g_value[v, m - 1] * dichotomy[v, m - 1]
            d = first_dichotomy + (m % n if turn > F(0) else m - 1)
            g *= s * (F(1) - s)
            gradient.boundaries[d] -= g * weights.sharpness[d]
            gradient.sharpness[d] += g * distance(layout.positions[v], weights.boundaries[d], turn)
