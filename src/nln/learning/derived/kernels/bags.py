"""Closed forms over bags: what every condition on one column of the children would select, in one pass.

Rows own the children `first[x]` to `first[x + 1]`. With all other columns of a conjunction fixed, `alive` children
satisfy them. `At least k children with code < t` asks whether the k-th smallest code of the alive children is below t:
an ordered column of the rows, so that sums by its bins answer for every t. For sets of values the counts by value
answer for every set that differs from a given one by a single value.
"""

from __future__ import annotations

import numpy as np

from nln.compiled import compiled
from nln.learning.derived.kernels.regions import saved


@compiled
def order_sums(first, codes, alive, mass, hits, n_bins, most):
    """Mass and hits by the k-th smallest and the k-th largest code of the alive children, (2, most, bins, 2).

    Codes from `n_bins` on are missing and count nowhere; neither do rows with fewer than k alive children.
    """
    sums = np.zeros((2, most, n_bins, 2))
    ends = np.zeros((2, most), np.int64)
    for x in range(first.shape[0] - 1):
        if mass[x] == 0.0:
            continue
        count = 0
        for z in range(first[x], first[x + 1]):
            if not alive[z] or codes[z] >= n_bins:
                continue
            low, high = np.int64(codes[z]), np.int64(codes[z])
            for k in range(min(count, most)):
                if low < ends[0, k]:
                    low, ends[0, k] = ends[0, k], low
                if high > ends[1, k]:
                    high, ends[1, k] = ends[1, k], high
            if count < most:
                ends[0, count], ends[1, count] = low, high
            count += 1
        for k in range(min(count, most)):
            for side in range(2):
                sums[side, k, ends[side, k], 0] += mass[x]
                sums[side, k, ends[side, k], 1] += hits[x]
    return sums


@compiled
def value_sums(first, codes, alive, inside, mass, hits, n_values, most):
    """Mass and hits of the rows with at least k alive children in a set of values, (3, values, most, 2).

    The sets are: `inside` with one value taken in or out, one value alone, and all values but one. Codes from
    `n_values` on are missing and in no set.
    """
    sums = np.zeros((3, n_values, most, 2))
    counts = np.zeros(n_values, np.int64)
    for x in range(first.shape[0] - 1):
        if mass[x] == 0.0:
            continue
        counts[:] = 0
        total, within = 0, 0
        for z in range(first[x], first[x + 1]):
            if alive[z] and codes[z] < n_values:
                counts[codes[z]] += 1
                total += 1
                within += inside[codes[z]]
        for v in range(n_values):
            toggled = within - counts[v] if inside[v] else within + counts[v]
            for k in range(min(toggled, most)):
                sums[0, v, k, 0] += mass[x]
                sums[0, v, k, 1] += hits[x]
            for k in range(min(counts[v], most)):
                sums[1, v, k, 0] += mass[x]
                sums[1, v, k, 1] += hits[x]
            for k in range(min(total - counts[v], most)):
                sums[2, v, k, 0] += mass[x]
                sums[2, v, k, 1] += hits[x]
    return sums


@compiled
def count_sums(first, alive, mass, hits, most):
    """Mass and hits of the rows with at least k alive children, (most, 2)."""
    sums = np.zeros((most, 2))
    for x in range(first.shape[0] - 1):
        if mass[x] != 0.0:
            count = 0
            for z in range(first[x], first[x + 1]):
                count += alive[z]
            for k in range(min(count, most)):
                sums[k, 0] += mass[x]
                sums[k, 1] += hits[x]
    return sums


@compiled
def pair_gains(first, literals, owners, mass, hits, total, price, costs):
    """What `at least k children with both literals`, or fewer, saves at best beyond its price, (literals, literals).

    The `costs` are the literals that each k costs. On the diagonal stand single literals; below it, nothing. Two
    literals of one owner, which cannot both hold, are left out.
    """
    n = literals.shape[0]
    gains = np.zeros((n, n))
    all_mass, all_hits = mass.sum(), hits.sum()
    for i in range(n):
        for j in range(i, n):
            if i != j and owners[i] == owners[j]:
                continue
            sums = count_sums(first, literals[i] & literals[j], mass, hits, len(costs))
            for k in range(len(costs)):
                cost = price * (2.0 + (i != j) + costs[k])
                m, h = sums[k]
                gain = max(saved(m, h, total), saved(all_mass - m, all_hits - h, total) - 0.5 * price) - cost
                gains[i, j] = max(gains[i, j], gain)
    return gains
