"""The starts of one learning: each trains a network and descends without one fold, on which it is scored.

Every start tries the same variants: crisp boundaries, floors under their widths and, on small tables, the networks as
teachers where they know more than the rules. `nln.learning.learn` chooses among them and pools the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from threading import Event
from typing import TypeVar

import numpy as np

from nln.learning.descent.descent import Descent
from nln.learning.draft import DescentRows, Draft, pool_drafts, with_initial_rules
from nln.learning.options import LearningSettings
from nln.learning.selection.from_network import IMAGINED_WEIGHT, draft_network, with_imagined
from nln.learning.selection.path import EVIDENCE, EXPLAINED, LEAST_GAIN, StartPath, Variant, run_path
from nln.learning.selection.sow import sow
from nln.learning.task import LearningTask, sample_rows
from nln.learning.view import View, limited
from nln.network.callbacks import Callback, StopOnEvent
from nln.network.initial import InitialRules
from nln.network.training import Network, train
from nln.tables.encoding import Floats

Item = TypeVar("Item")
Result = TypeVar("Result")

RACE, RACE_ROWS = 2, 1000
"""Starts that try a variant before the others do, and how many rows they must leave out together to be trusted."""

Paths = dict[Variant, tuple[StartPath, ...]]
"""The paths of all starts, by the variants that were tried."""


def losses_of(paths: Paths) -> Floats:
    """Losses on the left-out rows, (starts, prices, variants)."""
    starts = zip(*paths.values(), strict=True)
    return np.array([[path.losses for path in of_start] for of_start in starts]).swapaxes(1, 2)


def _lowest(paths: Paths) -> Floats:
    """Lowest mean loss of each variant, over the prices."""
    lowest: Floats = losses_of(paths).mean(axis=0).min(axis=0)
    return lowest


def _best(paths: Paths, count: int = 1) -> list[Variant]:
    """The variants with the lowest losses, the best one first."""
    variants = list(paths)
    return [variants[v] for v in np.argsort(_lowest(paths), kind="stable")[:count]]


class Start:
    """One start, which leaves out the fold of its number and draws from its own source of randomness."""

    network: Network

    def __init__(self, number: int, task: LearningTask, rng: np.random.Generator) -> None:
        self.number, self.task, self.rng = number, task, rng

    @property
    def _view(self) -> View:
        return self.task.views[self.number]

    def train(self, settings: LearningSettings, callbacks: Sequence[Callback]) -> Network:
        """Train the network."""
        task, initial = self.task, self.task.initial
        fit = np.flatnonzero(task.folds != self.number)
        check = sample_rows(np.flatnonzero(task.folds == self.number), self.rng)
        check = check if settings.training.validation else check[:0]
        inputs, rows = task.network_inputs, task.network_rows
        if not self._view.is_whole:
            seen = self._view.columns
            inputs, rows = inputs.narrowed(seen), rows._replace(codes=np.ascontiguousarray(rows.codes[:, seen]))
        data = inputs, rows, fit, check
        modules = None if initial is None else InitialRules(initial.tables, initial.bias, initial.output)
        self.network = train(*data, settings.n_rules, settings.training, self.rng, callbacks, self.number, modules)
        return self.network

    @cached_property
    def _rows(self) -> tuple[DescentRows, DescentRows]:
        """Rows to descend on, and left-out rows."""
        own, left_out = (
            self.task.pieces.take(sample_rows(np.flatnonzero(rows), self.rng))
            for rows in (self.task.folds != self.number, self.task.folds == self.number)
        )
        return own, left_out

    @cached_property
    def _draft(self) -> Draft:
        """The network's rules and single conditions, after the initial rules."""
        drafted = self._view.narrow(draft_network(self.network, self.task.encoding, self._rows[0]))
        return self._with_initial(pool_drafts([drafted, self._sown.learned()]))

    @cached_property
    def _sown(self) -> Draft:
        """Single conditions, after the initial rules."""
        view = self._view
        return self._with_initial(sow(view.layouts[0], view.rows(self._rows[0]), view.encoding))

    def _with_initial(self, draft: Draft) -> Draft:
        initial = self.task.initial
        return with_initial_rules(draft, None if initial is None else self._view.narrow(initial))

    def descend(self, prices: Floats, variants: Sequence[Variant]) -> list[StartPath]:
        """Follow the path of prices in each variant."""
        view, (own, left_out), found = self._view, self._rows, []
        for floor, taught, evidence, single in variants:
            seen = with_imagined(own, [self.network], self.rng) if taught else own
            paid = prices * (1.0 + IMAGINED_WEIGHT if taught else 1.0)
            begin = self._sown if single else self._draft
            descent = Descent(view.layouts[floor]._replace(evidence=evidence), view.rows(seen), begin)
            path = run_path(descent, view.boundaries, view.rows(left_out), paid, self.rng, anew=single)
            found.append(replace(path, drafts=tuple(map(view.widen, path.drafts)), left_out=left_out))
        return found


class Starts:
    """All starts of one learning, on several threads."""

    def __init__(self, task: LearningTask, rngs: Sequence[np.random.Generator], n_jobs: int) -> None:
        self.task, self.n_jobs, self.stop = task, n_jobs, Event()
        self.starts = [Start(s, task, rng) for s, rng in enumerate(rngs)]

    def train(self, settings: LearningSettings) -> tuple[Network, ...]:
        """Train all networks."""
        callbacks = (*settings.callbacks, StopOnEvent(self.stop))
        return tuple(self._run(lambda start: start.train(settings, callbacks)))

    def limit(self, least_shares: Floats) -> None:
        """Let the rules of each output cover at least a share of the rows."""
        views = tuple(view.limited(least_shares) for view in self.task.views)
        self.task = replace(self.task, layouts=limited(self.task.layouts, least_shares), views=views)
        for start in self.starts:
            start.task = self.task

    def adopt(self, task: LearningTask) -> None:
        """Go on with a table of more columns."""
        self.task = task

    def try_variants(self, prices: Floats, network_loss: float) -> Paths:
        """Descend with crisp boundaries, with floors under their widths, and taught if networks know more than rules.

        Where noise is left, also from single conditions alone, and with more evidence against every rule. On a long
        table the left-out rows of one start are enough to see that the narrowest floor is worse than none, at the
        lowest price, where fuzzy conditions pay most; wider ones are then not tried. Teaching is for small tables.
        """
        is_small = self.task.is_small
        floors = [Variant(floor) for floor in self.task.layouts if floor]
        paths = self._descend(prices, [Variant(0)])
        if floors and not is_small:
            (trial,) = self.starts[0].descend(prices[:1], floors[:1])
            floors = floors if trial.losses.min() < paths[Variant(0)][0].losses.min() else []
        paths |= self._race(prices, floors, paths)
        (best,) = _best(paths)
        if is_small and network_loss < _lowest(paths).min():
            paths |= self._race(prices, [Variant(v.floor, True) for v in floors or [Variant(0)]], paths)
        if _lowest(paths).min() <= EXPLAINED * self.task.plain_loss:
            return paths
        paths |= self._descend(prices, [best._replace(single=True)])
        return paths | self._try_evidence(prices, paths)

    def _try_evidence(self, prices: Floats, paths: Paths) -> Paths:
        """Raise the evidence against every rule as long as left-out rows prefer it, in the best variants so far."""
        found, most = Paths(), 2 if self.task.is_small else 1
        for evidence in EVIDENCE[1:]:
            lowest = _lowest(paths).min()
            tried = [variant._replace(evidence=evidence) for variant in _best(paths, most)]
            paths = self._race(prices, tried, paths)
            found |= paths
            if not paths or _lowest(paths).min() >= lowest:
                break
        return found

    def _race(self, prices: Floats, variants: Sequence[Variant], rivals: Paths) -> Paths:
        """Descend in each variant, unless the first starts see that it falls behind the best one."""
        first, rest = self.starts[:RACE], self.starts[RACE:]
        left_out = sum(paths.left_out.n_rows for paths in next(iter(rivals.values()))[:RACE])
        if not rest or left_out < RACE_ROWS:
            return self._descend(prices, variants)
        begun = self._descend(prices, variants, first)
        lowest = _lowest({variant: paths[:RACE] for variant, paths in (rivals | begun).items()}).min()
        behind = lowest + LEAST_GAIN * min(lowest, max(self.task.plain_loss - lowest, 0.0))
        kept = [variant for variant in begun if _lowest({variant: begun[variant]}).min() <= behind]
        ended = self._descend(prices, kept, rest)
        return {variant: (*begun[variant], *ended[variant]) for variant in kept}

    def _descend(self, prices: Floats, variants: Sequence[Variant], starts: Sequence[Start] | None = None) -> Paths:
        if not variants:
            return {}
        found = self._run(lambda start: start.descend(prices, variants), starts)
        return dict(zip(variants, zip(*found, strict=True), strict=True))

    def _run(self, run: Callable[[Start], Result], starts: Sequence[Start] | None = None) -> list[Result]:
        return run_threads(run, self.starts if starts is None else starts, self.n_jobs, self.stop)


def run_threads(run: Callable[[Item], Result], items: Sequence[Item], n_jobs: int, stop: Event) -> list[Result]:
    """Run over threads; if one fails or the user interrupts, the others stop at the end of their epoch."""
    if n_jobs <= 1 or len(items) <= 1:
        return [run(item) for item in items]
    with ThreadPoolExecutor(min(n_jobs, len(items))) as threads:
        try:
            return list(threads.map(run, items))
        except BaseException:
            stop.set()
            threads.shutdown(wait=False, cancel_futures=True)
            raise
