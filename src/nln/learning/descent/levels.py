"""Levels of codes: `icd_first_5 in {I21.0, I21.4, I21.9}` becomes `icd_first_3 = I21` where that costs less.

The levels of one column say nearly the same, so that beside a condition on one level no other earns its price: the
descent, which changes one condition at a time, stays at the level where a rule began. Here a level gives way to another
one, which gets its optimal condition by the same closed form. The price of literals then decides between one chapter,
a few groups and many codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.visits import KEPT, improve_feature
from nln.learning.descent.orders import rule_cost
from nln.rules.readings import PrefixReading
from nln.tables.encoding import Encoding

Levels = Sequence[Sequence[int]]
"""For each column of codes the numbers of the features that are its levels."""


def find_levels(encoding: Encoding) -> Levels:
    """Find the features that are levels of one column of codes."""
    by_column: dict[str, list[int]] = {}
    for j, slots in enumerate(encoding.slots):
        if isinstance(slots.feature.reading, PrefixReading):
            by_column.setdefault(slots.feature.reading.column, []).append(j)
    return [group for group in by_column.values() if len(group) > 1]


def change_levels(descent: Descent, price: float, levels: Levels) -> bool:
    """Let the rules of a descent at rest ask about other levels where that lowers the objective; tell whether any did.

    Constraints may be about a single level, so that with any of them the levels stay.
    """
    if not levels or descent.layout.limits is not None:
        return False
    changed = False
    for i in range(descent.draft.n_fixed, descent.draft.n_rules):
        descent.lift(i)
        for group in levels:
            for j, k in permutations(group, 2):
                changed |= _change(descent, i, j, k, price)
        descent.settle(i)
    if changed:
        descent.fit_output_biases()
    return changed


def _change(descent: Descent, i: int, j: int, k: int, price: float) -> bool:
    """Put the best condition on level k of the lifted rule in the place of that on level j, if that costs less."""
    old, other = descent.table(i, j), descent.table(i, k)
    if (old == 1.0).all():
        return False
    before = rule_cost(descent, i, j, old, *descent.sums(i, j), price)
    descent.put_table(i, j, np.ones_like(old))
    s1, s2 = descent.sums(i, k)
    new, span, output = np.empty_like(other), descent.spans[i, k].copy(), int(descent.draft.output[i])
    found = improve_feature(descent.layout, None, descent.draft.tables[i], k, span, s1, s2, np.inf, price, output, new)
    new = other if found == KEPT else new
    if rule_cost(descent, i, k, new, s1, s2, price) < before - 1e-9 * price:
        descent.put_table(i, k, new)
        return True
    descent.put_table(i, j, old)
    return False
