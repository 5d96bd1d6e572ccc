"""Other gradients for the start of the descent: grafting on discretized weights, and slowly falling nodes.

The paper names both as a next step. The same network is trained in PyTorch in each way, put in the place of our own
training, and goes through the rest of `NLNClassifier.fit` as it is: the descent, the price, the fuzzy boundaries. What
counts is the program at the end.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from benchmarks.intervals import one_thread
from benchmarks.record import Part, Record
from benchmarks.settings import Settings, SkippedError, say
from benchmarks.speed_epoch import has_torch
from benchmarks.tabular import score
from nln import NLNClassifier, datasets
from nln.learning import pool
from nln.network.training import Network, TrainingOptions

FOLDS, SEEDS, EPOCHS = 5, 3, 100
TABLES: dict[str, Callable[[], tuple[Any, Any]]] = {
    "tic-tac-toe": lambda: datasets.load_tic_tac_toe(backend="pandas"),
    "monk2": lambda: datasets.load_monks(2, backend="pandas"),
    "wine": lambda: datasets.load_wine(backend="pandas"),
    "balance": lambda: datasets.load_balance(backend="pandas"),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True, as_frame=True),
}
PLAIN = "plain"
FORMS: dict[str, dict[str, bool]] = {
    PLAIN: {"grafts": False, "logarithmic": False},
    "grafting": {"grafts": True, "logarithmic": False},
    "RRL nodes": {"grafts": False, "logarithmic": True},
    "RRL nodes, grafting": {"grafts": True, "logarithmic": True},
}
OURS, SOFT, CRISP = "ours", "soft", "crisp"
SCORES = ("validation loss", "best epoch", "F1 (%)", "accuracy (%)", "log-loss", "rules", "size")
NOTES = [
    f"Means over the seeds and folds; one start with 128 rules and at most {EPOCHS} epochs. `descent from` says "
    "whether the descent begins with the soft weights or with those rounded to -1, 0 and 1. The validation loss is the "
    "mean squared error, on the rows that stop the training, of what is trained: with grafting that is the rounded "
    "network, with the RRL nodes the network of these nodes. All other scores are those of the program on the fold "
    "left out. `ours` is the training of `NLNClassifier`, which is `plain` with dead rules drawn anew.",
    "`F1 - plain` compares with plain training and the soft weights, seed by seed and fold by fold: mean ± standard "
    "error of the differences, in points.",
]


class Outcome(NamedTuple):
    """One way to train, and where its descent begins."""

    form: str
    begin: str
    scores: dict[str, float]


def run(settings: Settings, record: Record) -> None:
    """Run one part a table."""
    for name in ["monk2"] if settings.quick else TABLES:
        record.part(name, partial(measure, name))


def measure(name: str, settings: Settings) -> Part:
    """Train in every way on every seed and fold of a table."""
    if not has_torch():
        raise SkippedError("PyTorch is not installed: `pip install torch`.")
    X, y = TABLES[name]()
    n_folds, n_seeds, epochs = (1, 1, 10) if settings.quick else (FOLDS, SEEDS, EPOCHS)
    splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))[:n_folds]
    found: list[Outcome] = []
    for seed in range(settings.seed, settings.seed + n_seeds):
        for train, test in splits:
            given = X.iloc[train], y.iloc[train], seed, TrainingOptions(epochs=epochs)
            fits = [(OURS, SOFT, model := fit(*given), model.network_)]
            fits += [(form, *both) for form in FORMS for both in fit_both(form, *given)]
            found += [Outcome(form, begin, _scores(*done, X.iloc[test], y.iloc[test])) for form, begin, *done in fits]
        say(f"{name}: seed {seed} done")
    rows = _rows(found)
    values = {f"{r['training']}, {r['descent from']}: {key}": r[key] for r in rows for key in SCORES}
    return {"table": rows, "values": values, "notes": [*NOTES, f"Seeds: {n_seeds}, folds: {n_folds} of {FOLDS}."]}


def fit_both(
    form: str, X: Any, y: Any, seed: int, options: TrainingOptions
) -> Iterator[tuple[str, NLNClassifier, Network]]:
    """Train once and descend twice, from the soft and from the rounded weights."""
    from benchmarks.torch_gradients import discretized_network, train_otherwise  # noqa: PLC0415  optional

    kept: list[Network] = []

    def train_soft(*arguments: Any) -> Network:
        kept.append(train_otherwise(*arguments, **FORMS[form]))
        return kept[0]

    def take_crisp(*_: Any) -> Network:
        return discretized_network(kept[0], **FORMS[form])

    for begin, train in ((SOFT, train_soft), (CRISP, take_crisp)):
        with patch.object(pool, "train", train), one_thread():
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
        **score(model, X, y),
        "rules": float(model.program_.n_rules),
        "size": float(model.program_.size),
    }


def _rows(found: list[Outcome]) -> list[dict[str, Any]]:
    groups: dict[tuple[str, str], list[dict[str, float]]] = {}
    for outcome in found:
        groups.setdefault((outcome.form, outcome.begin), []).append(outcome.scores)
    rows = []
    for (form, begin), scores in groups.items():
        means = {key: float(np.mean([s[key] for s in scores])) for key in SCORES}
        pairs = zip(scores, groups[PLAIN, SOFT], strict=True)
        rows.append({"training": form, "descent from": begin, **means, "F1 - plain": _change(list(pairs))})
    return rows


def _change(pairs: list[tuple[dict[str, float], dict[str, float]]]) -> str:
    change = np.array([one["F1 (%)"] - other["F1 (%)"] for one, other in pairs])
    error = change.std(ddof=min(1, len(change) - 1)) / np.sqrt(len(change))
    return f"{change.mean():.1f} ± {error:.1f}"
