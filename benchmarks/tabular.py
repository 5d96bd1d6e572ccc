"""Quality on tables: scores, number and size of rules, and CPU time, beside a pruned tree and XGBoost.

Five stratified folds (shuffled, seed 0), default parameters for all tables alike, the decision threshold from training
rows. F1 is that of the positive class for two classes and the mean over the classes for more.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, f1_score, log_loss
from sklearn.model_selection import StratifiedKFold

from benchmarks.contestants import CONTESTANTS, OURS
from benchmarks.record import Part, Record
from benchmarks.settings import Settings, SkippedError, say
from nln import datasets

Data = tuple[Any, Any]
FOLDS, SEEDS = 5, 3
"""Folds, and seeds of our model; the others hardly depend on the seed and run with one."""


def _balance_categorical(_: Settings) -> Data:
    X, y = datasets.load_balance()
    return X.astype(int).astype(str), y


def _kidney(settings: Settings) -> Data:
    X, y = _fetch(datasets.fetch_kidney, settings)
    return X, y == "ckd"  # the positive class is the second in sorted order


def _fetch(fetch: Callable[..., Data], settings: Settings) -> Data:
    try:
        return fetch(data_home=settings.data, download_if_missing=not settings.quick)
    except datasets.DatasetNotFoundError as error:
        raise SkippedError(str(error)) from error


TABLES: dict[str, Callable[[Settings], Data]] = {
    "tic-tac-toe": lambda _: datasets.load_tic_tac_toe(),
    "chess": partial(_fetch, datasets.fetch_chess),
    "monk2": lambda _: datasets.load_monks(2),
    "kidney": _kidney,
    "wine": lambda _: datasets.load_wine(),
    "adult": partial(_fetch, datasets.fetch_adult),
    "balance (continuous)": lambda _: datasets.load_balance(),
    "balance (categorical)": _balance_categorical,
}


def run(settings: Settings, record: Record) -> None:
    """Run one part a table."""
    for name in ["tic-tac-toe", "wine"] if settings.quick else TABLES:
        record.part(name, partial(measure, name))


def measure(name: str, settings: Settings) -> Part:
    """Cross-validate every contestant on one table."""
    X, y = TABLES[name](settings)
    rows, skipped = [], []
    for contestant, make in CONTESTANTS.items():
        try:
            rows.append({"method": contestant, **_cross_validate(name, contestant, make, X, y, settings)})
        except SkippedError as error:
            skipped.append(str(error))
    values = {f"{row['method']}: {key}": row[key] for row in rows for key in row if key != "method"}
    return {"table": rows, "values": values, "skipped": skipped}


def _cross_validate(name: str, contestant: str, make: Callable[[int], Any], X: Any, y: Any, settings: Settings) -> Any:
    scores: list[dict[str, float]] = []
    n_folds = 2 if settings.quick else FOLDS
    n_seeds = SEEDS if contestant == OURS and not settings.quick else 1
    splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))[:n_folds]
    for seed in range(settings.seed, settings.seed + n_seeds):
        for train, test in splits:
            model = make(seed)
            begin = time.process_time()
            with warnings.catch_warnings():  # columns that are constant in a fold
                warnings.simplefilter("ignore", UserWarning)
                model.fit(X.iloc[train], y.iloc[train])
            seconds = time.process_time() - begin
            found = score(model, X.iloc[test], y.iloc[test])
            scores.append({**found, **model.rule_counts(), "fit CPU (s)": seconds})
        say(f"{name}: {contestant}: seed {seed} done")
    return {key: float(np.mean([score[key] for score in scores])) for key in scores[0]}


def score(model: Any, X: Any, y: Any) -> dict[str, float]:
    """Scores of a fitted classifier on other rows."""
    predicted, probability, classes = model.predict(X), model.predict_proba(X), model.classes_
    options = {"average": "macro"} if len(classes) > 2 else {"pos_label": classes[1]}
    return {
        "F1 (%)": 100 * float(f1_score(y, predicted, **options)),
        "accuracy (%)": 100 * float(accuracy_score(y, predicted)),
        "log-loss": float(log_loss(y, probability, labels=classes)),
    }
