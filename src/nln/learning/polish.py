"""Local search after the descent: rules go, others grow where they are missed, and what is better stays.

Coordinate descent ends where no single condition can be improved. From there a few random rules are dropped, new ones
are sown on rows that no rule explains (a rule that asks for just that row; the descent generalizes it), and the descent
runs again. The result is kept if the objective is lower.
"""

from __future__ import annotations

import numpy as np

from nln.learning.descent import Descent
from nln.learning.draft import Draft, pool_drafts
from nln.learning.visits import PSEUDO_EVIDENCE

MOST_DROPPED, SOWN = 3, 3
"""Most rules dropped at once, and rules sown for each output."""
MOST_ROWS = 8192
"""Most rows, imagined ones with them, on which the search is run."""
_UNEXPLAINED = 0.05
"""Residual from which a row counts as unexplained."""


def polish(descent: Descent, price: float, rng: np.random.Generator, patience: int = 30) -> Descent:
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
    """
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
    sown = [_sow(rest, k, rng) for k in range(len(rest.draft.output_bias))]
    near = Descent(descent.layout, descent.rows, pool_drafts([rest.draft, *sown]))
    features = descent.rows.codes.shape[0]
    for i in range(rest.draft.n_rules, near.draft.n_rules):
        while near.alive[i] and near.improve(i, price, rng.permutation(features)):
            pass
    near.run(price, rng)
    return near


def _sow(descent: Descent, k: int, rng: np.random.Generator) -> Draft:
    """Rules that each ask for one row which output k leaves unexplained."""
    rows, layout = descent.rows, descent.layout
    residual = rows.targets[k] - descent.probabilities()[k]
    missed = np.where(residual > _UNEXPLAINED, residual * rows.weights, 0.0)
    count = min(SOWN, int(np.count_nonzero(missed)))
    tables = np.zeros((count, layout.offsets[-1]))
    if count:
        chosen = rng.choice(len(missed), count, replace=False, p=missed / missed.sum())
        for table, n in zip(tables, chosen, strict=True):
            for j, code in enumerate(rows.codes[:, n]):
                reach = layout.n_known[j] // 8 if layout.ordered[j] and code < layout.n_known[j] else 0
                first = layout.offsets[j]
                last = first + (layout.n_known[j] if reach else layout.offsets[j + 1] - first)
                table[max(first + int(code) - reach, first) : min(first + int(code) + reach + 1, last)] = 1.0
    output = np.full(count, k, np.int64)
    spans = np.full((count, rows.codes.shape[0], 2), -1, np.int64)
    return Draft(tables, np.full(count, 0.5), output, descent.draft.output_bias.copy(), spans=spans)
