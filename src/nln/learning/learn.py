"""Several starts, one program: train networks, choose the price, pool the rules, descend once more, soften boundaries.

The rows are cut into folds, as many as starts (at least five). Start s trains and descends without fold s, which serves
to stop the training and to score that start's path from many rules to few. The mean scores choose the price; the rules
of all starts one step below that price are pooled, and the descent on all rows keeps those that earn it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nln.learning.descent.kernels.shapes import Axis, make_axes
from nln.learning.descent.kernels.spans import fuzzy_layout
from nln.learning.draft import SlotLayout, descent_rows, pool_drafts, slot_layout, with_rules
from nln.learning.options import LanguageOptions
from nln.learning.prior import Prior
from nln.learning.selection.dial import Dial, Stage
from nln.learning.selection.folds import ROWS_PER_START, sample_rows, stratified_folds
from nln.learning.selection.path import LOW_NOISE, SMALL_TABLE, choose, is_too_dear, levels, plain_loss, price_ladder
from nln.learning.selection.starts import Ground, Starts
from nln.learning.selection.teacher import RATIO, with_imagined
from nln.learning.selection.threads import announce
from nln.network.callbacks import Callback
from nln.network.layout import make_input
from nln.network.training import Network, TrainingOptions
from nln.rules import Rule
from nln.tables.encoding import EncodedRows, Encoding, Floats

MIN_FOLDS = 5


@dataclass(frozen=True)
class Learned:
    """The outcome of learning.

    Parameters
    ----------
    stages : tuple of Stage
        The rules at each price, from many to few.
    chosen : int
        Number of the stage that is taken.
    prices, validation_losses : ndarray
        What a literal had to save, and the mean squared error on rows left out, of each stage.
    axes : dict
        What the boundaries of ordered features stand for.
    negation : bool
        Whether conditions may list exceptions.
    networks : tuple of Network
        The soft networks, one a start.
    fixed : tuple of Rule
        Rules whose conditions were given and stay: the first ones of the draft.
    """

    stages: tuple[Stage, ...]
    chosen: int
    prices: Floats
    validation_losses: Floats
    axes: dict[int, Axis]
    negation: bool
    networks: tuple[Network, ...]
    fixed: tuple[Rule, ...] = ()


def learn(
    encoding: Encoding,
    rows: EncodedRows,
    *,
    n_rules: int,
    starts: int,
    price: float | None,
    training: TrainingOptions,
    language: LanguageOptions,
    seed: np.random.SeedSequence,
    n_jobs: int,
    callbacks: Sequence[Callback] = (),
    prior: Prior | None = None,
) -> Learned:
    """Learn rules from encoded rows.

    Parameters
    ----------
    encoding, rows : Encoding, EncodedRows
        The data.
    n_rules : int
        Rule modules of a network.
    starts : int
        Networks to train.
    price : float or None
        Squared error that a literal must save; None chooses it on the rows the starts leave out.
    training : TrainingOptions
        How networks are trained.
    language : LanguageOptions
        What the rules may say.
    seed : SeedSequence
        Every start draws from its own child, so that the result does not depend on the number of threads.
    n_jobs : int
        Threads.
    callbacks : sequence of Callback
        Told of every epoch and stage.
    prior : Prior or None
        Constraints on the rules, and rules to begin with.
    """
    prior = prior or Prior()
    rng, rngs = np.random.default_rng(seed), [np.random.default_rng(child) for child in seed.spawn(starts)]
    is_small, n_folds = rows.n_rows <= SMALL_TABLE, max(starts, MIN_FOLDS)
    parents, pieces = rows.split(n_folds)
    folds = stratified_folds(pieces.targets, n_folds, rng, parents)
    initial, axes = prior.draft(encoding, make_axes(encoding, language))
    layouts = _layouts(slot_layout(encoding, language, prior.limits(encoding)), axes, prior)
    given = make_input(encoding, rows, training.intervals_for(rows.n_rows), training.bins)
    all_starts = Starts(Ground(encoding, pieces, folds, layouts, axes, initial), rngs, n_jobs)
    networks = all_starts.train(given, n_rules, training, callbacks, prior.modules(initial))
    losses = [n.validation_loss * rows.targets.shape[1] for n in networks]
    prices = np.array([price]) if price is not None else price_ladder(losses, rows.n_rows, bool(axes))
    announce(callbacks, "choosing the price")
    tried = all_starts.try_variants(prices, is_small=is_small, network_loss=float(np.mean(losses)))
    if price is None and not is_small and is_too_dear(tried.losses):
        prices = price_ladder(losses, rows.n_rows, bool(axes), LOW_NOISE)
        tried = all_starts.try_variants(prices, is_small=is_small, network_loss=float(np.mean(losses)))
    chosen, v = choose(tried.losses, tried.variants, plain_loss(rows), is_small and not axes)
    announce(callbacks, "pooling the rules")
    level, is_taught = tried.variants[v]
    prices = prices * (_scale(rows) if price is None else 1.0)
    pools = [with_rules(pool_drafts(tried.drafts(v, max(p - 1, 0))), initial) for p in range(chosen + 1)]
    rivals = [with_rules(draft, initial) for draft in tried.drafts(v, max(chosen - 1, 0))] if is_small else None
    seen = with_imagined(rows, networks, rng) if is_taught else descent_rows(rows)
    few = seen if is_small else descent_rows(rows.take(sample_rows(np.arange(rows.n_rows), rng)))
    dial = Dial(layouts[level], axes, level, language.max_rules, prior.most_rules(), rng)
    stages = dial.run(seen, few, pools, prices * (1.0 + RATIO if is_taught else 1.0), rivals)
    unseen_losses = tried.losses[:, :, v].mean(axis=0)
    shared = axes, language.negation, tuple(networks), prior.fixed
    return Learned(tuple(stages), chosen, prices, unseen_losses, *shared)


def _layouts(layout: SlotLayout, axes: dict[int, Axis], prior: Prior) -> dict[int, SlotLayout]:
    """The slots with the boundaries of each floor under the widths that is tried; 0 is crisp.

    Constraints and fixed rules are kept on crisp tables only; boundaries become fuzzy afterwards.
    """
    if layout.limits is not None or prior.fixed:
        return {0: layout}
    return {level: fuzzy_layout(layout, axes, level) if level else layout for level in levels(axes)}


def _scale(rows: EncodedRows) -> float:
    """How much dearer a literal is on all rows than on those a start saw: between not at all and in proportion.

    Noise that a literal may fit does not grow with the rows; what true literals are worth does. The root keeps programs
    readable on long tables and still lets them grow.
    """
    return float(np.sqrt(max(rows.n_rows / (2 * ROWS_PER_START), 1.0)))
