"""Several starts, one program: train networks, choose the price, pool the rules, descend once more, soften boundaries.

The rows are cut into folds, as many as starts (at least five). Start s trains and descends without fold s, which serves to
stop the training and to score that start's path from many rules to few. The mean scores choose the price; the rules of
all starts at that price are pooled, and the descent on all rows keeps those that earn it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import TypeVar

import numpy as np

from nln.learning.descent import Descent
from nln.learning.draft import DescentRows, Draft, Integers, SlotLayout, descent_rows, pool_drafts, slot_layout
from nln.learning.soften import Shapes, soften
from nln.learning.start import draft_network
from nln.network.callbacks import Callback, StopOnEvent
from nln.network.parameters import make_input
from nln.network.training import Network, TrainingOptions, train
from nln.tables.encoding import EncodedRows, Encoding, Floats

MIN_FOLDS = 5
ROWS_PER_START = 8192
"""Most rows on which a single start descends; the pooled descent sees all rows."""
LOWEST_PRICE = 0.05
PATH_STEPS = 8
FLOORS = (0.0, 0.08, 0.3)

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class PathPoint:
    """One price on the path from many rules to few, scored on the rows each start left out."""

    price: float
    validation_loss: float
    n_rules: float
    size: float


@dataclass(frozen=True)
class Learned:
    """The outcome of learning.

    Parameters
    ----------
    draft : Draft
        The rules on the encoding's slots.
    shapes : dict
        Boundaries of each used ordered feature, by rule and feature.
    price : float
        What a literal had to save.
    path : tuple of PathPoint
        The prices tried.
    networks : tuple of Network
        The soft networks, one a start.
    """

    draft: Draft
    shapes: Shapes
    price: float
    path: tuple[PathPoint, ...]
    networks: tuple[Network, ...]


@dataclass(frozen=True)
class _Start:
    """One start: where it descends, where it is scored, and what it found at each price."""

    seen: DescentRows
    unseen: DescentRows
    drafts: tuple[Draft, ...]
    losses: Floats


@dataclass(frozen=True)
class _Task:
    """What all starts share."""

    encoding: Encoding
    layout: SlotLayout
    rows: EncodedRows
    folds: Integers


def learn(
    encoding: Encoding,
    rows: EncodedRows,
    *,
    n_rules: int,
    starts: int,
    price: float | None,
    training: TrainingOptions,
    seed: np.random.SeedSequence,
    n_jobs: int,
    callbacks: Sequence[Callback] = (),
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
    seed : SeedSequence
        Every start draws from its own child, so that the result does not depend on the number of threads.
    n_jobs : int
        Threads.
    callbacks : sequence of Callback
        Told of every epoch.
    """
    rng, children = np.random.default_rng(seed), [np.random.default_rng(child) for child in seed.spawn(starts)]
    task = _Task(encoding, slot_layout(encoding), rows, stratified_folds(rows.targets, max(starts, MIN_FOLDS), rng))
    given = make_input(encoding, rows, training.intervals, training.bins)
    ready, stop = given.rows(rows), Event()
    heard = (*callbacks, StopOnEvent(stop))

    def start_network(s: int) -> Network:
        fit, check = np.flatnonzero(task.folds != s), np.flatnonzero(task.folds == s)
        return train(given, ready, fit, check, n_rules, training, children[s], heard, s)

    numbers = list(range(starts))
    networks = _map(start_network, numbers, n_jobs, stop)
    _announce(callbacks, "choosing the price")
    prices = (
        np.array([price]) if price is not None else price_ladder([n.validation_loss for n in networks], rows.n_rows)
    )
    found = _map(lambda s: _run_path(task, networks[s], s, prices, children[s]), numbers, n_jobs, stop)
    chosen = choose_price(np.stack([f.losses for f in found]))
    floors = _map(lambda f: _score_floors(task, f, f.drafts[chosen]), found, n_jobs, stop)
    _announce(callbacks, "pooling the rules")
    descent = Descent(task.layout, descent_rows(rows), pool_drafts([f.drafts[chosen] for f in found]))
    descent.run(float(prices[chosen]) * _scale(rows, found[0].seen), rng)
    shapes = soften(descent, encoding, FLOORS[int(np.argmin(np.mean(floors, axis=0)))])
    return Learned(descent.draft, shapes, float(prices[chosen]), _path_points(prices, found, task), tuple(networks))


def _scale(rows: EncodedRows, seen: DescentRows) -> float:
    """How much dearer a literal is on all rows than on those a start saw: between not at all and in proportion.

    Noise a literal may fit does not grow with the rows; what true literals are worth does. The root keeps programs
    readable on long tables and still lets them grow.
    """
    ratio = float(rows.weights.sum()) / max(float(seen.weights.sum()), 1e-300)
    return float(np.sqrt(ratio)) if ratio > 2 else 1.0


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


def price_ladder(validation_losses: Sequence[float], n_rows: int) -> Floats:
    """Prices to try: doubling from where a literal saves about what noise would give it.

    Examples
    --------
    >>> price_ladder([0.0], 1000)[:3]
    array([0.05, 0.1 , 0.2 ])
    """
    noise = 4.0 * float(np.median(validation_losses)) if n_rows > 4096 else 0.0
    lowest = LOWEST_PRICE * 2.0 ** max(0, round(np.log2(max(noise, LOWEST_PRICE) / LOWEST_PRICE)))
    ladder: Floats = lowest * 2.0 ** np.arange(PATH_STEPS)
    return ladder


def _run_path(task: _Task, network: Network, s: int, prices: Floats, rng: np.random.Generator) -> _Start:
    """Descend from the network's rules at the lowest price, then go on from price to price."""
    fit, check = np.flatnonzero(task.folds != s), np.flatnonzero(task.folds == s)
    seen = descent_rows(task.rows.take(_sample(fit, rng)))
    unseen = descent_rows(task.rows.take(_sample(check, rng)))
    descent = Descent(task.layout, seen, draft_network(network, task.encoding, seen))
    drafts, losses = [], []
    for price in prices:
        descent.run(float(price), rng, sweeps=5)
        drafts.append(descent.draft.copy())
        losses.append(_loss(task, unseen, descent.draft))
    return _Start(seen, unseen, tuple(drafts), np.array(losses))


def _loss(task: _Task, unseen: DescentRows, draft: Draft) -> float:
    return Descent(task.layout, unseen, draft).error() / max(float(unseen.weights.sum()), 1e-300)


def _score_floors(task: _Task, start: _Start, draft: Draft) -> Floats:
    """Loss on the left-out rows for each floor under the boundaries' widths."""
    if not task.layout.ordered.any():
        return np.zeros(len(FLOORS))
    losses = np.empty(len(FLOORS))
    for f, floor in enumerate(FLOORS):
        descent = Descent(task.layout, start.seen, draft)
        soften(descent, task.encoding, floor, rounds=1)
        losses[f] = _loss(task, start.unseen, descent.draft)
    return losses


def _sample(rows: Integers, rng: np.random.Generator) -> Integers:
    return rows if len(rows) <= ROWS_PER_START else np.sort(rng.choice(rows, ROWS_PER_START, replace=False))


def choose_price(losses: Floats) -> int:
    """Index of the price to take: the highest whose mean loss is within a hundredth of the best.

    Examples
    --------
    >>> import numpy as np
    >>> choose_price(np.array([[0.30, 0.20, 0.40], [0.32, 0.22, 0.38]]))
    1
    """
    mean = losses.mean(axis=0)
    return int(np.flatnonzero(mean <= 1.01 * mean.min()).max())


def _path_points(prices: Floats, found: Sequence[_Start], task: _Task) -> tuple[PathPoint, ...]:
    points = []
    for p, price in enumerate(prices):
        drafts = [f.drafts[p] for f in found]
        sizes = [Descent(task.layout, f.unseen, d).sizes().mean() if d.n_rules else 0.0 for f, d in zip(found, drafts)]
        loss = float(np.mean([f.losses[p] for f in found]))
        points.append(PathPoint(float(price), loss, float(np.mean([d.n_rules for d in drafts])), float(np.mean(sizes))))
    return tuple(points)


def stratified_folds(targets: Floats, n_folds: int, rng: np.random.Generator) -> Integers:
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
