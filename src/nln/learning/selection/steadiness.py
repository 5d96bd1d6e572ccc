"""In how many starts a rule was found: chance leads one start to a rule, what the rows say leads most of them there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nln.learning.descent.descent import covered
from nln.learning.descent.layout import SlotLayout
from nln.learning.draft import DescentRows, Draft, pool_drafts
from nln.learning.options import ROWS_PER_START
from nln.tables.encoding import Floats, Integers

Bools = npt.NDArray[np.bool_]

NEARLY = 0.8
"""Share of the rows that either of two rules covers which both must cover, so that they count as the same rule."""


def starts_that_found(
    drafts: Sequence[Draft], paths: Sequence[Sequence[Draft]], layout: SlotLayout, rows: DescentRows
) -> list[Integers]:
    """Count for each rule of each draft the starts with a rule for the same output that covers nearly the same rows.

    `paths` has the rules of each start at every price. On a long table a part of the rows is enough: rows are in random
    order.
    """
    if rows.n_rows > ROWS_PER_START:
        rows = rows.take(np.linspace(0, rows.n_rows - 1, ROWS_PER_START).astype(np.int64))
    own = [covered(layout, rows, draft) for draft in drafts]
    counts = [np.zeros(draft.n_rules, np.int64) for draft in drafts]
    for path in paths:
        start = pool_drafts(list(path))
        others = covered(layout, rows, start)
        for draft, rules, count in zip(drafts, own, counts, strict=True):
            same = _overlaps(rules, others, rows.weights) >= NEARLY
            np.add(count, (same & (draft.output[:, None] == start.output)).any(axis=1), out=count)
    return counts


def _overlaps(one: Bools, other: Bools, weights: Floats) -> Floats:
    """Weight of the rows that both rules cover, as a share of those that either covers, (rules, other rules)."""
    both = (one * weights) @ other.T
    either = (one @ weights)[:, None] + other @ weights - both
    return np.asarray(both / np.maximum(either, 1e-300))
