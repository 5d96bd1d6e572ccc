"""What constraints forbid or force in one rule, on rows in buckets: as `nln.learning.descent.kernels.limits` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nln.learning.descent.kernels.best_table import best_table, table_cost
from nln.learning.descent.kernels.limits import _make_monotone as make_monotone
from nln.learning.descent.kernels.limits import asks_value, best_literal, is_blocked, must_ask
from nln.learning.descent.kernels.spans import extra_literals
from nln.learning.descent.kernels.statistics import is_used
from nln.tables.encoding import Floats

if TYPE_CHECKING:
    from nln.learning.parted.descent import PartedDescent


def conform(descent: PartedDescent, i: int) -> bool:
    """Make a lifted rule keep to the limits at the least loss; return whether it can."""
    layout, limits, rule = descent.layout, descent.layout.limits, descent.draft.tables[i]
    assert limits is not None
    for j, direction in enumerate(limits.direction[descent.draft.output[i]].tolist()):
        if direction:
            new = descent.table(i, j)
            make_monotone(new[: layout.n_known[j]], direction)
            descent.put_table(i, j, new)
    if not _add_required(descent, i):
        return False
    while True:
        used = [j for j in range(descent.n_features) if is_used(descent.table(i, j))]
        clashing = [j for j in used if is_blocked(layout, rule, j) and not must_ask(layout, rule, j)]
        if not clashing:
            return True
        descent.take_away(i, descent.least_missed(i, clashing))


def _add_required(descent: PartedDescent, i: int) -> bool:
    """Let the rule ask for a required feature if it asks for none; return whether it does in the end."""
    layout, limits, rule = descent.layout, descent.layout.limits, descent.draft.tables[i]
    assert limits is not None
    required = np.flatnonzero(limits.required).tolist()
    if not required or any(asks_value(layout, rule, j) for j in required):
        return True
    least, found = np.inf, None
    for j in required:
        old, (s1, s2) = descent.table(i, j), descent.sums(i, j)
        new = np.ones(len(old))
        if best_literal(s1, s2, layout, j, 0.0, limits.direction[descent.draft.output[i], j], new):
            loss = float((s2 * (new * new - old * old) - 2.0 * s1 * (new - old)).sum())
            if loss < least:
                least, found = loss, (j, new)
    if found is not None:
        descent.put_table(i, *found)
    return found is not None


def swap(descent: PartedDescent, i: int, price: float) -> int:
    """Replace conditions by others on features of lower price factors where that is better; return how many."""
    layout, limits, rule = descent.layout, descent.layout.limits, descent.draft.tables[i]
    assert limits is not None
    swapped, factors, output = 0, limits.factors, descent.draft.output[i]
    for j in range(descent.n_features):
        for f in np.flatnonzero(factors < factors[j]).tolist():
            old, new = descent.table(i, j), descent.table(i, f)
            if is_used(new) or not is_used(old) or (must_ask(layout, rule, j) and not limits.required[f]):
                continue
            before = _cost(descent, i, j, old, price)
            descent.take_away(i, j)
            after = _cost(descent, i, f, new, price, limits.direction[output, f])
            known = layout.n_known[f] + layout.has_other[f]
            if after < before - 1e-9 and is_used(new[:known]) and not is_blocked(layout, rule, f):
                descent.put_table(i, f, new)
                swapped += 1
            else:
                descent.put_table(i, j, old)
    return swapped


def _cost(descent: PartedDescent, i: int, j: int, part: Floats, price: float, direction: int | None = None) -> float:
    """Objective of a feature's table, after writing the best one to `part` if a direction is given."""
    layout, limits = descent.layout, descent.layout.limits
    assert limits is not None
    s1, s2 = descent.sums(i, j)
    kind = (layout.n_known[j], layout.has_other[j], layout.has_missing[j], layout.ordered[j])
    paid, extra = price * limits.factors[j], extra_literals(layout, j)
    if direction is not None:
        axis = layout.axis[layout.offsets[j] : layout.offsets[j + 1]]
        allowed = layout.unions, axis, part, direction, layout.partial_missing, extra
        best_table(s1, s2, *kind, paid, layout.negation, *allowed)
    return float(table_cost(part, s1, s2, *kind, paid, layout.negation, extra))
