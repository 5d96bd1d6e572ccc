"""Fuzzy intervals whose AND weights are trained, as in the paper: forward and backward. Compiled with Numba.

Interval m of a feature is an AND node over all of its dichotomies s_d, shared by all rules:

    I_m = prod_d t_md        t_md = 1 - [A_md]+ (1 - s_d) - [A_md]- s_d = 1 - [A_md]+ + A_md s_d

Products of all factors but one come from prefixes and suffixes: no division, and zeros are exact. Only the slots that
the rows at hand have are visited. Plain loops over arrays, contiguous in the intervals or in the rules.
"""

from __future__ import annotations

import math

import numpy as np

from nln.compiled import compiled, fast
from nln.network.kernels.modules import ORDERED, F, bins_of, steeper

_NOTHING = F(1e-18)
"""Products smaller than this are 0, so that none becomes a denormal number."""


@compiled
def has_learned_intervals(layout, weights, j):
    """Whether a feature enters through intervals whose AND weights are trained."""
    return layout.kinds[j] == ORDERED and weights.interval_weights.shape[0] > 0


@compiled
def _used(layout, weights, scratch, j):
    """Dichotomies of a feature that some interval asks about, or may come to ask about: all where weights move."""
    n, first, found = layout.n_regular[j], layout.weight_offsets[j], np.empty(layout.n_regular[j], np.int64)
    count = 0
    for d in range(n - 1):
        if scratch.moves_nodes or (weights.interval_weights[d, first : first + n] != F(0)).any():
            found[count] = d
            count += 1
    return found[:count]


@compiled
def _met(layout, scratch, j):
    """Bins of a feature that the rows at hand have."""
    first, last = bins_of(layout, j)
    return first + np.flatnonzero(scratch.is_met[first:last])


@fast
def learned_values(layout, weights, scratch, j):
    """Dichotomies and intervals of one feature at each of its bins."""
    first_weight, first_dichotomy = layout.weight_offsets[j], layout.dichotomy_offsets[j]
    used, bins, value = _used(layout, weights, scratch, j), _met(layout, scratch, j), scratch.value
    above, product = np.empty((used.shape[0], bins.shape[0]), F), np.empty(bins.shape[0], F)
    for x in range(used.shape[0]):
        i = first_dichotomy + used[x]
        for b in range(bins.shape[0]):
            z = weights.sharpness[i] * (layout.positions[bins[b]] - weights.boundaries[i])
            s = F(1) / (F(1) + F(math.exp(-max(min(z, F(80)), F(-80)))))
            scratch.dichotomy[bins[b], used[x]] = above[x, b] = s
    for m in range(layout.n_regular[j]):
        product[:] = F(1)
        for x in range(used.shape[0]):
            _multiply(product, weights.interval_weights[used[x], first_weight + m], above[x])
        for b in range(bins.shape[0]):
            value[bins[b], m] = product[b]


@fast
def _multiply(product, a, above):
    """Multiply by the factors `1 - [A]+ + A s` of one dichotomy at the bins."""
    if a != F(0):
        constant = F(1) - max(a, F(0))
        for b in range(product.shape[0]):
            p = product[b] * (constant + a * above[b])
            product[b] = p if abs(p) > _NOTHING else F(0)


@fast
def learned_memberships(layout, weights, scratch, j):
    """Membership of the OR over the intervals: `m = 1 - prod_m (1 - O_m I_m)`."""
    memberships, or_weights, first_weight = scratch.memberships, weights.or_weights, layout.weight_offsets[j]
    n_rules = or_weights.shape[1]
    none = np.empty(n_rules, F)
    first, last = bins_of(layout, j)
    for v in range(first, last):
        if not scratch.is_met[v]:
            continue
        none[:] = F(1)
        for m in range(layout.n_regular[j]):
            i = scratch.value[v, m]
            if i > F(0):
                for r in range(n_rules):
                    none[r] *= F(1) - or_weights[first_weight + m, r] * i
        for r in range(n_rules):
            memberships[v, r] = F(1) - none[r]


@fast
def learned_membership_backward(layout, weights, scratch, j, gradient):
    """Gradients of `learned_memberships` for the OR weights and the interval values."""
    or_weights, g_or, first_weight = weights.or_weights, gradient.or_weights, layout.weight_offsets[j]
    n, n_rules = layout.n_regular[j], or_weights.shape[1]
    prefix, suffix = np.empty((n, n_rules), F), np.empty(n_rules, F)
    first, last = bins_of(layout, j)
    g_or[first_weight : first_weight + n] = F(0)
    for v in range(first, last):
        if not scratch.is_met[v]:
            continue
        for r in range(n_rules):
            prefix[0, r] = F(1)
        for m in range(n - 1):
            i = scratch.value[v, m]
            for r in range(n_rules):
                p = prefix[m, r] * (F(1) - or_weights[first_weight + m, r] * i)
                prefix[m + 1, r] = p if p > _NOTHING else F(0)
        for r in range(n_rules):
            suffix[r] = scratch.g_memberships[v, r]
        for m in range(n - 1, -1, -1):
            i, total = scratch.value[v, m], F(0)
            for r in range(n_rules):
                w, g = or_weights[first_weight + m, r], prefix[m, r] * suffix[r]
                g_or[first_weight + m, r] += g * i
                total += g * w
                p = suffix[r] * (F(1) - w * i)
                suffix[r] = p if abs(p) > _NOTHING else F(0)
            scratch.g_value[v, m] = total


@fast
def learned_backward(layout, weights, scratch, j, gradient):
    """Gradients of `learned_values` for the AND weights, boundaries and sharpnesses, of all dichotomies that are used.

    `t` has the slope s - 1 to the right of a weight of 0 and s to its left, where the steeper descent counts.
    """
    first_weight, first_dichotomy = layout.weight_offsets[j], layout.dichotomy_offsets[j]
    used, bins, and_weights = _used(layout, weights, scratch, j), _met(layout, scratch, j), weights.interval_weights
    n_used, n_bins = used.shape[0], bins.shape[0]
    above, g_above = np.empty((n_used, n_bins), F), np.zeros((n_used, n_bins), F)
    prefix, suffix = np.empty((n_used + 1, n_bins), F), np.empty(n_bins, F)
    for x in range(n_used):
        for b in range(n_bins):
            above[x, b] = scratch.dichotomy[bins[b], used[x]]
    for m in range(layout.n_regular[j]):
        prefix[0, :] = F(1)
        for b in range(n_bins):
            suffix[b] = scratch.g_value[bins[b], m]
        for x in range(n_used):
            prefix[x + 1, :] = prefix[x]
            _multiply(prefix[x + 1], and_weights[used[x], first_weight + m], above[x])
        for x in range(n_used - 1, -1, -1):
            a = and_weights[used[x], first_weight + m]
            left, total = _weight_gradient(prefix[x], suffix, above[x], g_above[x], a)
            gradient.interval_weights[used[x], first_weight + m] = steeper(a, left - total, left)
            _multiply(suffix, a, above[x])
    for x in range(n_used):
        i = first_dichotomy + used[x]
        for b in range(n_bins):
            g = g_above[x, b] * above[x, b] * (F(1) - above[x, b])
            gradient.boundaries[i] -= g * weights.sharpness[i]
            gradient.sharpness[i] += g * (layout.positions[bins[b]] - weights.boundaries[i])


@fast
def _weight_gradient(prefix, suffix, above, g_above, a):
    """Sums of g s and of g over the bins, with g the gradient of one factor; add its gradient by the dichotomy."""
    left, total = F(0), F(0)
    for b in range(prefix.shape[0]):
        g = prefix[b] * suffix[b]
        left += g * above[b]
        total += g
        g_above[b] += g * a
    return left, total
