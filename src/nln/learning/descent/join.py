"""Joining of rules that together say something simpler: `a AND age >= 27` and `a AND age < 27` are the rule `a`.

No step on one rule alone leads there: as long as the other rule stands, a wider rule explains its rows twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.best_table import CHANCE
from nln.learning.descent.layout import SlotLayout
from nln.learning.draft import Draft
from nln.tables.encoding import Floats


def join_rules(descent: Descent, price: float, rng: np.random.Generator) -> Descent:
    """Join rules of a descent at rest where that does not raise the objective; return a descent at rest."""
    while True:
        lowest, found = descent.objective(price), None
        for draft, i in _joined(descent):
            trial = descent.anew(draft)
            trial.lift(i)
            trial.settle(i)
            reached = trial.objective(price)
            if reached <= lowest:
                lowest, found = reached, trial
        if found is None:
            return descent
        found.run(price, rng)
        descent = found


def _joined(descent: Descent) -> Iterator[tuple[Draft, int]]:
    """Drafts in which one rule, whose number is returned, stands for two that ask about the same features.

    The two are the same but for one condition or, if all rows satisfy either condition on some feature, differ in other
    conditions, too: each in turn lends them to the joined rule.
    """
    draft, offsets = descent.draft, descent.layout.offsets
    used = np.logical_or.reduceat(draft.tables != 1.0, offsets[:-1], axis=1)
    for i, k in permutations(range(draft.n_fixed, draft.n_rules), 2):
        if draft.output[i] != draft.output[k] or (used[i] != used[k]).any():
            continue
        differ = np.flatnonzero(np.logical_or.reduceat(draft.tables[i] != draft.tables[k], offsets[:-1]))
        for j in differ.tolist():
            tables = (rule[offsets[j] : offsets[j + 1]] for rule in draft.tables[[i, k]])
            table = _union(descent.layout, j, *tables, is_only=len(differ) == 1)
            if table is not None:
                yield _replaced(draft, i, k, j, slice(*offsets[j : j + 2]), table), i - (k < i)


def _union(layout: SlotLayout, j: int, one: Floats, other: Floats, *, is_only: bool) -> Floats | None:
    """What a joined rule asks of a feature: nothing, if every value satisfies either rule, else what either asks."""
    union, n_known = np.maximum(one, other), layout.n_known[j]
    if layout.limits is not None and layout.limits.required[j]:
        return None
    if (union >= 0.5).all():
        return np.ones_like(union)
    is_fuzzy = len(layout.place_offsets) > 0 and layout.place_offsets[j + 1] > layout.place_offsets[j]
    if not is_only or is_fuzzy or layout.ordered[j] == CHANCE:
        return None
    ends = np.count_nonzero(np.diff(union[:n_known] > 0.5, prepend=False, append=False))
    return union if not layout.ordered[j] or layout.unions or ends <= 2 else None


def _replaced(draft: Draft, i: int, k: int, j: int, part: slice, table: Floats) -> Draft:
    """A draft with another table of a feature in rule i, and without rule k."""
    changed = draft.copy()
    changed.tables[i, part] = table
    if changed.spans is not None:
        changed.spans[i, j] = -1
    kept = np.arange(draft.n_rules) != k
    return changed.take(kept)._replace(n_fixed=draft.n_fixed)
