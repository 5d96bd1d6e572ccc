"""Several starts, one program: train networks, choose the price, pool the rules, descend once more, soften boundaries.

The rows are cut into folds, as many as starts (at least five). Start s trains and descends without fold s, which serves
to stop the training and to score that start's path from many rules to few. The mean scores choose the price; the rules
of all starts one step below that price are pooled, and the descent on all rows keeps those that earn it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from nln.learning.descent import Descent
from nln.learning.dial import Dial, Stage
from nln.learning.draft import Integers, SlotLayout, descent_rows, pool_drafts, slot_layout, with_rules
from nln.learning.language import LanguageOptions
from nln.learning.path import (
    SMALL_TABLE,
    StartPath,
    Variant,
    choose,
    levels,
    price_ladder,
    run_path,
)
from nln.learning.prior import Prior
from nln.learning.shapes import Axis, make_axes
from nln.learning.spans import fuzzy_layout
from nln.learning.start import draft_network
from nln.learning.teacher import RATIO, with_imagined
from nln.network.callbacks import Callback, StopOnEvent
from nln.network.parameters import make_input
from nln.network.training import Network, TrainingOptions, train
from nln.rules import Rule
from nln.tables.encoding import EncodedRows, Encoding, Floats

MIN_FOLDS = 5
ROWS_PER_START = 8192
"""Most rows on which a single start descends; the pooled descent sees all rows."""

Item = TypeVar("Item")
Result = TypeVar("Result")


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
    rng, children = np.random.default_rng(seed), [np.random.default_rng(child) for child in seed.spawn(starts)]
    n_folds = max(starts, MIN_FOLDS)
    parents, pieces = rows.split(n_folds)
    folds = stratified_folds(pieces.targets, n_folds, rng, parents)
    initial, axes = prior.draft(encoding, make_axes(encoding, language))
    layouts = _layouts(slot_layout(encoding, language, prior.limits(encoding)), axes, rows.n_rows, prior)
    given = make_input(encoding, rows, training.intervals_for(rows.n_rows), training.bins)
    ready, stop, numbers = given.rows(pieces), Event(), list(range(starts))
    heard = (*callbacks, StopOnEvent(stop))

    def start_network(s: int) -> Network:
        fit, check = np.flatnonzero(folds != s), _sample(np.flatnonzero(folds == s), children[s])
        check = check if training.validation else check[:0]
        return train(given, ready, fit, check, n_rules, training, children[s], heard, s, prior.modules(initial))

    def start_paths(s: int, variants: Sequence[Variant]) -> list[StartPath]:
        own = pieces.take(_sample(np.flatnonzero(folds != s), children[s]))
        unseen = descent_rows(pieces.take(_sample(np.flatnonzero(folds == s), children[s])))
        draft, found = with_rules(draft_network(networks[s], encoding, descent_rows(own)), initial), []
        for level, taught in variants:
            seen = with_imagined(own, [networks[s]], children[s]) if taught else descent_rows(own)
            paid = prices * (1.0 + RATIO if taught else 1.0)
            found.append(run_path(Descent(layouts[level], seen, draft), axes, unseen, paid, children[s]))
        return found

    networks = run_threads(start_network, numbers, n_jobs, stop)
    losses = [n.validation_loss * rows.targets.shape[1] for n in networks]
    prices = np.array([price]) if price is not None else price_ladder(losses, rows.n_rows, bool(axes))
    announce(callbacks, "choosing the price")
    variants = [Variant(level) for level in layouts]
    found = run_threads(lambda s: start_paths(s, variants), numbers, n_jobs, stop)
    is_small = rows.n_rows <= SMALL_TABLE
    if is_small and np.mean(losses) < _losses(found).mean(axis=0).min():
        taught = [Variant(level, True) for level in layouts if level or len(layouts) == 1]
        more = run_threads(lambda s: start_paths(s, taught), numbers, n_jobs, stop)
        variants, found = [*variants, *taught], [[*f, *m] for f, m in zip(found, more, strict=True)]
    chosen, v = choose(_losses(found), variants, _plain_loss(rows), is_small and not axes)
    announce(callbacks, "pooling the rules")
    level, is_taught = variants[v]
    prices = prices * (_scale(rows) if price is None else 1.0)
    richer = ([f[v].drafts[max(p - 1, 0)] for f in found] for p in range(chosen + 1))
    pools = [with_rules(pool_drafts(drafts), initial) for drafts in richer]
    seen = with_imagined(rows, networks, rng) if is_taught else descent_rows(rows)
    few = seen if is_small else descent_rows(rows.take(_sample(np.arange(rows.n_rows), rng)))
    dial = Dial(layouts[level], axes, level, language.max_rules, prior.most_rules(), rng)
    stages = dial.run(seen, few, pools, prices * (1.0 + RATIO if is_taught else 1.0), is_small)
    unseen_losses = _losses(found)[:, :, v].mean(axis=0)
    shared = axes, language.negation, tuple(networks), prior.fixed
    return Learned(tuple(stages), chosen, prices, unseen_losses, *shared)


def _plain_loss(rows: EncodedRows) -> float:
    """Mean squared error of the labels' own frequencies."""
    mean = np.average(rows.targets, axis=0, weights=rows.weights)
    return float((mean * (1.0 - mean)).sum())


def _layouts(layout: SlotLayout, axes: dict[int, Axis], n_rows: int, prior: Prior) -> dict[int, SlotLayout]:
    """The slots with the boundaries of each floor under the widths that is tried; 0 is crisp.

    Constraints and fixed rules are kept on crisp tables only; boundaries become fuzzy afterwards.
    """
    if layout.limits is not None or prior.fixed:
        return {0: layout}
    return {level: fuzzy_layout(layout, axes, level) if level else layout for level in levels(axes, n_rows)}


def _losses(found: Sequence[Sequence[StartPath]]) -> Floats:
    """Losses on unseen rows, (starts, prices, variants)."""
    return np.array([[path.losses for path in paths] for paths in found]).swapaxes(1, 2)


def _scale(rows: EncodedRows) -> float:
    """How much dearer a literal is on all rows than on those a start saw: between not at all and in proportion.

    Noise that a literal may fit does not grow with the rows; what true literals are worth does. The root keeps programs
    readable on long tables and still lets them grow.
    """
    return float(np.sqrt(max(rows.n_rows / (2 * ROWS_PER_START), 1.0)))


def announce(callbacks: Sequence[Callback], stage: str) -> None:
    """Tell the callbacks that a stage begins."""
    for callback in callbacks:
        callback.on_stage(stage)


def run_threads(run: Callable[[Item], Result], items: Sequence[Item], n_jobs: int, stop: Event) -> list[Result]:
    """Run over threads; if one fails or the user interrupts, the others stop at their next epoch."""
    if n_jobs <= 1 or len(items) <= 1:
        return [run(item) for item in items]
    with ThreadPoolExecutor(min(n_jobs, len(items))) as threads:
        try:
            return list(threads.map(run, items))
        except BaseException:
            stop.set()
            threads.shutdown(wait=False, cancel_futures=True)
            raise


def _sample(rows: Integers, rng: np.random.Generator) -> Integers:
    return rows if len(rows) <= ROWS_PER_START else np.sort(rng.choice(rows, ROWS_PER_START, replace=False))


def stratified_folds(
    targets: npt.NDArray[np.floating], n_folds: int, rng: np.random.Generator, parents: Integers | None = None
) -> Integers:
    """Fold of each row, every combination of targets spread evenly over the folds.

    Parameters
    ----------
    targets : ndarray, (rows, outputs)
        What is spread evenly.
    n_folds : int
        Number of folds.
    rng : Generator
        Order of the rows.
    parents : ndarray of int, (rows,), or None
        Rows of the same parent are spread evenly, too.

    Examples
    --------
    >>> import numpy as np
    >>> folds = stratified_folds(np.array([[0.0], [0.0], [1.0], [1.0]]), 2, np.random.default_rng(0))
    >>> np.bincount(folds).tolist()
    [2, 2]
    """
    parents = np.arange(len(targets)) if parents is None else parents
    places = np.argsort(rng.permutation(int(parents.max(initial=-1)) + 1))[parents]
    folds = np.empty(len(targets), np.int64)
    folds[np.lexsort([places, *targets.T])] = np.arange(len(targets)) % n_folds
    return folds
