"""The path from many rules to few: one start's rules at every price, scored on rows it has not seen.

The starts' mean scores choose the price of a literal, the floor under the widths of fuzzy boundaries, and whether the
networks teach. Training rows cannot choose any of them: they always prefer more literals and sharper boundaries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.shapes import Axis
from nln.learning.descent.local_search import may_polish, polish
from nln.learning.descent.soften import soften
from nln.learning.draft import DescentRows, Draft, SlotLayout
from nln.tables.encoding import EncodedRows, Floats

LOWEST_PRICE, PATH_STEPS = 0.1, 7
"""Where the prices begin, and how often they double. On small tables with ordered features they begin a step lower: a
condition whose boundary is fuzzy holds in part, and saves less error."""
SMALL_TABLE = 4096
"""Up to so many rows the path begins at the lowest price, whatever the noise, and networks may teach."""
NOISE, LOW_NOISE = 8.0, 2.0
"""Where the prices begin on long tables, in squared errors of a row, and where if the lowest of these is the best."""
FLOORS = (0, 2, 3)
"""Rungs of the ladder of widths that are tried as a floor."""
WORTH_IT = 0.05
"""Loss that a floor under the widths, or teaching, must save, in the scale of `choose`."""


class Variant(NamedTuple):
    """One way to descend: the rung of the ladder of widths that is the floor of all boundaries; taught or not."""

    level: int
    taught: bool = False


@dataclass(frozen=True)
class StartPath:
    """What one start found at each price.

    Parameters
    ----------
    drafts : tuple of Draft
        Rules, one draft a price.
    losses : ndarray, (prices,)
        Mean squared error on unseen rows.
    sizes : ndarray, (prices,)
        Mean number of literals of a rule.
    """

    drafts: tuple[Draft, ...]
    losses: Floats
    sizes: Floats


def price_ladder(validation_losses: Sequence[float], n_rows: int, ordered: bool, noise: float = NOISE) -> Floats:
    """Prices to try: doubling from the lowest, or on a long table from where noise alone would pay for a literal.

    Examples
    --------
    >>> price_ladder([0.0], 1000, ordered=False)[:3]
    array([0.1, 0.2, 0.4])
    """
    is_small = n_rows <= SMALL_TABLE
    paid = 0.0 if is_small else noise * float(np.median(validation_losses))
    lowest = LOWEST_PRICE * 2.0 ** max(0, round(np.log2(max(paid, LOWEST_PRICE) / LOWEST_PRICE)))
    ladder: Floats = lowest * 2.0 ** np.arange(-int(is_small and ordered), PATH_STEPS)
    return ladder


def is_too_dear(losses: Floats) -> bool:
    """Whether the lowest price is the best, so that lower ones may be better; losses are (starts, prices, variants)."""
    mean = losses.mean(axis=0)
    return bool(mean[0].min() <= mean.min())


def levels(axes: dict[int, Axis]) -> tuple[int, ...]:
    """Floors under the widths to try: all that the ladders of widths have."""
    fuzzy = any(axis.widths.shape[1] > max(FLOORS) for axis in axes.values())
    return FLOORS if fuzzy else FLOORS[:1]


def run_path(
    descent: Descent, axes: dict[int, Axis], unseen: DescentRows, prices: Floats, rng: np.random.Generator
) -> StartPath:
    """Descend at the lowest price, then go on from price to price.

    Parameters
    ----------
    descent : Descent
        A network's rules on the rows the start may see.
    axes : dict of int to Axis
        Boundaries that the ordered features offer; crisp ones are softened before they are scored.
    unseen : DescentRows
        Rows to score on.
    prices : ndarray
        Ascending prices.
    rng : Generator
        Order of the visits.
    """
    drafts, losses, sizes = [], [], []
    crisp = len(descent.layout.places) == 0 and bool(axes) and descent.rows.n_rows <= SMALL_TABLE
    for price in prices:
        descent.run(float(price), rng, sweeps=5)
        if price == prices[0] and may_polish(descent):
            descent = polish(descent, float(price), rng, patience=15)
        drafts.append(descent.draft.copy())
        sizes.append(float(descent.sizes().mean()) if descent.draft.n_rules else 0.0)
        scored = descent
        if crisp:
            scored = Descent(descent.layout, descent.rows, descent.draft)
            soften(scored, axes, 0, rounds=1)
        losses.append(mean_loss(descent.layout, unseen, scored.draft))
    return StartPath(tuple(drafts), np.array(losses), np.array(sizes))


def mean_loss(layout: SlotLayout, rows: DescentRows, draft: Draft) -> float:
    """Mean squared error of a draft on rows, over all outputs."""
    return Descent(layout, rows, draft).error() / max(float(rows.weights.sum()), 1e-300)


def plain_loss(rows: EncodedRows) -> float:
    """Mean squared error without rules: that of the labels' own frequencies, over all outputs."""
    mean = np.average(rows.targets, axis=0, weights=rows.weights)
    return float((mean * (1.0 - mean)).sum())


def choose(losses: Floats, variants: Sequence[Variant], plain: float, searched: bool = True) -> tuple[int, int]:
    """Index of the price and of the variant to take, from the starts' losses, (starts, prices, variants).

    Single scores are noisy, so neighbouring prices are averaged. Losses are compared on a scale: the lowest one, or
    what rules save of the loss without rules if this is less, as on noisy tables, where all losses are alike. A floor
    under the widths and teaching must each save a twentieth of it. Prices are as good as the best within half a
    standard error of the difference between the starts, but at least within a fiftieth and at most within a twentieth.
    Of these the highest wins or, if a local search follows, the middle one: a search gives up true rules for few
    mistakes at prices that the starts' rules bear because they were found at lower ones.

    Parameters
    ----------
    losses : ndarray, (starts, prices, variants)
        Mean squared errors on unseen rows.
    variants : sequence of Variant
        The last axis.
    plain : float
        Mean squared error without rules.
    searched : bool
        Whether a local search follows.

    Examples
    --------
    >>> import numpy as np
    >>> one_start = [[0.30, 0.31, 0.32], [0.20, 0.15, 0.25], [0.21, 0.20, 0.20], [0.40, 0.40, 0.40]]
    >>> choose(np.array([one_start]), [Variant(0), Variant(2), Variant(3)], plain=0.5)
    (1, 1)
    """
    padded = np.pad(losses, ((0, 0), (1, 1), (0, 0)), mode="edge")
    smooth = (padded[:, :-2] + 2 * losses + padded[:, 2:]) / 4
    mean = smooth.mean(axis=0)
    scale = min(mean.min(), max(plain - mean.min(), 0.0))
    extra = np.array([(level > 0) + float(taught) for level, taught in variants])
    v = int(np.argmin(mean.min(axis=0) + WORTH_IT * scale * extra))
    curves, best = smooth[:, :, v], int(np.argmin(mean[:, v]))
    error = (curves - curves[:, [best]]).std(axis=0) / np.sqrt(len(curves))
    good = mean[:, v] <= mean[best, v] + np.clip(0.5 * error, 0.02 * scale, 0.05 * scale)
    prices = np.flatnonzero(good)
    return int(prices[len(prices) // 2 if searched else -1]), v
