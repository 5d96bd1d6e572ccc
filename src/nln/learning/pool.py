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
from nln.learning.draft import Draft, Integers, descent_rows, pool_drafts, slot_layout, with_rules
from nln.learning.language import LanguageOptions
from nln.learning.path import PathPoint, StartPath, choose, path_points, price_ladder, run_path, width_floors
from nln.learning.prior import Prior, keep_most
from nln.learning.shapes import Axis, make_axes
from nln.learning.soften import Shapes, soften
from nln.learning.start import draft_network
from nln.network.callbacks import Callback, StopOnEvent
from nln.network.parameters import make_input
from nln.network.training import Network, TrainingOptions, train
from nln.rules import Rule
from nln.tables.encoding import EncodedRows, Encoding

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
    draft : Draft
        The rules on the encoding's slots.
    shapes, axes : dict
        Boundaries of each used ordered feature, by rule and feature, and what they stand for.
    negation : bool
        Whether conditions may list exceptions.
    price : float
        What a literal had to save.
    path : tuple of PathPoint
        The prices tried.
    networks : tuple of Network
        The soft networks, one a start.
    fixed : tuple of Rule
        Rules whose conditions were given and stay: the first ones of the draft.
    """

    draft: Draft
    shapes: Shapes
    axes: dict[int, Axis]
    negation: bool
    price: float
    path: tuple[PathPoint, ...]
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
    folds = stratified_folds(rows.targets, max(starts, MIN_FOLDS), rng)
    layout, axes = slot_layout(encoding, language, prior.limits(encoding)), make_axes(encoding, language)
    initial, axes = prior.draft(encoding, axes)
    given = make_input(encoding, rows, training.intervals_for(rows.n_rows), training.bins)
    ready, stop, numbers = given.rows(rows), Event(), list(range(starts))
    heard = (*callbacks, StopOnEvent(stop))

    def start_network(s: int) -> Network:
        fit, check = np.flatnonzero(folds != s), _sample(np.flatnonzero(folds == s), children[s])
        return train(given, ready, fit, check, n_rules, training, children[s], heard, s, prior.modules(initial))

    def start_path(s: int) -> StartPath:
        seen = descent_rows(rows.take(_sample(np.flatnonzero(folds != s), children[s])))
        unseen = descent_rows(rows.take(_sample(np.flatnonzero(folds == s), children[s])))
        descent = Descent(layout, seen, with_rules(draft_network(networks[s], encoding, seen), initial))
        return run_path(descent, axes, unseen, prices, children[s])

    networks = _map(start_network, numbers, n_jobs, stop)
    prices = (
        np.array([price]) if price is not None else price_ladder([n.validation_loss for n in networks], rows.n_rows)
    )
    _announce(callbacks, "choosing the price")
    found = _map(start_path, numbers, n_jobs, stop)
    chosen, floor = choose(np.stack([f.losses for f in found]))
    _announce(callbacks, "pooling the rules")
    rich = max(chosen - 1, 0)  # a step cheaper than the chosen price: more rules to choose from
    pooled = with_rules(pool_drafts([f.drafts[rich] for f in found]), initial)
    descent = Descent(layout, descent_rows(rows), pooled)
    paid = float(prices[chosen]) * (_scale(rows) if price is None else 1.0)
    descent.run(paid, rng)
    keep_most(descent, language.max_rules, prior.most_rules(), paid, rng)
    shapes = soften(descent, axes, width_floors(axes)[floor])
    path = path_points(prices, found)
    return Learned(descent.draft, shapes, axes, language.negation, paid, path, tuple(networks), prior.fixed)


def _scale(rows: EncodedRows) -> float:
    """How much dearer a literal is on all rows than on those a start saw: between not at all and in proportion.

    Noise that a literal may fit does not grow with the rows; what true literals are worth does. The root keeps programs
    readable on long tables and still lets them grow.
    """
    return float(np.sqrt(max(rows.n_rows / (2 * ROWS_PER_START), 1.0)))


def _announce(callbacks: Sequence[Callback], stage: str) -> None:
    for callback in callbacks:
        callback.on_stage(stage)


def _map(run: Callable[[Item], Result], items: Sequence[Item], n_jobs: int, stop: Event) -> list[Result]:
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


def stratified_folds(targets: npt.NDArray[np.floating], n_folds: int, rng: np.random.Generator) -> Integers:
    """Fold of each row, every combination of targets spread evenly over the folds.

    Examples
    --------
    >>> import numpy as np
    >>> folds = stratified_folds(np.array([[0.0], [0.0], [1.0], [1.0]]), 2, np.random.default_rng(0))
    >>> np.bincount(folds).tolist()
    [2, 2]
    """
    order = rng.permutation(len(targets))
    key = np.lexsort(targets[order].T)
    folds = np.empty(len(targets), np.int64)
    folds[order[key]] = np.arange(len(targets)) % n_folds
    return folds
