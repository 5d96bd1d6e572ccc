"""What constraints forbid or force in one rule, on rows in buckets: as `limits.c` does for the local descent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nln.learning.descent.kernels.best_table import table_loss
from nln.learning.descent.kernels.limits import best_literal, cost_of, has_required, is_blocked, make_monotone, must_ask
from nln.learning.descent.kernels.statistics import is_used
from nln.tables.encoding import Floats

if TYPE_CHECKING:
    from nln.learning.parted.descent import PartedDescent


def conform(descent: PartedDescent, i: int) -> bool:
    """Make a lifted rule keep to the limits at the least loss; return whether it can."""
    layout, limits, rule, bound = descent.layout, descent.layout.limits, descent.draft.tables[i], descent.bound
    assert limits is not None
    for j, direction in enumerate(limits.direction[descent.draft.output[i]].tolist()):
        if direction:
            new = descent.table(i, j)
            make_monotone(new, layout.n_known[j], direction)
            descent.put_table(i, j, new)
    if not _add_required(descent, i):
        return False
    while True:
        clashing = [j for j in descent.used(i) if is_blocked(*bound, rule, j)]
        clashing = descent.not_forced(i, clashing)
        if not clashing:
            return True
        descent.take_away(i, descent.least_missed(i, clashing))


def _add_required(descent: PartedDescent, i: int) -> bool:
    """Let the rule ask for a required feature if it asks for none; return whether it does in the end."""
    limits, (layout, _) = descent.layout.limits, descent.bound
    assert limits is not None
    if has_required(*descent.bound, descent.draft.tables[i]):
        return True
    least, found = np.inf, None
    for j in np.flatnonzero(limits.required).tolist():
        old, (s1, s2) = descent.table(i, j), descent.sums(i, j)
        new = np.ones(len(old))
        if best_literal(s1, s2, layout, j, 0.0, limits.direction[descent.draft.output[i], j], new):
            loss = table_loss(new, old, s1, s2)
            if loss < least:
                least, found = loss, (j, new)
    if found is not None:
        descent.put_table(i, *found)
    return found is not None


def swap(descent: PartedDescent, i: int, price: float) -> int:
    """Replace conditions by others on features of lower price factors where that is better; return how many."""
    layout, limits, rule, bound = descent.layout, descent.layout.limits, descent.draft.tables[i], descent.bound
    assert limits is not None
    swapped, factors = 0, limits.factors
    for j in range(descent.n_features):
        for f in np.flatnonzero(factors < factors[j]).tolist():
            old, new = descent.table(i, j), descent.table(i, f)
            if is_used(new) or not is_used(old) or (must_ask(*bound, rule, j) and not limits.required[f]):
                continue
            before = _cost(descent, i, j, old, price, search=False)
            descent.take_away(i, j)
            after = _cost(descent, i, f, new, price, search=True)
            known = layout.n_known[f] + layout.has_other[f]
            if after < before - 1e-9 and is_used(new[:known]) and not is_blocked(*bound, rule, f):
                descent.put_table(i, f, new)
                swapped += 1
            else:
                descent.put_table(i, j, old)
    return swapped


def _cost(descent: PartedDescent, i: int, j: int, part: Floats, price: float, *, search: bool) -> float:
    """Objective of a feature's table, after writing the best one to `part` if `search`."""
    return float(cost_of(*descent.bound, j, *descent.sums(i, j), descent.draft.output[i], price, search, part))
