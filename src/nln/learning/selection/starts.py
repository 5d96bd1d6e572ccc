"""The starts of one learning: each trains a network and descends without one fold, on which it is scored.

Every start tries the same variants: crisp boundaries, floors under their widths and, on small tables, the networks as
teachers where they know more than the rules. `nln.learning.learn` chooses among them and pools the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Event

import numpy as np

from nln.learning.descent.descent import Descent
from nln.learning.draft import DescentRows, Draft, with_initial_rules
from nln.learning.options import LearningSettings
from nln.learning.selection.folds import sample_rows
from nln.learning.selection.from_network import draft_network
from nln.learning.selection.path import StartPath, Variant, run_path
from nln.learning.selection.teacher import IMAGINED_WEIGHT, with_imagined
from nln.learning.selection.threads import Result, run_threads
from nln.learning.task import LearningTask
from nln.network.callbacks import Callback, StopOnEvent
from nln.network.initial import InitialRules
from nln.network.training import Network, train
from nln.tables.encoding import Floats


@dataclass(frozen=True)
class VariantPaths:
    """The paths of all starts in each variant that was tried."""

    variants: tuple[Variant, ...]
    paths: tuple[tuple[StartPath, ...], ...]  # for each start its path in each variant

    @property
    def losses(self) -> Floats:
        """Losses on the left-out rows, (starts, prices, variants)."""
        return np.array([[path.losses for path in paths] for paths in self.paths]).swapaxes(1, 2)

    def drafts(self, variant: int, price: int) -> list[Draft]:
        """The rules of all starts in a variant at a price, both by number."""
        return [paths[variant].drafts[price] for paths in self.paths]

    def join(self, other: VariantPaths) -> VariantPaths:
        """Variants of both."""
        paths = tuple((*own, *more) for own, more in zip(self.paths, other.paths, strict=True))
        return VariantPaths((*self.variants, *other.variants), paths)


class Start:
    """One start, which leaves out the fold of its number and draws from its own source of randomness."""

    network: Network

    def __init__(self, number: int, task: LearningTask, rng: np.random.Generator) -> None:
        self.number, self.task, self.rng = number, task, rng

    def train(self, settings: LearningSettings, callbacks: Sequence[Callback]) -> Network:
        """Train the network."""
        task, initial = self.task, self.task.initial
        fit = np.flatnonzero(task.folds != self.number)
        check = sample_rows(np.flatnonzero(task.folds == self.number), self.rng)
        check = check if settings.training.validation else check[:0]
        data = task.network_inputs, task.network_rows, fit, check
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
        """The network's rules, after the initial ones."""
        drafted = draft_network(self.network, self.task.encoding, self._rows[0])
        return with_initial_rules(drafted, self.task.initial)

    def descend(self, prices: Floats, variants: Sequence[Variant]) -> tuple[StartPath, ...]:
        """Follow the path of prices in each variant."""
        (own, left_out), found = self._rows, []
        for floor, taught in variants:
            seen = with_imagined(own, [self.network], self.rng) if taught else own
            paid = prices * (1.0 + IMAGINED_WEIGHT if taught else 1.0)
            descent = Descent(self.task.layouts[floor], seen, self._draft)
            found.append(run_path(descent, self.task.boundaries, left_out, paid, self.rng))
        return tuple(found)


class Starts:
    """All starts of one learning, on several threads."""

    def __init__(self, task: LearningTask, rngs: Sequence[np.random.Generator], n_jobs: int) -> None:
        self.task, self.n_jobs, self.stop = task, n_jobs, Event()
        self.starts = [Start(s, task, rng) for s, rng in enumerate(rngs)]

    def train(self, settings: LearningSettings) -> tuple[Network, ...]:
        """Train all networks."""
        callbacks = (*settings.callbacks, StopOnEvent(self.stop))
        return tuple(self._run(lambda start: start.train(settings, callbacks)))

    def try_variants(self, prices: Floats, network_loss: float) -> VariantPaths:
        """Descend with crisp boundaries, with floors under their widths, and taught if networks know more than rules.

        On a long table the left-out rows of one start are enough to see that the narrowest floor is worse than none, at
        the lowest price, where fuzzy conditions pay most; wider ones are then not tried. Teaching is for small tables.
        """
        is_small = self.task.is_small
        floors = [Variant(floor) for floor in self.task.layouts if floor]
        crisp = self._descend(prices, [Variant(0)])
        if floors and not is_small:
            (trial,) = self.starts[0].descend(prices[:1], floors[:1])
            floors = floors if trial.losses.min() < crisp.losses[0].min() else []
        tried = crisp.join(self._descend(prices, floors)) if floors else crisp
        if is_small and network_loss < tried.losses.mean(axis=0).min():
            tried = tried.join(self._descend(prices, [Variant(floor, True) for floor, _ in floors or [Variant(0)]]))
        return tried

    def _descend(self, prices: Floats, variants: Sequence[Variant]) -> VariantPaths:
        return VariantPaths(tuple(variants), tuple(self._run(lambda start: start.descend(prices, variants))))

    def _run(self, run: Callable[[Start], Result]) -> list[Result]:
        return run_threads(run, self.starts, self.n_jobs, self.stop)
