"""The best region of counts that grow by one literal."""

from __future__ import annotations

import numpy as np

from nln.compiled import compiled
from nln.learning.derived.kernels.regions import best_region, histogram


@compiled
def count_gains(base, held, row_mass, row_hits, total, price, extra, size):
    """What the best region of the count `base + literal` saves for each literal, and whether it is a true count.

    `size` is the number of members with the literal. A region that is "all" or "any" is an AND or an OR, no count.
    """
    gains, is_true = np.zeros(held.shape[0]), np.zeros(held.shape[0], np.bool_)
    for c in range(held.shape[0]):
        mass, hits = histogram(base + held[c], size + 1, row_mass, row_hits)
        gains[c], low, high, _ = best_region(mass, hits, size + 1, total, price, extra[c])
        lowest = 2  # the lowest count above the only boundary
        if high == size:
            lowest = low
        elif low == 0:
            lowest = high + 1
        is_true[c] = size >= 3 and low >= 0 and 2 <= lowest < size
    return gains, is_true
