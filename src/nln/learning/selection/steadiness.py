"""In how many starts a rule was found: chance leads one start to a rule, what the rows say leads most of them there."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

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
    rules = pool_drafts([draft._replace(n_fixed=0) for draft in drafts])  # fixed rules are counted as well
    own, counts = covered(layout, rows, rules), np.zeros(rules.n_rules, np.int64)
    for path in paths:
        start = _distinct(path)
        theirs = covered(layout, rows, start)
        for k in np.unique(start.output):
            mine, other = np.flatnonzero(rules.output == k), theirs[start.output == k]
            counts[mine] += (_overlaps(own[mine], other, rows.weights) >= NEARLY).any(axis=1)
    return np.split(counts, np.cumsum([draft.n_rules for draft in drafts])[:-1])


def _distinct(path: Sequence[Draft]) -> Draft:
    """One of the rules that are the same: most rules of a start stay from price to price."""
    seen, kept = set[tuple[int, bytes]](), list[Draft]()
    for draft in path:
        new = list[int]()
        for i, (k, table) in enumerate(zip(draft.output.tolist(), draft.tables, strict=True)):
            key = k, blake2b(table, digest_size=16).digest()
            if i >= draft.n_fixed and key not in seen:
                seen.add(key)
                new.append(i)
        kept.append(draft.take(np.array(new, np.int64)))
    return pool_drafts(kept)


def _overlaps(one: Bools, other: Bools, weights: Floats) -> Floats:
    """Weight of the rows that both rules cover, as a share of those that either covers, (rules, other rules).

    No BLAS: on several threads it spends more on waiting than on sums.
    """
    first, second = one * weights, other.astype(np.float64)
    both = np.einsum("ir,jr->ij", first, second)
    either = first.sum(axis=1)[:, None] + (second * weights).sum(axis=1) - both
    return np.asarray(both / np.maximum(either, 1e-300))
