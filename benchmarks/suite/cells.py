"""The cells of a half: one for each contestant, table and fold. A change of this file measures all of them again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import peers, tabular
from benchmarks.peer_environment import Worker
from benchmarks.peer_worker import TARGET
from benchmarks.record import Cell
from benchmarks.scores import scores
from benchmarks.settings import Settings
from benchmarks.tables import FOLDS, QUICK_FOLDS, Data, Split, folds


@dataclass
class Opened:
    """A table that is read when the first cell needs it.

    Parameters
    ----------
    name : str
        The table.
    read : callable
        Returns its inputs and classes. May raise `SkippedError`.
    folder : Path
        Where peers find it as a CSV file.
    settings : Settings
        How the benchmark is run.
    """

    name: str
    read: Callable[[], Data]
    folder: Path
    settings: Settings
    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(peers.PEERS, 0.0))

    @cached_property
    def data(self) -> Data:
        """Inputs and classes."""
        return self.read()

    @cached_property
    def splits(self) -> list[Split]:
        """Training and test rows of each fold."""
        return folds(*self.data, self.settings)

    @cached_property
    def request(self) -> dict[str, Any]:
        """What a peer is asked, without its name and the rows."""
        X, y = self.data
        path = self.folder / f"{self.name}.csv"
        X.assign(**{TARGET: y}).to_csv(path, index=False)
        text = [column for column in X.columns if X[column].dtype.kind not in "fiub"]
        return {"path": str(path), "text": text, "seed": self.settings.seed, "seconds": peers.SECONDS}


def plan(
    tables: Sequence[Opened],
    local: dict[str, Callable[[int], Any]],
    contestants: Sequence[str],
    worker: Worker,
    settings: Settings,
) -> list[Cell]:
    """List the cells, contestant by contestant."""

    def cell(method: str, table: Opened, fold: int) -> Cell:
        model = local.get(method)

        def measure() -> dict[str, Any]:
            found = _ask(worker, method, table, fold) if model is None else _fit(model(settings.seed), table, fold)
            return found if found["status"] == "done" else {**found, "constant": _constant(table, fold)}

        return Cell(f"{method}, {table.name}, fold {fold}", measure, method.startswith("nln"))

    n_folds = QUICK_FOLDS if settings.quick else FOLDS
    return [cell(method, table, fold) for method in contestants for table in tables for fold in range(n_folds)]


def _fit(model: Any, table: Opened, fold: int) -> dict[str, Any]:
    """Fit a model of this process."""
    X, y = table.data
    try:
        found = tabular.measure(model, X, y, table.splits[fold])
    except Exception as error:  # what a contestant cannot do is part of the result
        return {"status": "failed", "reason": f"{type(error).__name__}: {error}"[:300]}
    return _checked({"status": "done", **found})


def _ask(worker: Worker, method: str, table: Opened, fold: int) -> dict[str, Any]:
    """Let the worker fit a peer."""
    request = {**table.request, "peer": method}
    return _checked(peers.evaluate(worker, request, table.data[1].to_numpy(), table.splits[fold], table.spent))


def _checked(found: dict[str, Any]) -> dict[str, Any]:
    """Call what is not a number a failure."""
    wrong = [key for key, value in found.items() if isinstance(value, float) and not math.isfinite(value)]
    return {"status": "failed", "reason": f"{', '.join(wrong)} is not a number"} if wrong else found


def _constant(table: Opened, fold: int) -> dict[str, float]:
    """Score the shares of the classes among the training rows as a prediction."""
    y = table.data[1].to_numpy()
    train, test = table.splits[fold]
    classes, counts = np.unique(y[train], return_counts=True)
    probability = np.tile(counts / counts.sum(), (len(test), 1))
    return scores(y[test], np.full(len(test), classes[counts.argmax()]), probability, classes)
