"""The starts of one learning: each trains a network and descends without a fold of its own, on which it is scored.

Every start tries the same variants: crisp boundaries, floors under their widths, and on small tables the networks as
teachers where they know more than the rules. `nln.learning.learn` chooses among them and pools the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Event

import numpy as np

from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.shapes import Axis
from nln.learning.draft import DescentRows, Draft, Integers, SlotLayout, descent_rows, with_rules
from nln.learning.selection.folds import sample_rows
from nln.learning.selection.from_network import draft_network
from nln.learning.selection.path import StartPath, Variant, run_path
from nln.learning.selection.teacher import RATIO, with_imagined
from nln.learning.selection.threads import Result, run_threads
from nln.network.callbacks import Callback, StopOnEvent
from nln.network.initial import InitialRules
from nln.network.layout import NetworkInput, TrainingRows
from nln.network.training import Network, TrainingOptions, train
from nln.tables.encoding import EncodedRows, Encoding, Floats


@dataclass(frozen=True)
class Ground:
    """What all starts share.

    Parameters
    ----------
    encoding : Encoding
        The features' slots.
    rows : EncodedRows
        All rows, those with copies cut into pieces.
    folds : ndarray of int, (rows,)
        Fold of each row; start s leaves out fold s.
    layouts : dict of int to SlotLayout
        The slots, with the boundaries of each floor under the widths that is tried; 0 is crisp.
    axes : dict of int to Axis
        Boundaries that the ordered features offer.
    initial : Draft or None
        Rules to begin with.
    """

    encoding: Encoding
    rows: EncodedRows
    folds: Integers
    layouts: dict[int, SlotLayout]
    axes: dict[int, Axis]
    initial: Draft | None


@dataclass(frozen=True)
class Tried:
    """What the starts found.

    Parameters
    ----------
    variants : tuple of Variant
        Ways to descend.
    paths : tuple of tuple of StartPath
        For each start its path in each variant.
    """

    variants: tuple[Variant, ...]
    paths: tuple[tuple[StartPath, ...], ...]

    @property
    def losses(self) -> Floats:
        """Losses on unseen rows, (starts, prices, variants)."""
        return np.array([[path.losses for path in paths] for paths in self.paths]).swapaxes(1, 2)

    def drafts(self, v: int, p: int) -> list[Draft]:
        """The rules of all starts in a variant at a price."""
        return [paths[v].drafts[p] for paths in self.paths]

    def join(self, other: Tried) -> Tried:
        """Variants of both."""
        paths = tuple((*own, *more) for own, more in zip(self.paths, other.paths, strict=True))
        return Tried((*self.variants, *other.variants), paths)


class Start:
    """One start.

    Parameters
    ----------
    number : int
        Its number, and that of the fold it leaves out.
    ground : Ground
        What it shares with the others.
    rng : Generator
        Its own source of randomness, so that the result does not depend on the number of threads.
    """

    network: Network

    def __init__(self, number: int, ground: Ground, rng: np.random.Generator) -> None:
        self.number, self.ground, self.rng = number, ground, rng

    def train(
        self,
        given: NetworkInput,
        rows: TrainingRows,
        n_rules: int,
        training: TrainingOptions,
        callbacks: Sequence[Callback],
        modules: InitialRules | None,
    ) -> Network:
        """Train the network."""
        fit = np.flatnonzero(self.ground.folds != self.number)
        check = sample_rows(np.flatnonzero(self.ground.folds == self.number), self.rng)
        check = check if training.validation else check[:0]
        self.network = train(given, rows, fit, check, n_rules, training, self.rng, callbacks, self.number, modules)
        return self.network

    @cached_property
    def _rows(self) -> tuple[EncodedRows, DescentRows]:
        """Rows to descend on, and unseen ones."""
        own, left_out = (
            self.ground.rows.take(sample_rows(np.flatnonzero(rows), self.rng))
            for rows in (self.ground.folds != self.number, self.ground.folds == self.number)
        )
        return own, descent_rows(left_out)

    @cached_property
    def _draft(self) -> Draft:
        """The network's rules, after those that were given."""
        own = descent_rows(self._rows[0])
        return with_rules(draft_network(self.network, self.ground.encoding, own), self.ground.initial)

    def descend(self, prices: Floats, variants: Sequence[Variant]) -> tuple[StartPath, ...]:
        """Follow the path of prices in each variant."""
        (own, unseen), found = self._rows, []
        for level, taught in variants:
            seen = with_imagined(own, [self.network], self.rng) if taught else descent_rows(own)
            paid = prices * (1.0 + RATIO if taught else 1.0)
            descent = Descent(self.ground.layouts[level], seen, self._draft)
            found.append(run_path(descent, self.ground.axes, unseen, paid, self.rng))
        return tuple(found)


class Starts:
    """All starts of one learning, on several threads.

    Parameters
    ----------
    ground : Ground
        What they share.
    rngs : sequence of Generator
        One a start.
    n_jobs : int
        Threads.
    """

    def __init__(self, ground: Ground, rngs: Sequence[np.random.Generator], n_jobs: int) -> None:
        self.ground, self.n_jobs, self.stop = ground, n_jobs, Event()
        self.starts = [Start(s, ground, rng) for s, rng in enumerate(rngs)]

    def train(
        self,
        given: NetworkInput,
        n_rules: int,
        training: TrainingOptions,
        callbacks: Sequence[Callback],
        modules: InitialRules | None,
    ) -> list[Network]:
        """Train all networks."""
        heard = (*callbacks, StopOnEvent(self.stop))
        shared = given, given.rows(self.ground.rows), n_rules, training, heard, modules
        return self._run(lambda start: start.train(*shared))

    def try_variants(self, prices: Floats, *, is_small: bool, network_loss: float) -> Tried:
        """Descend with crisp boundaries, with floors under their widths, and taught if networks know more than rules.

        On a long table the unseen rows of one start are enough to see that the narrowest floor is worse than none, at
        the lowest price, where most fuzzy conditions pay; wider ones are then not tried. Teaching is for small tables.
        """
        floors = [Variant(level) for level in self.ground.layouts if level]
        crisp = self._descend(prices, [Variant(0)])
        if floors and not is_small:
            (trial,) = self.starts[0].descend(prices[:1], floors[:1])
            floors = floors if trial.losses.min() < crisp.losses[0].min() else []
        tried = crisp.join(self._descend(prices, floors)) if floors else crisp
        if is_small and network_loss < tried.losses.mean(axis=0).min():
            tried = tried.join(self._descend(prices, [Variant(level, True) for level, _ in floors or [Variant(0)]]))
        return tried

    def _descend(self, prices: Floats, variants: Sequence[Variant]) -> Tried:
        return Tried(tuple(variants), tuple(self._run(lambda start: start.descend(prices, variants))))

    def _run(self, run: Callable[[Start], Result]) -> list[Result]:
        return run_threads(run, self.starts, self.n_jobs, self.stop)
