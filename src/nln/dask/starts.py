"""Starts that run as tasks on the workers of a cluster: one task for each start and step.

A task depends on what it is given alone, the sources of randomness included, so Dask may run it anywhere, and once more
if its worker is lost. The sample is made on the workers; only what follows from it comes to the client.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import count
from typing import Any
from uuid import uuid4

import numpy as np
from distributed import Future

from nln.dask.cluster import Cluster
from nln.learning.options import LearningSettings
from nln.learning.prior import Prior
from nln.learning.selection.path import StartPath, Trial, Variant
from nln.learning.selection.runner import Runner
from nln.learning.selection.start import Start, Trained, begin_start, train_start
from nln.learning.task import LearningTask, prepare_task
from nln.network.callbacks import Callback, Cancelled
from nln.network.training import History, Network
from nln.tables.encoding import EncodedRows, Encoding, Floats

_STOPPED = set[str]()
"""Of this worker: fits that were given up, whose networks are not trained any further."""

Drawn = tuple[Any, np.random.Generator]
"""What a start has found, and its source of randomness afterwards."""


def without_codes(path: StartPath) -> StartPath:
    """Leave out what nobody asks for, so that a path is small enough to send: what the left-out rows hold."""
    return replace(path, left_out=path.left_out._replace(codes=path.left_out.codes[:0]))


class StopFit(Callback):
    """Stops the training of a start at the end of its epoch once the fit was given up."""

    def __init__(self, fit: str) -> None:
        self.fit = fit

    def on_epoch_end(self, start: int, epoch: int, record: dict[str, float]) -> None:
        """Raise `Cancelled` if the fit was given up."""
        if self.fit in _STOPPED:
            raise Cancelled


def stop_fit(fit: str) -> None:
    """Let the networks of a fit on this worker stop."""
    _STOPPED.add(fit)


def prepare_sample(encoding: Encoding, rows: EncodedRows, settings: LearningSettings, prior: Prior) -> LearningTask:
    """Make the sample ready, as the client does for itself."""
    return prepare_task(encoding, rows, settings, prior, np.random.default_rng(settings.seed), narrow=False)


def train_here(
    task: LearningTask, number: int, settings: LearningSettings, rng: np.random.Generator, fit: str
) -> Drawn:
    """Train the network of a start on this worker."""
    own = deepcopy(rng)
    return train_start(task, number, settings, own, [StopFit(fit)]), own


def begin_here(task: LearningTask, number: int, drawn: Drawn, least_shares: Floats | None) -> Start:
    """Keep on this worker what the descents of a start need."""
    start = begin_start(task, number, drawn[0])
    return start if least_shares is None else start.limited(least_shares)


def descend_here(
    start: Start, rng: np.random.Generator, prices: Floats, variants: Sequence[Variant], trial: Trial | None
) -> Drawn:
    """Let a start descend on this worker."""
    own = deepcopy(rng)
    return [without_codes(path) for path in start.descend(own, prices, variants, trial)], own


class DaskRunner(Runner):
    """Runs each start on a worker; starts keep to theirs as long as it is there."""

    def __init__(
        self,
        cluster: Cluster,
        sample: Future,
        encoding: Encoding,
        settings: LearningSettings,
        prior: Prior,
        rngs: Sequence[np.random.Generator],
    ) -> None:
        self.cluster, self.rngs, self.fit, self._tasks = cluster, list(rngs), uuid4().hex, count()
        threads = cluster.threads() or [""]
        self.homes = [threads[s % len(threads)] for s in range(len(rngs))]
        given = encoding, sample, replace(settings, callbacks=()), prior
        prepared = {home: self._submit(prepare_sample, *given, home=home) for home in dict.fromkeys(self.homes)}
        self.tables = [prepared[home] for home in self.homes]
        self.trained, self.starts, self.asked = list[Future](), list[Future](), list[Future]()
        self.least_shares: Floats | None = None

    def train(self, settings: LearningSettings) -> list[Network]:
        """Train the networks; callbacks hear of the epochs of a start when it is trained."""
        quiet, networks = replace(settings, callbacks=()), dict[int, Network]()
        given = zip(self.tables, self.rngs, self.homes, strict=True)
        self.trained = [
            self._submit(train_here, table, s, quiet, rng, self.fit, home=home)
            for s, (table, rng, home) in enumerate(given)
        ]
        for s in self.cluster.finished(self.trained):
            trained: Trained
            trained, self.rngs[s] = self._results([self.trained[s]])[0]
            networks[s] = trained.network
            _tell(settings.callbacks, s, trained.network.history)
        return [networks[s] for s in range(len(self.rngs))]

    def limit(self, least_shares: Floats) -> None:
        """Let starts begin anew with a limit."""
        self.least_shares, self.starts = least_shares, []

    def descend(
        self, numbers: Sequence[int], prices: Floats, variants: Sequence[Variant], trial: Trial | None = None
    ) -> list[list[StartPath]]:
        """Let some starts descend where they lie."""
        if not self.starts:
            given = zip(self.tables, self.trained, self.homes, strict=True)
            self.starts = [
                self._submit(begin_here, table, s, trained, self.least_shares, home=home)
                for s, (table, trained, home) in enumerate(given)
            ]
        self.asked = [
            self._submit(descend_here, self.starts[s], self.rngs[s], prices, variants, trial, home=self.homes[s])
            for s in numbers
        ]
        found = []
        for s, (paths, rng) in zip(numbers, self._results(self.asked), strict=True):
            self.rngs[s] = rng
            found.append(paths)
        self.asked = []
        return found

    def close(self) -> None:
        """Give up what is still under way: waiting tasks are cancelled, and networks stop at the end of their epoch."""
        futures = [*self.tables, *self.trained, *self.starts, *self.asked]
        is_done = all(future.done() for future in futures)
        self.tables, self.trained, self.starts, self.asked = [], [], [], []
        if not is_done:
            self.cluster.client.cancel(futures)
            self.cluster.client.run(stop_fit, self.fit, on_error="ignore")

    def _submit(self, work: Callable[..., Any], *arguments: Any, home: str) -> Future:
        key = f"nln-{work.__name__}-{self.fit}-{next(self._tasks)}"
        return self.cluster.submit(key, work, *arguments, home=home)

    def _results(self, futures: Sequence[Future]) -> list[Any]:
        return self.cluster.results(futures, "worked on a start", "take a smaller sample_rows")


def _tell(callbacks: Sequence[Callback], start: int, history: History) -> None:
    """Tell the callbacks about the training of a start."""
    for epoch, record in enumerate(history.records):
        for callback in callbacks:
            callback.on_epoch_end(start, epoch, record)
    for callback in callbacks:
        callback.on_start_end(start)
