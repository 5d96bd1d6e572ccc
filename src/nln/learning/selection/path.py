"""The path from many rules to few: one start's rules at every price, scored on the rows that the start leaves out.

The mean scores of the starts choose the price of a literal, the floor under the widths of fuzzy boundaries, and whether
the networks teach. Training rows cannot choose any of them: they always prefer more literals and sharper boundaries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nln.learning.descent.boundaries import Boundaries
from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import LEAST_EVIDENCE
from nln.learning.descent.local_search import can_search, search_locally
from nln.learning.descent.soften import soften
from nln.learning.draft import DescentRows, Draft
from nln.learning.options import Size
from nln.learning.packed import Drafts, pack
from nln.network.options import SMALL_TABLE
from nln.tables.encoding import EncodedRows, Floats

LOWEST_PRICE, PATH_STEPS = 0.1, 7
"""Where the prices begin, and how many there are, each twice the one before. On small tables with ordered features they
begin a step lower: a condition with a fuzzy boundary holds only in part, and so saves less error."""
NOISE, LOW_NOISE = 8.0, 2.0
"""Where the prices begin on long tables, in mean squared errors of a row and an output; the second if the lowest price
of the first is best."""
FLOORS = (0, 2, 3)
"""Rungs of the ladder of widths that are tried as a floor."""
EVIDENCE = (LEAST_EVIDENCE, 4.0, 16.0)
"""Weights of the evidence against every rule that are tried: the more, the less a rule on few rows may say."""
EXPLAINED = 0.1
"""Share of the loss without rules that may be left for rules to explain nearly everything."""
LEAST_GAIN = 0.05
"""Share of the loss that a floor under the widths, or teaching, must save, in the scale of `choose`."""


TOLERANCES: dict[Size, tuple[float, float, float]] = {
    "short": (1.0, 0.05, 0.2),
    "balanced": (0.5, 0.02, 0.05),
    "accurate": (0.0, 0.0, 0.0),
}
"""By how much a price may be worse than the best one: standard errors, and the least and the most, in the scale of
`choose`."""
MANY_RULES = 10
"""A balanced program of more rules gets shorter as long as it is no worse than a short program may be."""


class Variant(NamedTuple):
    """One way to descend."""

    floor: int  # lowest rung of the ladder of widths that a boundary may take
    taught: bool = False  # whether the networks teach
    evidence: float = EVIDENCE[0]  # weight of the evidence against every rule
    single: bool = False  # whether each price begins anew at rules of one condition, instead of at the network's


@dataclass(frozen=True)
class StartPath:
    """What one start found at each price."""

    drafts: Drafts
    losses: Floats  # (prices,) mean squared error on the left-out rows
    left_out: DescentRows
    probabilities: Floats  # (prices, outputs, rows) of the left-out rows, unless they are many


class Trial(NamedTuple):
    """When the path of a variant ends early: as soon as a start can see that it is not wanted."""

    least: float  # loss that the first price must be below
    leaves: bool  # whether the ladder of prices is left where its second price is worse than its first

    def is_over(self, losses: Sequence[float]) -> bool:
        """Whether the path ends after these losses."""
        is_worse = len(losses) == 2 and losses[1] > losses[0]
        return (len(losses) == 1 and losses[0] >= self.least) or (self.leaves and is_worse)


class LeftOut(NamedTuple):
    """Rows seen by those that did not learn from them."""

    probability: Floats  # (rows, outputs)
    truth: npt.NDArray[np.bool_]  # (rows, outputs)
    weights: Floats  # (rows,)


@dataclass(frozen=True)
class Choice:
    """The variant and the price that the left-out rows prefer."""

    variant: Variant
    prices: Floats  # that were tried
    price: int  # number of the chosen one
    losses: Floats  # (prices,) mean losses of the variant on the left-out rows
    paths: tuple[StartPath, ...]  # of the variant, for each start

    def left_out(self, price: int) -> LeftOut:
        """What the starts say at a price of the rows that they left out."""
        probability = np.hstack([path.probabilities[price] for path in self.paths])
        truth = np.hstack([path.left_out.targets for path in self.paths]) > 0.5
        return LeftOut(probability.T, truth.T, np.concatenate([path.left_out.weights for path in self.paths]))

    def drafts_below(self, price: int) -> list[Draft]:
        """The rules of all starts one step below a price."""
        return [path.drafts[max(price - 1, 0)] for path in self.paths]


def price_ladders(validation_losses: Sequence[float], n_rows: int, ordered: bool) -> list[Floats]:
    """Prices to try: doubling from the lowest, or on a long table from where noise alone would pay for a literal.

    On a long table there may be a second ladder, for where the lowest price of the first is best. The losses are those
    of an output: with many classes the errors of all others must not raise the price of a rule.
    """
    is_small, loss = n_rows <= SMALL_TABLE, float(np.median(validation_losses))
    paid = [LOWEST_PRICE] if is_small else [max(noise * loss, LOWEST_PRICE) for noise in (NOISE, LOW_NOISE)]
    steps = dict.fromkeys(round(np.log2(lowest / LOWEST_PRICE)) for lowest in paid)
    return [LOWEST_PRICE * 2.0**step * 2.0 ** np.arange(-int(is_small and ordered), PATH_STEPS) for step in steps]


def is_lowest_price_best(losses: Iterable[Floats]) -> bool:
    """Whether even lower prices may be better, given the losses of each variant by price."""
    found = list(losses)
    return bool(min(of_variant[0] for of_variant in found) <= min(of_variant.min() for of_variant in found))


def width_floors(boundaries: Boundaries) -> tuple[int, ...]:
    """Floors under the widths to try: all, unless every boundary is crisp."""
    is_fuzzy = any(offered.widths.any() for offered in boundaries.values())
    return FLOORS if is_fuzzy else FLOORS[:1]


def run_path(
    descent: Descent,
    boundaries: Boundaries,
    left_out: DescentRows,
    prices: Floats,
    rng: np.random.Generator,
    *,
    anew: bool = False,
    trial: Trial | None = None,
) -> StartPath:
    """Descend from a network's rules at the lowest price, then go on from price to price, or begin anew at each.

    A path on trial has fewer prices if it ended early. Crisp boundaries are softened before they are scored on the
    left-out rows.
    """
    drafts, losses, probabilities = [], [], []
    begin = descent.draft.copy() if anew else None
    softens = len(descent.layout.places) == 0 and bool(boundaries) and descent.rows.n_rows <= SMALL_TABLE
    for price in prices:
        if begin is not None:
            descent = Descent(descent.layout, descent.rows, begin)
        descent.run(float(price), rng, sweeps=5)
        if begin is None and price == prices[0] and can_search(descent):
            descent = search_locally(descent, float(price), rng, patience=15)
        drafts.append(pack(descent.draft))
        scored = descent
        if softens:
            scored = Descent(descent.layout, descent.rows, descent.draft)
            soften(scored, boundaries, 0, briefly=True)
        unseen = Descent(descent.layout, left_out, scored.draft, scored=True)
        losses.append(unseen.error() / max(float(left_out.weights.sum()), 1e-300))
        if left_out.n_rows <= SMALL_TABLE:  # on a long table nobody asks for them
            probabilities.append(unseen.probabilities())
        if trial is not None and trial.is_over(losses):
            break
    return StartPath(Drafts(drafts), np.array(losses), left_out, np.array(probabilities))


def plain_loss(rows: EncodedRows) -> float:
    """Mean squared error without rules: that of the frequencies of the labels, over all outputs."""
    mean = np.average(rows.targets, axis=0, weights=rows.weights)
    return float((mean * (1.0 - mean)).sum())


def smooth(losses: Floats) -> Floats:
    """Average the losses of neighbouring prices, (starts, prices, variants): single scores are noisy."""
    padded = np.pad(losses, ((0, 0), (1, 1), (0, 0)), mode="edge")
    averaged: Floats = (padded[:, :-2] + 2 * losses + padded[:, 2:]) / 4
    return averaged


def choose(
    losses: Floats,
    variants: Sequence[Variant],
    plain: float,
    rules: Floats | None = None,
    *,
    searched: bool = True,
    size: Size = "balanced",
) -> tuple[int, int]:
    """Index of the price and of the variant to take, from the starts' losses, (starts, prices, variants).

    `rules` are the mean numbers of rules, (prices, variants), if they count.

    Single scores are noisy, so neighbouring prices are averaged. Losses are compared on a scale: the lowest loss, or,
    if that is less, what rules save of the plain loss without rules, as on noisy tables, where all losses are alike. A
    floor under the widths and teaching must each save a twentieth of it, rules of networks at least that, compared with
    single conditions. A price is as good as the best one if it is worse by at most half a standard error of the
    difference between the starts, but at least by a fiftieth and at most by a twentieth of the scale. The highest of
    these prices wins or, if a local search follows, the middle one: at a high price the search gives up true rules,
    which a start keeps only because it found them at a lower price.

    A short program may be worse by a whole standard error, at least by a twentieth and at most by a fifth of the scale,
    and always has the highest price. A balanced program of many rules goes on towards it until it has few. A committee
    takes the best price.
    """
    smoothed = smooth(losses)
    mean = smoothed.mean(axis=0)
    scale = min(mean.min(), max(plain - mean.min(), 0.0))
    extra = np.array([(v.floor > 0) + float(v.taught) for v in variants])
    v = _best_variant(smoothed, variants, mean.min(axis=0) + LEAST_GAIN * scale * extra, LEAST_GAIN * scale)
    curves, best = smoothed[:, :, v], int(np.argmin(mean[:, v]))
    error = (curves - curves[:, [best]]).std(axis=0) / np.sqrt(len(curves))

    def good(as_size: Size) -> npt.NDArray[np.int64]:
        errors, least, most = TOLERANCES[as_size]
        worse = np.clip(errors * error, least * scale, most * scale)
        return np.flatnonzero(mean[:, v] <= mean[best, v] + worse)

    prices = good(size)
    is_searched = searched and size == "balanced" and not variants[v].single
    chosen = int(prices[len(prices) // 2 if is_searched else -1])
    if size == "balanced" and not searched and rules is not None and rules[chosen, v] > MANY_RULES:
        higher = [p for p in good("short").tolist() if p > chosen]
        chosen = next((p for p in higher if rules[p, v] <= MANY_RULES), max(higher, default=chosen))
    return chosen, v


def mean_rules(paths: Iterable[Sequence[StartPath]]) -> Floats:
    """Mean number of rules of the starts at each price, (prices, variants), of their paths by variant."""
    counts = [np.mean([path.drafts.n_rules for path in of_variant], axis=0) for of_variant in paths]
    return np.array(counts).T


def _best_variant(losses: Floats, variants: Sequence[Variant], weighed: Floats, least_gain: float) -> int:
    """The variant with the least weighed loss; single conditions, unless the others are better by a standard error.

    Networks stop where the left-out rows tell them to, so the losses of their rules are a little too low.
    """
    is_single = np.array([variant.single for variant in variants])
    v = int(np.argmin(weighed))
    if is_single[v] or not is_single.any():
        return v
    single = int(np.argmin(np.where(is_single, weighed, np.inf)))
    least = [losses[:, losses[:, :, i].mean(axis=0).argmin(), i] for i in (single, v)]
    difference = least[0] - least[1]
    error = float(difference.std()) / np.sqrt(len(difference))
    return v if weighed[single] - weighed[v] > max(error, least_gain) else single
