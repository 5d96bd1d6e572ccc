"""Other gradients for the start of the descent: grafting on discretized weights, and slowly falling nodes.

The paper names both as a next step. The same network is trained in PyTorch in each way, put in the place of our own
training, and goes through the rest of `NLNClassifier.fit` as it is: the descent, the price, the fuzzy boundaries. What
counts is the program at the end.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from benchmarks.record import Part, Record
from benchmarks.scores import scores as scores_of
from benchmarks.settings import Settings, SkippedError
from benchmarks.speed_epoch import has_torch
from nln import NLNClassifier, datasets
from nln.learning.selection import start
from nln.network.options import TrainingOptions
from nln.network.training import Network

FOLDS, SEEDS, EPOCHS = 5, 3, 80
TABLES: dict[str, Callable[[], tuple[Any, Any]]] = {
    "tic-tac-toe": lambda: datasets.load_tic_tac_toe(backend="pandas"),
    "monk2": lambda: datasets.load_monks(2, backend="pandas"),
    "wine": lambda: datasets.load_wine(backend="pandas"),
    "balance": lambda: datasets.load_balance(backend="pandas"),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True, as_frame=True),
}
OURS, PLAIN, SOFT, CRISP = "ours", "plain", "soft", "crisp"
FORMS: dict[str, dict[str, bool]] = {
    "grafting": {"grafts": True, "logarithmic": False},
    "RRL nodes": {"grafts": False, "logarithmic": True},
    "RRL nodes, grafting": {"grafts": True, "logarithmic": True},
}
SCORES = ("validation loss", "best epoch", "F1 (%)", "accuracy (%)", "log-loss", "rules", "size")
SUMMARY = "all seeds"
NOTES = [
    f"Means over {FOLDS} folds; one start with 128 rules and at most {EPOCHS} epochs. `ours` is the training of "
    "`NLNClassifier`; `plain` is the same without drawing dead rules anew, which the others do not do either. `descent "
    "from` says whether the descent begins with the soft weights or with those rounded to -1, 0 and 1. The validation "
    "loss is the mean squared error, on the rows that stop the training, of what is trained: with grafting that is the "
    "rounded network, with the RRL nodes the network of these nodes. All other scores are those of the program on the "
    "fold left out.",
]
CHANGE_NOTE = (
    "`F1 - plain` compares with `plain`, table by table, seed by seed, fold by fold: mean ± standard error of the "
    "differences, in points."
)


class Outcome(NamedTuple):
    """One way to train, and where its descent begins."""

    form: str
    begin: str
    scores: dict[str, float]


def run(settings: Settings, record: Record) -> None:
    """Run one part a table and seed, all tables of a seed first, and sum up."""
    for seed in range(settings.seed, settings.seed + (1 if settings.quick else SEEDS)):
        for name in ["monk2"] if settings.quick else TABLES:
            record.part(f"{name}, seed {seed}", partial(measure, name, seed))
    done = {name: part for name, part in record.content["parts"].items() if name != SUMMARY and part["table"]}
    if done and not settings.parts:
        record.content["parts"].pop(SUMMARY, None)  # of fewer parts
        record.part(SUMMARY, partial(summarize, done))


def measure(name: str, seed: int, settings: Settings) -> Part:
    """Train in every way on every fold of a table."""
    if not has_torch():
        raise SkippedError("PyTorch is not installed: `pip install torch`.")
    X, y = TABLES[name]()
    n_folds, epochs = (1, 10) if settings.quick else (FOLDS, EPOCHS)
    splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))[:n_folds]
    found: list[Outcome] = []
    for train, test in splits:
        options = TrainingOptions(epochs=epochs)
        for form, begin, model, network in fit_all(X.iloc[train], y.iloc[train], seed, options):
            found.append(Outcome(form, begin, _scores(model, network, X.iloc[test], y.iloc[test])))
    groups = grouped(found)
    rows = [
        {"training": form, "descent from": begin, **{key: float(np.mean([s[key] for s in scores])) for key in SCORES}}
        for (form, begin), scores in groups.items()
    ]
    return {"table": rows, "folds": [outcome._asdict() for outcome in found], "notes": NOTES}


def summarize(parts: dict[str, Part], settings: Settings) -> Part:
    """Put the seeds of each table together, and all tables."""
    by_table: dict[str, list[Outcome]] = {}
    for name, part in parts.items():
        by_table.setdefault(name.split(", ")[0], []).extend(Outcome(**fold) for fold in part["folds"])
    everything = [outcome for found in by_table.values() for outcome in found]
    rows = [row for name, found in [*by_table.items(), ("all", everything)] for row in _compare(name, found)]
    names = [f"{row['data']}, {row['training']}, {row['descent from']}" for row in rows]
    values = {f"{name}: {key}": row[key] for name, row in zip(names, rows, strict=True) for key in SCORES}
    return {"table": rows, "values": values, "notes": [CHANGE_NOTE, f"Over: {'; '.join(parts)}."]}


def _compare(name: str, found: list[Outcome]) -> list[dict[str, Any]]:
    groups, rows = grouped(found), []
    for (form, begin), scores in groups.items():
        pairs = zip(scores, groups[PLAIN, SOFT], strict=True)
        change = np.array([one["F1 (%)"] - plain["F1 (%)"] for one, plain in pairs])
        error = change.std(ddof=min(1, len(change) - 1)) / np.sqrt(len(change))
        means = {key: float(np.mean([s[key] for s in scores])) for key in SCORES}
        row = {"data": name, "training": form, "descent from": begin, **means}
        counts = {"better": int((change > 0).sum()), "worse": int((change < 0).sum())}
        rows.append({**row, "F1 - plain": f"{change.mean():.1f} ± {error:.1f}", **counts})
    return rows


def grouped(found: list[Outcome]) -> dict[tuple[str, str], list[dict[str, float]]]:
    """Scores by training and begin of the descent."""
    groups: dict[tuple[str, str], list[dict[str, float]]] = {}
    for outcome in found:
        groups.setdefault((outcome.form, outcome.begin), []).append(outcome.scores)
    return groups


def fit_all(X: Any, y: Any, seed: int, options: TrainingOptions) -> Iterator[tuple[str, str, NLNClassifier, Network]]:
    """Fit in every way; yield the training, the begin of the descent, the classifier and the network."""
    for form, used in ((OURS, options), (PLAIN, replace(options, reset_rules=False))):
        model = fit(X, y, seed, used)
        yield form, SOFT, model, model.network_
    for form in FORMS:
        for begin, model, network in fit_both(form, X, y, seed, options):
            yield form, begin, model, network


def fit_both(
    form: str, X: Any, y: Any, seed: int, options: TrainingOptions
) -> Iterator[tuple[str, NLNClassifier, Network]]:
    """Train once and descend from the soft weights and, where these were trained, from the rounded ones."""
    from benchmarks.torch_gradients import discretized_network, train_otherwise

    kept: list[Network] = []

    def train_soft(*arguments: Any) -> Network:
        kept.append(train_otherwise(*arguments[:9], **FORMS[form]))  # without initial rules
        return kept[0]

    def take_crisp(*_: Any) -> Network:
        return discretized_network(kept[0], **FORMS[form])

    trainers = {SOFT: train_soft, CRISP: take_crisp} if FORMS[form]["grafts"] else {SOFT: train_soft}
    for begin, train in trainers.items():
        with patch.object(start, "train", train), one_thread():
            model = fit(X, y, seed, options)
        yield begin, model, kept[0]


def fit(X: Any, y: Any, seed: int, options: TrainingOptions) -> NLNClassifier:
    """Fit with a single start, so that every training shows."""
    with warnings.catch_warnings():  # columns that are constant in a fold
        warnings.simplefilter("ignore", UserWarning)
        return NLNClassifier(starts=1, training=options, random_state=seed, n_jobs=1).fit(X, y)


def _scores(model: NLNClassifier, network: Network, X: Any, y: Any) -> dict[str, float]:
    return {
        "validation loss": network.validation_loss,
        "best epoch": float(network.history.best_epoch + 1),
        **scores_of(y, model.predict(X), model.predict_proba(X), model.classes_),
        "rules": float(model.program_.n_rules),
        "size": float(model.program_.size),
    }


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
