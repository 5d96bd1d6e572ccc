"""The path from many rules to few: one start's rules at every price, scored on rows it has not seen.

The starts' mean scores choose the price of a literal and the floor under the widths of fuzzy boundaries. Training rows
cannot choose either: they always prefer more literals and sharper boundaries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nln.learning.descent import Descent
from nln.learning.draft import DescentRows, Draft, SlotLayout
from nln.learning.shapes import Axis
from nln.learning.soften import soften
from nln.tables.encoding import Floats

LOWEST_PRICE = 0.05
PATH_STEPS = 7
SMALL_TABLE = 4096
"""Up to so many rows the path begins at the lowest price, whatever the noise, and floors under the widths are tried."""
FLOORS = (0, 2, 3)
"""Rungs of the ladder of widths that are tried as a floor."""


@dataclass(frozen=True)
class PathPoint:
    """One price on the path, averaged over the starts.

    Parameters
    ----------
    price : float
        Squared error that a literal must save.
    validation_loss : float
        Mean squared error on the rows each start left out.
    n_rules, size : float
        Number of rules and their mean number of literals.
    """

    price: float
    validation_loss: float
    n_rules: float
    size: float


@dataclass(frozen=True)
class StartPath:
    """What one start found at each price.

    Parameters
    ----------
    drafts : tuple of Draft
        Crisp rules, one draft a price.
    losses : ndarray, (prices, floors)
        Mean squared error on unseen rows after softening.
    sizes : ndarray, (prices,)
        Mean number of literals of a rule.
    """

    drafts: tuple[Draft, ...]
    losses: Floats
    sizes: Floats


def price_ladder(validation_losses: Sequence[float], n_rows: int) -> Floats:
    """Prices to try: doubling from the lowest, or on a long table from where noise alone would pay for a literal.

    Examples
    --------
    >>> price_ladder([0.0], 1000)[:3]
    array([0.05, 0.1 , 0.2 ])
    """
    noise = 8.0 * float(np.median(validation_losses)) if n_rows > SMALL_TABLE else 0.0
    lowest = LOWEST_PRICE * 2.0 ** max(0, round(np.log2(max(noise, LOWEST_PRICE) / LOWEST_PRICE)))
    ladder: Floats = lowest * 2.0 ** np.arange(PATH_STEPS)
    return ladder


def run_path(
    descent: Descent, axes: dict[int, Axis], unseen: DescentRows, prices: Floats, rng: np.random.Generator
) -> StartPath:
    """Descend at the lowest price, then go on from price to price.

    Parameters
    ----------
    descent : Descent
        A network's rules on the rows the start may see.
    axes : dict of int to Axis
        Boundaries that the ordered features offer.
    unseen : DescentRows
        Rows to score on.
    prices : ndarray
        Ascending prices.
    rng : Generator
        Order of the visits.
    """
    drafts, losses, sizes = [], [], []
    for price in prices:
        descent.run(float(price), rng, sweeps=5)
        drafts.append(descent.draft.copy())
        losses.append(_losses(descent, axes, unseen))
        sizes.append(float(descent.sizes().mean()) if descent.draft.n_rules else 0.0)
    return StartPath(tuple(drafts), np.array(losses), np.array(sizes))


def _losses(descent: Descent, axes: dict[int, Axis], unseen: DescentRows) -> Floats:
    """Loss on unseen rows for each floor under the boundaries' widths.

    On a long table all floors count the same, as crisp: there the training rows themselves show which boundaries are
    fuzzy.
    """
    floors = width_floors(axes)
    if not axes or descent.rows.n_rows > SMALL_TABLE:
        return np.full(len(floors), mean_loss(descent.layout, unseen, descent.draft))
    losses = np.empty(len(floors))
    for f, floor in enumerate(floors):
        trial = Descent(descent.layout, descent.rows, descent.draft)
        soften(trial, axes, floor, rounds=1)
        losses[f] = mean_loss(descent.layout, unseen, trial.draft)
    return losses


def width_floors(axes: dict[int, Axis]) -> tuple[int, ...]:
    """Floors that can be tried: only crisp boundaries where the language has no others."""
    return FLOORS if any(axis.widths.shape[1] > max(FLOORS) for axis in axes.values()) else FLOORS[:1]


def mean_loss(layout: SlotLayout, rows: DescentRows, draft: Draft) -> float:
    """Mean squared error of a draft on rows."""
    return Descent(layout, rows, draft).error() / max(float(rows.weights.sum()), 1e-300)


def choose(losses: Floats) -> tuple[int, int]:
    """Index of the price and of the floor to take, from the starts' losses, (starts, prices, floors).

    Single scores are noisy, so neighbouring prices are averaged. Of prices that are as good as the best (within half a
    standard error of the difference between the starts, and within a twentieth) the highest wins.

    Examples
    --------
    >>> import numpy as np
    >>> one_start = [[0.30, 0.31, 0.32], [0.20, 0.19, 0.25], [0.21, 0.20, 0.20], [0.40, 0.40, 0.40]]
    >>> choose(np.array([one_start]))
    (1, 1)
    """
    curves = losses.min(axis=2)
    padded = np.pad(curves, ((0, 0), (1, 1)), mode="edge")
    smooth = (padded[:, :-2] + 2 * curves + padded[:, 2:]) / 4
    mean = smooth.mean(axis=0)
    best = int(np.argmin(mean))
    error = (smooth - smooth[:, [best]]).std(axis=0) / np.sqrt(len(smooth))
    good = mean <= mean[best] + np.minimum(0.5 * error, 0.05 * mean[best])
    price = int(np.flatnonzero(good).max())
    return price, int(np.argmin(losses.mean(axis=0)[price]))


def path_points(prices: Floats, found: Sequence[StartPath]) -> tuple[PathPoint, ...]:
    """Average the starts' paths."""
    losses = np.mean([f.losses.min(axis=1) for f in found], axis=0)
    counts = np.mean([[d.n_rules for d in f.drafts] for f in found], axis=0)
    sizes = np.mean([f.sizes for f in found], axis=0)
    rows = zip(prices.tolist(), losses.tolist(), counts.tolist(), sizes.tolist(), strict=True)
    return tuple(PathPoint(*row) for row in rows)
