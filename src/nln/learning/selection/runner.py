"""Who runs the starts of one learning: threads of this process, unless a table in parts has workers for them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

import numpy as np

from nln.learning.options import LearningSettings
from nln.learning.selection.path import StartPath, Trial, Variant
from nln.learning.selection.start import Start, begin_start, train_start
from nln.learning.task import LearningTask
from nln.network.callbacks import StopOnEvent
from nln.network.training import Network
from nln.tables.encoding import Floats

Item = TypeVar("Item")
Result = TypeVar("Result")


class Runner(ABC):
    """Runs starts, which are told apart by their numbers; each draws from its own source of randomness.

    So neither the place nor the order in which starts run changes what they find.
    """

    @abstractmethod
    def train(self, settings: LearningSettings) -> list[Network]:
        """Train the networks of all starts, and tell the callbacks."""

    @abstractmethod
    def limit(self, least_shares: Floats) -> None:
        """Let the rules of each output cover at least a share of the rows from now on."""

    @abstractmethod
    def descend(
        self, numbers: Sequence[int], prices: Floats, variants: Sequence[Variant], trial: Trial | None = None
    ) -> list[list[StartPath]]:
        """Let some starts follow the path of prices, in each variant."""


class Threads(Runner):
    """Runs starts on threads of this process."""

    def __init__(self, task: LearningTask, rngs: Sequence[np.random.Generator], n_jobs: int) -> None:
        self.task, self.rngs, self.n_jobs, self.stop = task, rngs, n_jobs, Event()
        self.starts = list[Start]()

    def train(self, settings: LearningSettings) -> list[Network]:
        """Train the networks; if one fails or the user interrupts, the others stop at the end of their epoch."""
        callbacks = (*settings.callbacks, StopOnEvent(self.stop))
        numbers = range(len(self.rngs))
        trained = self._run(lambda s: train_start(self.task, s, settings, self.rngs[s], callbacks), numbers)
        self.starts = [begin_start(self.task, s, of_start) for s, of_start in enumerate(trained)]
        return [start.network for start in self.starts]

    def limit(self, least_shares: Floats) -> None:
        """Limit all starts."""
        self.starts = [start.limited(least_shares) for start in self.starts]

    def descend(
        self, numbers: Sequence[int], prices: Floats, variants: Sequence[Variant], trial: Trial | None = None
    ) -> list[list[StartPath]]:
        """Let some starts descend."""
        return self._run(lambda s: self.starts[s].descend(self.rngs[s], prices, variants, trial), numbers)

    def _run(self, run: Callable[[int], Result], numbers: Sequence[int]) -> list[Result]:
        return run_threads(run, numbers, self.n_jobs, self.stop)


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
