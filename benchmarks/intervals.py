"""Fuzzy intervals with learned AND weights, as in the paper, against ours, whose AND weights are fixed.

A continuous feature has fuzzy dichotomies, and its fuzzy intervals are AND nodes over them. In the paper the weights of
these nodes are trained from 1 on the lower neighbour, -1 on the upper neighbour and 0 elsewhere; here they stay there,
and only boundaries and sharpnesses are trained. Both forms begin with the same weights and see the same batches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import StratifiedKFold, train_test_split

from benchmarks.data import network_rows
from benchmarks.measure import ratio
from benchmarks.record import Part, Record
from benchmarks.settings import Settings, say
from nln.datasets import load_balance, load_wine
from nln.network.layout import Integers, NetworkInput, TrainingRows
from nln.network.options import TrainingOptions
from nln.network.training import network_loss, train

N_RULES, FOLDS, USED_FOLDS, SEEDS = 128, 5, 2, 3
FIXED, LEARNED = "fixed", "learned"
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
    "the test loss is that of the fold at this epoch. All losses are mean squared errors. Milliseconds are CPU time.",
    "`learned / fixed` compares runs of the same seed and fold: geometric means of the ratios of losses and of epochs, "
    "and the median ratio of the times. `all` is the mean over the tables.",
]


class Task(NamedTuple):
    """A table in the network's form, and which rows train, stop the training, and test."""

    given: NetworkInput
    rows: TrainingRows
    fit: Integers
    validation: Integers
    test: Integers


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
        yield Task(given, rows, fit, validation, test)


def train_form(form: str, task: Task, options: TrainingOptions, seed: list[int]) -> Outcome:
    """Train until the validation loss has not improved for as long as `TrainingOptions` waits."""
    options = replace(options, learned_intervals=form == LEARNED)
    data = task.given, task.rows, task.fit, task.validation
    begin = time.process_time()
    network = train(*data, N_RULES, options, np.random.default_rng(seed))
    seconds = time.process_time() - begin
    test = network_loss(task.given, task.rows, task.test, network.weights)
    epochs = len(network.history)
    return Outcome(network.validation_loss, test, network.history.best_epoch + 1, 1e3 * seconds / epochs)


def _summary(outcomes: list[Outcome]) -> dict[str, Any]:
    validation, test, epochs, milliseconds = (np.array(column) for column in zip(*outcomes, strict=True))
    return {
        "validation loss": f"{validation.mean():.4f} ± {validation.std():.4f}",
        "test loss": f"{test.mean():.4f} ± {test.std():.4f}",
        "best epoch": float(epochs.mean()),
        "ms per epoch": float(milliseconds.mean()),
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
