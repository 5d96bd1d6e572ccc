"""Local search after the descent: some rules are dropped, others grow where rows are unexplained, and the better stays.

Coordinate descent ends where no single condition can be improved. From there a few random rules are dropped, new ones
are sown on rows that no rule explains (a sown rule asks for the values of its row; the descent generalizes it), and the
descent runs again. The result is kept if the objective is lower. Every output is searched separately: a rule has one
output, and the errors of the outputs add up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nln.learning.descent.descent import Descent
from nln.learning.draft import DescentRows, Draft, no_spans, pool_drafts
from nln.learning.options import MOST_SEARCHED_ROWS
from nln.network.options import MOST_FEATURES

MOST_DROPPED, SOWN = 3, 3
"""Most rules dropped at once, and rules sown."""
_UNEXPLAINED = 0.05
"""Residual from which a row counts as unexplained."""


def can_search(descent: Descent) -> bool:
    """Whether the search is of use: on small tables of values alone, without constraints and fixed rules.

    Where boundaries have to be placed, a lower objective on few rows is no better on other rows.
    """
    is_free = descent.layout.limits is None and descent.draft.n_fixed == 0
    return is_free and descent.rows.n_rows <= MOST_SEARCHED_ROWS and not descent.layout.ordered.any()


def search_locally(
    descent: Descent, price: float, rng: np.random.Generator, patience: int = 30, rivals: Sequence[Descent] = ()
) -> Descent:
    """Search for better rules around a descent at rest; return the best descent found.

    For each output the search begins at the best of this descent and its rivals, which are at rest on the same rows. It
    ends after `patience` neighbours in a row that were no better.
    """
    found = []
    for k in range(len(descent.draft.output_bias)):
        begin = min((_of_output(d, k) for d in (descent, *rivals)), key=lambda d: d.objective(price))
        draft = _search(begin, price, rng, patience).draft
        draft.output[:] = k
        found.append(draft)
    output_bias = np.concatenate([draft.output_bias for draft in found])
    return Descent(descent.layout, descent.rows, pool_drafts(found)._replace(output_bias=output_bias))


def _of_output(descent: Descent, k: int) -> Descent:
    """The part of a descent that serves one output."""
    draft, rows = descent.draft.take(descent.draft.output == k), descent.rows
    draft.output[:] = 0
    own = DescentRows(rows.codes, rows.targets[k : k + 1], rows.weights)
    layout = descent.layout._replace(least_shares=descent.layout.least_shares[k : k + 1])
    return Descent(layout, own, draft._replace(output_bias=draft.output_bias[k : k + 1]))


def _search(descent: Descent, price: float, rng: np.random.Generator, patience: int) -> Descent:
    lowest, failures = descent.objective(price), 0
    while failures < patience:
        neighbour = _neighbour(descent, price, rng)
        found = neighbour.objective(price)
        failures += 1
        if found < lowest - 1e-6:
            descent, lowest, failures = neighbour, found, 0
    return descent


def _neighbour(descent: Descent, price: float, rng: np.random.Generator) -> Descent:
    kept = np.ones(descent.draft.n_rules, bool)
    dropped = min(len(kept), int(rng.integers(MOST_DROPPED + 1)))
    kept[rng.choice(len(kept), dropped, replace=False)] = False
    rest = Descent(descent.layout, descent.rows, descent.draft.take(kept))
    rest.fit_output_biases()
    near = Descent(descent.layout, descent.rows, pool_drafts([rest.draft, _sow(rest, rng)]))
    near.grow(np.arange(rest.draft.n_rules, near.draft.n_rules), price, rng)
    near.run(price, rng)
    return near


def _sow(descent: Descent, rng: np.random.Generator) -> Draft:
    """Rules that each ask for one row which is left unexplained."""
    rows, layout = descent.rows, descent.layout
    residual = rows.targets[0] - descent.probabilities()[0]
    missed = np.flatnonzero((residual > _UNEXPLAINED) & (rows.weights > 0))
    waiting = rng.standard_exponential(len(missed)) / (residual * rows.weights)[missed]  # heavy rows come first
    chosen = missed[np.argsort(waiting)[:SOWN]]
    count, features = len(chosen), rows.codes.shape[0]
    silent = rng.permuted(np.tile(np.arange(features) >= MOST_FEATURES, (count, 1)), axis=1)
    tables = np.repeat(silent, np.diff(layout.offsets), axis=1).astype(np.float64)
    tables[np.arange(count), layout.offsets[:-1, None] + rows.codes[:, chosen]] = 1.0
    parts = np.full(count, 0.5), np.zeros(count, np.int64), descent.draft.output_bias.copy()
    return Draft(tables, *parts, spans=no_spans(count, features))
