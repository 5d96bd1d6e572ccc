"""Local search after the descent: rules go, others grow where they are missed, and what is better stays.

Coordinate descent ends where no single condition can be improved. From there a few random rules are dropped, new ones
are sown on rows that no rule explains (a rule asks for the values of that row; the descent generalizes it), and the
descent runs again. The result is kept if the objective is lower. Every output is searched by itself: a rule has one
output, and the errors of outputs add up, so that what is better for one need not wait for the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.visits import PSEUDO_EVIDENCE
from nln.learning.draft import DescentRows, Draft, pool_drafts

MOST_DROPPED, SOWN, MOST_ASKED = 3, 3, 16
"""Most rules dropped at once, rules sown, and features, drawn at random, that a sown rule asks about at most."""
MOST_ROWS = 8192
"""Most rows, imagined ones with them, on which the search is run."""
_UNEXPLAINED = 0.05
"""Residual from which a row counts as unexplained."""


def polish(
    descent: Descent, price: float, rng: np.random.Generator, patience: int = 30, rivals: Sequence[Descent] = ()
) -> Descent:
    """Search for a better program around a descent at rest; return the best descent found.

    Parameters
    ----------
    descent : Descent
        A descent at rest.
    price : float
        What a literal must save.
    rng : Generator
        Draws what is dropped and sown.
    patience : int
        Neighbours in a row that must be no better before the search ends.
    rivals : sequence of Descent
        Other descents at rest on the same rows; for each output the search begins at the best one.
    """
    found = []
    for k in range(len(descent.draft.output_bias)):
        begin = min((_of_output(d, k) for d in (descent, *rivals)), key=lambda d: objective(d, price))
        draft = _search(begin, price, rng, patience).draft
        draft.output[:] = k
        found.append(draft)
    joined = pool_drafts(found)
    joined.output_bias = np.concatenate([draft.output_bias for draft in found])
    return Descent(descent.layout, descent.rows, joined)


def _of_output(descent: Descent, k: int) -> Descent:
    """The part of a descent that serves one output."""
    draft, rows = descent.draft.take(descent.draft.output == k), descent.rows
    draft.output[:] = 0
    draft.output_bias = draft.output_bias[k : k + 1]
    return Descent(descent.layout, DescentRows(rows.codes, rows.targets[k : k + 1], rows.weights), draft)


def _search(descent: Descent, price: float, rng: np.random.Generator, patience: int) -> Descent:
    lowest, failures = objective(descent, price), 0
    while failures < patience:
        neighbour = _neighbour(descent, price, rng)
        found = objective(neighbour, price)
        failures += 1
        if found < lowest - 1e-6:
            descent, lowest, failures = neighbour, found, 0
    return descent


def may_polish(descent: Descent) -> bool:
    """Whether the search is of use: on small tables of values alone, without constraints and fixed rules.

    Where boundaries are to be placed, a lower objective on few rows is no better on others.
    """
    is_free = descent.layout.limits is None and descent.draft.n_fixed == 0
    return is_free and descent.rows.n_rows <= MOST_ROWS and not descent.layout.ordered.any()


def objective(descent: Descent, price: float) -> float:
    """Squared error, the price of all literals and the evidence against each rule's bias."""
    evidence = PSEUDO_EVIDENCE * float(descent.draft.bias @ descent.draft.bias)
    return descent.error() + price * float(descent.sizes().sum()) + evidence


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
    silent = rng.permuted(np.tile(np.arange(features) >= MOST_ASKED, (count, 1)), axis=1)
    tables = np.repeat(silent, np.diff(layout.offsets), axis=1).astype(np.float64)
    tables[np.arange(count), layout.offsets[:-1, None] + rows.codes[:, chosen]] = 1.0
    spans = np.full((count, features, 2), -1, np.int64)
    return Draft(tables, np.full(count, 0.5), np.zeros(count, np.int64), descent.draft.output_bias.copy(), spans=spans)
