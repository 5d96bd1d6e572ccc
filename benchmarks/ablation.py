"""What rule reset and discretization do: one trained network a fold, seed and reset, turned into rules in every way."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.ablation_methods import METHODS, NONE, Trained, train_network
from benchmarks.paper_preset import kinds
from benchmarks.record import Cell, Part, Record
from benchmarks.scores import F1, scores
from benchmarks.settings import Settings
from benchmarks.tables import FOLDS, TABLES, Data, Split, folds, seeds
from nln.rules.thresholds import best_threshold

NAMES = ("tic-tac-toe", "chess", "monk2", "kidney", "wine")
SEEDS = 10
RESETS = (True, False)
WITHOUT_RESET = (NONE, "descending")
"""Methods that start from networks without rule reset: those of the paper."""

PROTOCOL = (
    f"{FOLDS} stratified folds, {SEEDS} seeds, the paper's settings. In each fold, for each seed, one network is "
    "trained with rule reset and one without, which as in the paper only descending selection starts from; all methods "
    "start from the same network. F1 is that of the positive "
    f"class, and the mean over the classes for wine; `{NONE}` is the network itself. Decision thresholds come from the "
    f"training rows. ± is the standard deviation over the seeds of the {FOLDS}-fold means. CPU seconds, a fold, are "
    f"those of the method alone; for `{NONE}` those of training.",
    "`coordinate` is logic coordinate descent from this one network, its price chosen on the rows that stopped the "
    "training; the default pools several networks.",
)


def run(settings: Settings, record: Record) -> None:
    """Run one part a table."""
    record.explain(*PROTOCOL)
    for name in ("monk2",) if settings.quick else NAMES:
        record.cells(name, partial(plan, name), summarize)


def plan(name: str, settings: Settings) -> list[Cell]:
    """List one cell for each reset, seed and fold."""
    data = TABLES[name](settings)
    splits = folds(*data, settings)[: 1 if settings.quick else None]
    types = kinds(name, data[0])
    return [  # seed by seed, so that a run that was stopped has whole cross-validations
        Cell(_key(reset, seed, fold), partial(evaluate, data, split, seed, reset, types, quick=settings.quick))
        for seed in seeds(settings, SEEDS)
        for reset in RESETS
        for fold, split in enumerate(splits)
    ]


def _key(reset: bool, seed: int, fold: int) -> str:
    return f"reset {'on' if reset else 'off'}, seed {seed}, fold {fold}"


def evaluate(
    data: Data, split: Split, seed: int, reset: bool, types: dict[str, str] | None, *, quick: bool
) -> dict[str, Any]:
    """Train a network on the training rows of a fold and score what each method makes of it on the test rows."""
    (X, y), (train, test) = data, split
    begin = time.process_time()
    trained = train_network(X.iloc[train], y.iloc[train], seed, types, reset=reset, quick=quick)
    training = time.process_time() - begin
    found = {}
    for name, method in METHODS.items():
        if not reset and name not in WITHOUT_RESET:
            continue
        begin = time.process_time()
        predict = method(trained, seed)
        seconds = training if name == NONE else time.process_time() - begin
        f1 = _f1(trained, predict, (X.iloc[train], y.iloc[train]), (X.iloc[test], y.iloc[test]))
        found[name] = {F1: f1, "CPU (s)": seconds, "rules": getattr(predict, "n_rules", None)}
    return found


def _f1(trained: Trained, predict: Callable[[Any], Any], train: Data, test: Data) -> float:
    """F1 on the test rows; two classes are decided at the threshold that is best on the training rows."""
    classes, probability = trained.classes, predict(test[0])
    if len(classes) > 2:
        decided = classes[probability.argmax(axis=1)]
        return scores(test[1], decided, probability + 1e-9, classes)[F1]
    positive = np.asarray(train[1]) == classes[1]
    threshold = best_threshold(positive, predict(train[0])[:, 0], np.ones(len(positive)), "f1")
    decided = classes[(probability[:, 0] >= threshold).astype(int)]
    return scores(test[1], decided, np.column_stack([1 - probability, probability]), classes)[F1]


def summarize(found: Mapping[str, Any]) -> Part:
    """Mean and spread over the seeds of the mean over the folds."""
    rows = []
    for reset in RESETS:
        start = _key(reset, 0, 0).split(", ")[0]
        cells = {key: cell for key, cell in found.items() if key.startswith(f"{start},")}
        names = METHODS if reset else WITHOUT_RESET
        rows += [{"reset": start.split()[1], "discretization": name, **_spread(cells, name)} for name in names]
    values = {f"reset {row['reset']}, {row['discretization']}: {F1}": row[F1] for row in rows if F1 in row}
    return {"table": rows, "values": values}


def _spread(cells: Mapping[str, Any], method: str) -> dict[str, float]:
    by_seed: dict[str, list[Any]] = {}
    for key, cell in cells.items():
        by_seed.setdefault(key.split(", ")[1], []).append(cell[method])
    if not by_seed:
        return {}
    means = [np.mean([fold[F1] for fold in each]) for each in by_seed.values()]
    every = [fold for each in by_seed.values() for fold in each]
    row = {F1: float(np.mean(means)), "± over seeds": float(np.std(means))}
    if every[0]["rules"] is not None:
        row["rules"] = float(np.mean([fold["rules"] for fold in every]))
    return {**row, "CPU (s)": float(np.mean([fold["CPU (s)"] for fold in every]))}
