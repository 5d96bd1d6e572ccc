"""Fuzzy intervals with learned AND weights, as in the paper, against ours, whose AND weights are fixed.

A continuous feature has fuzzy dichotomies, and its fuzzy intervals are AND nodes over them. In the paper the weights of
these nodes are trained from 1 on the lower neighbour, -1 on the upper neighbour and 0 elsewhere; here they stay there,
and only boundaries and sharpnesses are trained. Both forms run in PyTorch, from the same weights, on the same batches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import StratifiedKFold, train_test_split

from benchmarks.data import network_rows
from benchmarks.measure import ratio
from benchmarks.record import Part, Record
from benchmarks.settings import Settings, SkippedError, say
from benchmarks.speed_epoch import has_torch
from nln.datasets import load_balance, load_wine
from nln.network.layout import NetworkInput, TrainingRows, initial_weights
from nln.network.options import TrainingOptions

N_RULES, FOLDS, USED_FOLDS, SEEDS = 128, 5, 2, 3
FIXED, LEARNED = "fixed", "learned"
START = 1e-3
"""Size of the learned AND weights that the paper starts at 0, where they would have a gradient on one side only."""
TABLES: dict[str, Callable[[], tuple[Any, Any]]] = {
    "wine": lambda: load_wine(backend="pandas"),
    "balance": lambda: load_balance(backend="pandas"),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True, as_frame=True),
    "iris": lambda: load_iris(return_X_y=True, as_frame=True),
}
PAPER_TABLES = ("wine", "iris")
"""Tables that also run with the paper's 33 intervals: small enough, and with more than 16 values a column."""
NOTES = [
    f"Mean ± standard deviation over the seeds and {USED_FOLDS} of {FOLDS} folds. Of the rows outside the fold, 20 % "
    "are the validation rows, on which training stops (after 300 epochs at the latest) and the best epoch is chosen; "
    "the test loss is that of the fold at this epoch. All losses are mean squared errors. Milliseconds are CPU time "
    "with one thread, without validation.",
    "`learned / fixed` compares runs of the same seed and fold: geometric means of the ratios of losses and of epochs, "
    "and the median ratio of the times. `all` is the mean over the tables.",
]


class Task(NamedTuple):
    """Rows of one fold, in the network's form."""

    given: NetworkInput
    fit: TrainingRows
    validation: TrainingRows
    test: TrainingRows


class Outcome(NamedTuple):
    """What one training came to."""

    validation_loss: float
    test_loss: float
    best_epoch: int
    milliseconds: float


def run(settings: Settings, record: Record) -> None:
    """Compare with our numbers of intervals on all tables, and with the paper's on the small ones."""
    if settings.quick:
        record.part("8 intervals", partial(measure, ["wine"], TrainingOptions(intervals=8, epochs=3), 1))
        return
    for number in (8, 16):  # the defaults for few and for many rows
        options = TrainingOptions(intervals=number)
        record.part(f"{number} intervals", partial(measure, list(TABLES), options, SEEDS))
    record.part("33 intervals", partial(measure, list(PAPER_TABLES), TrainingOptions(intervals=33, bins=66), 1))


def measure(tables: list[str], options: TrainingOptions, n_seeds: int, settings: Settings) -> Part:
    """Train both forms on every table, seed and fold."""
    if not has_torch():
        raise SkippedError("PyTorch is not installed: `pip install torch`.")
    rows: list[dict[str, Any]] = []
    ratios: dict[str, dict[str, float]] = {}
    for name in tables:
        found = _compare(name, options, range(settings.seed, settings.seed + n_seeds))
        ratios[name] = _ratios(found)
        rows += [{"data": name, "AND weights": form, **_summary(outcomes)} for form, outcomes in found.items()]
        rows.append({"data": name, "AND weights": "learned / fixed", **ratios[name]})
    overall = {key: float(np.mean([r[key] for r in ratios.values()])) for key in ratios[tables[0]]}
    rows.append({"data": "all", "AND weights": "learned / fixed", **overall})
    values = {f"{name}: {key}": value for name, r in {**ratios, "all": overall}.items() for key, value in r.items()}
    return {"table": rows, "values": values, "notes": [*NOTES, f"Seeds: {n_seeds}."]}


def _compare(name: str, options: TrainingOptions, seeds: Iterable[int]) -> dict[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {FIXED: [], LEARNED: []}
    folds = list(tasks(*TABLES[name](), options))
    for form in found:  # what happens once in a process is not timed
        train_form(form, folds[0], replace(options, epochs=1), [0])
    for seed in seeds:
        for fold, task in enumerate(folds):
            for form, outcomes in found.items():
                outcomes.append(train_form(form, task, options, [seed, fold]))
            losses = ", ".join(f"{form} {found[form][-1].validation_loss:.4f}" for form in found)
            say(f"{name}, {options.intervals} intervals: seed {seed}, fold {fold}: {losses}")
    return found


def tasks(X: Any, y: Any, options: TrainingOptions) -> Iterator[Task]:
    """Encode a table and split it; bins are those of all rows, and see no target."""
    given, rows = network_rows(X, y, options)
    classes = rows.targets @ np.arange(1, rows.targets.shape[1] + 1)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(classes, classes)
    for fold, (others, test) in zip(range(USED_FOLDS), folds, strict=False):
        fit, validation = train_test_split(others, test_size=0.2, random_state=fold, stratify=classes[others])
        yield Task(given, *(TrainingRows(*(array[i] for array in rows)) for i in (fit, validation, test)))


def train_form(form: str, task: Task, options: TrainingOptions, seed: list[int]) -> Outcome:
    """Train until the validation loss has not improved for as long as `TrainingOptions` waits."""
    from benchmarks.torch_network import LearnedIntervals, TorchNetwork, torch_epochs

    rng = np.random.default_rng(seed)
    shape = N_RULES, task.fit.targets.shape[1]
    weights = initial_weights(task.given, *shape, rng, most_features=options.most_features)
    intervals = LearnedIntervals(task.given, START, np.random.default_rng(seed)) if form == LEARNED else None
    network = TorchNetwork(task.given, weights, intervals)
    patience, seconds = options.patience_for(len(task.fit.targets)), 0.0
    best = Outcome(np.inf, np.inf, -1, 0.0)
    with one_thread():
        epochs = torch_epochs(network, task.fit, options, rng)
        for epoch in range(options.epochs):
            begin = time.process_time()
            next(epochs)
            seconds += time.process_time() - begin
            loss = network.mean_loss(task.validation)
            if loss < best.validation_loss:
                best = Outcome(loss, network.mean_loss(task.test), epoch + 1, 0.0)
            if epoch + 1 - best.best_epoch >= patience:
                break
    return best._replace(milliseconds=1e3 * seconds / (epoch + 1))


@contextmanager
def one_thread() -> Iterator[None]:
    """CPU time of one thread depends little on what else the machine does."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(before)


def _summary(outcomes: list[Outcome]) -> dict[str, Any]:
    columns = Outcome(*(np.array(column) for column in zip(*outcomes, strict=True)))
    return {
        "validation loss": f"{columns.validation_loss.mean():.4f} ± {columns.validation_loss.std():.4f}",
        "test loss": f"{columns.test_loss.mean():.4f} ± {columns.test_loss.std():.4f}",
        "best epoch": float(columns.best_epoch.mean()),
        "ms per epoch": float(columns.milliseconds.mean()),
    }


def _ratios(found: dict[str, list[Outcome]]) -> dict[str, float]:
    """Learned against fixed, by pairs of the same seed and fold."""
    fixed, learned = (Outcome(*(np.array(c) for c in zip(*found[form], strict=True))) for form in (FIXED, LEARNED))
    return {
        "validation loss": _mean_ratio(learned.validation_loss, fixed.validation_loss),
        "test loss": _mean_ratio(learned.test_loss, fixed.test_loss),
        "best epoch": _mean_ratio(learned.best_epoch, fixed.best_epoch),
        "ms per epoch": ratio(learned.milliseconds, fixed.milliseconds),
    }


def _mean_ratio(over: Any, under: Any) -> float:
    return float(np.exp(np.mean(np.log(over / under))))
