"""The best region of a column in a context: one histogram of the rows, then all intervals of its bins.

A context says what a rule on some rows would save. Each row has a mass m and hits h, and a region of the column saves
h^2 / (m + 1/2), h and m being sums over its rows. In the place of a rule's conditions, m = w q2 r^2 and h = w q1 r,
where r is the rest of the rule. For the only rule of an output, m = w and h = w (y - mean(y)); the output's bias then
takes over the other rows, so that the region saves what a split saves: the gain is divided by 1 - m / total.
"""

from __future__ import annotations

import numpy as np

from nln.compiled import compiled

PSEUDO_MASS = 0.5


@compiled
def best_region(mass, hits, n_bins, total, price, extra):
    """Best interval of the bins, or all but one: what it saves beyond its price, its ends, and whether it is inside.

    `total` is the mass of all rows for the only rule of an output, and infinite in the place of a rule's conditions.
    """
    best, first, last, inside = 0.0, -1, -1, True
    all_mass, all_hits = mass[:n_bins].sum(), hits[:n_bins].sum()
    for low in range(n_bins):
        m, h = 0.0, 0.0
        for high in range(low, n_bins):
            m += mass[high]
            h += hits[high]
            ends = (low > 0) + (high < n_bins - 1)
            if ends == 0:
                continue
            within = saved(m, h, total)
            without = saved(all_mass - m, all_hits - h, total)
            gain = max(within, without) - price * (ends + extra)
            if gain > best:
                best, first, last, inside = gain, low, high, within >= without
    return best, first, last, inside


@compiled
def saved(mass, hits, total):
    """What a region of some mass and hits saves; nothing if it has no hits."""
    if hits <= 0.0:
        return 0.0
    return hits * hits / (mass + PSEUDO_MASS) / (1.0 - mass / (total + PSEUDO_MASS))


@compiled
def histogram(codes, n_slots, row_mass, row_hits):
    """Mass and hits of each slot of a column."""
    mass, hits = np.zeros(n_slots), np.zeros(n_slots)
    for n in range(codes.shape[0]):
        mass[codes[n]] += row_mass[n]
        hits[codes[n]] += row_hits[n]
    return mass, hits


@compiled
def region_gains(codes, n_bins, row_mass, row_hits, total, price, extra):
    """What the best region of each column saves in each context, (columns, contexts)."""
    gains = np.zeros((codes.shape[0], row_mass.shape[0]))
    for k in range(row_mass.shape[0]):
        for c in range(codes.shape[0]):
            mass, hits = histogram(codes[c], n_bins[c] + 1, row_mass[k], row_hits[k])
            gains[c, k] = best_region(mass, hits, n_bins[c], total, price, extra[c])[0]
    return gains
