"""The best thing a rule can ask of one feature, given the closed-form sums. The loops are in `best_table.c`.

The descent calls them within C; here they stand to be looked at one by one. A feature has at most 256 slots.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nln.learning.descent.kernels.records import KIND
from nln.native.binding import DOUBLES, REAL, WHOLE, kernel
from nln.tables.encoding import Floats

CIRCLE, CHANCE = 2, 3
"""Values of `ordered` besides 0 (a bag of values) and 1 (an axis): a circle of bins, and bins of a probability."""


class Kind(NamedTuple):
    """What the slots of a feature are."""

    n_known: int
    has_other: int
    has_missing: int
    ordered: int


best_values = kernel("best_values", DOUBLES, WHOLE, WHOLE, REAL, REAL, DOUBLES, result=float)
"""`best_values(gain, n_known, has_other, price, negation, out)`: write the best value set; return its cost."""

best_intervals = kernel("best_intervals", DOUBLES, WHOLE, REAL, DOUBLES, DOUBLES, result=float)
"""`best_intervals(gain, n_bins, price, axis, out)`: write the best union of intervals; return its cost."""

best_interval = kernel("best_interval", DOUBLES, WHOLE, REAL, DOUBLES, DOUBLES, result=float)
"""`best_interval(gain, n_bins, price, axis, out)`: write the best single interval; return its cost."""

table_loss = kernel("table_loss", DOUBLES, DOUBLES, DOUBLES, DOUBLES, result=float)
"""`table_loss(new, old, s1, s2)`: how much more squared error a table has than another one."""

_literals = kernel("literals", DOUBLES, KIND, REAL, result=float)
_is_soft = kernel("is_soft", DOUBLES, WHOLE, result=int)
_best_missing = kernel("best_missing", REAL, REAL, REAL, WHOLE, DOUBLES, result=float)
_best_table = kernel("best_table", DOUBLES, DOUBLES, KIND, REAL, REAL, WHOLE, DOUBLES, DOUBLES, WHOLE, WHOLE, REAL)
_table_cost = kernel("table_cost", DOUBLES, DOUBLES, DOUBLES, KIND, REAL, REAL, REAL, result=float)


def literals(table: Floats, n_known: int, has_other: int, has_missing: int, ordered: int, negation: float) -> float:
    """Length of the condition that a table stands for, entries above one half being in."""
    return float(_literals(table, Kind(n_known, has_other, has_missing, ordered), negation))


def is_soft(table: Floats, n_slots: int) -> bool:
    """Whether some of the first slots is neither in nor out."""
    return bool(_is_soft(table, n_slots))


def best_missing(s1: float, s2: float, price: float, partial: bool = True) -> tuple[float, float]:
    """Best membership of a missing value and its cost; none unless it earns its price, all unless `partial`."""
    cost = np.zeros(1)
    p = _best_missing(s1, s2, price, partial, cost)
    return float(p), float(cost[0])


def best_table(
    s1: Floats,
    s2: Floats,
    n_known: int,
    has_other: int,
    has_missing: int,
    ordered: int,
    price: float,
    negation: float,
    unions: bool,
    axis: Floats,
    out: Floats,
    direction: int = 0,
    partial: bool = True,
    extra: float = 0.0,
) -> None:
    """Write the best table of a feature to `out`; all ones if asking nothing is as good.

    `axis` holds the place of each bin, of a probability its value. With a direction only one boundary is allowed: a
    lower one (1), or an upper one (-1). `partial` says whether missing values may satisfy a condition in part, and
    `extra` how many literals it costs to ask about the feature at all.
    """
    kind = Kind(n_known, has_other, has_missing, ordered)
    _best_table(s1, s2, kind, price, negation, unions, axis, out, direction, partial, extra)


def table_cost(
    table: Floats,
    s1: Floats,
    s2: Floats,
    n_known: int,
    has_other: int,
    has_missing: int,
    ordered: int,
    price: float,
    negation: float,
    extra: float = 0.0,
) -> float:
    """Objective of a table: squared error and the price of its literals, `extra` ones included if it asks anything."""
    kind = Kind(n_known, has_other, has_missing, ordered)
    return float(_table_cost(table, s1, s2, kind, price, negation, extra))
