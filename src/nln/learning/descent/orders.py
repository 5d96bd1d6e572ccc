"""Sets of values that follow an order: `grade not in {0, 5}` becomes `grade != 0` where that costs next to nothing.

Grades, bands and numbered texts are values to the descent, which lists whichever save most. A set that leaves out the
middle or the worst grade usually rests on a few rows and misleads a reader. So a gap counts as one literal more: the
best set that goes on to one end of the order takes its place if that costs less.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.visits import rule_sizes
from nln.tables.encoding import Encoding, Floats, Integers
from nln.tables.proposals import order_of_values

_GAP = 1.0
"""Literals that a set with a gap counts more than its values."""


def find_orders(encoding: Encoding) -> dict[int, Integers]:
    """For each feature whose values look ordered, its slots in that order."""
    found = {}
    for j, slots in enumerate(encoding.slots):
        if not slots.has_bins and not slots.has_other:
            order = order_of_values([slots.feature.values[v] for v in slots.values])
            if order is not None:
                found[j] = np.array(order, np.int64)
    return found


def follow_orders(descent: Descent, price: float, orders: Mapping[int, Integers]) -> None:
    """Let the rules of a descent at rest ask for sets that follow the orders, unless a gap is worth a literal."""
    if descent.layout.limits is not None:
        return
    for i in range(descent.draft.n_fixed, descent.draft.n_rules):
        descent.lift(i)
        for j, order in orders.items():
            _follow(descent, i, j, order, price)
        descent.settle(i)
    descent.fit_output_biases()


def _follow(descent: Descent, i: int, j: int, order: Integers, price: float) -> None:
    """Exchange the set of one feature of the lifted rule."""
    now = descent.table(i, j)
    if np.abs(np.diff(now[order])).sum() < 2:  # it goes on to one end, or asks nothing
        return
    s1, s2 = descent.sums(i, j)
    best, lowest = None, rule_cost(descent, i, j, now, s1, s2, price) + _GAP * price
    for k in range(1, len(order)):
        for inside in (order[:k], order[k:]):
            table = now.copy()
            table[order] = 0.0
            table[inside] = 1.0
            cost = rule_cost(descent, i, j, table, s1, s2, price)
            if cost <= lowest:
                best, lowest = table, cost
    if best is not None:
        descent.put_table(i, j, best)


def rule_cost(descent: Descent, i: int, j: int, table: Floats, s1: Floats, s2: Floats, price: float) -> float:
    """Squared error, up to a constant, and price of the rule with another table of one feature."""
    whole = descent.draft.tables[i].copy()
    whole[descent.layout.offsets[j] : descent.layout.offsets[j + 1]] = table
    size = float(rule_sizes(descent.layout, whole[None], descent.spans[i : i + 1])[0])
    return float((s2 * table * table - 2.0 * s1 * table).sum()) + price * size
