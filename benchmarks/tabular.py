"""Quality on tables: scores, number and size of rules, and CPU time, beside a pruned tree and XGBoost.

Five stratified folds (shuffled, seed 0), default parameters for all tables alike, the decision threshold from training
rows. "nln plain" is nln with `language="plain"`.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

from benchmarks.contestants import CONTESTANTS, OWN
from benchmarks.peer_models import NotInstalledError
from benchmarks.record import Cell, Part, Record
from benchmarks.scores import NOTE, mean, scores
from benchmarks.settings import Settings, SkippedError
from benchmarks.tables import FOLDS, TABLES, Split, folds, seeds, table_names

SEEDS = 3
"""Seeds of our model; the others hardly depend on the seed and run with one."""

PROTOCOL = (
    f"{FOLDS} stratified folds, shuffled with seed 0; default parameters for all tables alike; {SEEDS} seeds of nln, "
    "one of the others. nln chooses its decision threshold on the training rows; the others decide as they do by "
    'default. "nln plain" is nln with language="plain". CPU time is that of all threads; XGBoost has one.'
)


def run(settings: Settings, record: Record) -> None:
    """Run one part a table."""
    record.explain(PROTOCOL, NOTE)
    for name in table_names(settings):
        record.cells(name, partial(plan, name), summarize)


def plan(name: str, settings: Settings) -> list[Cell]:
    """List one cell for each method, seed and fold."""
    return [cell for method in CONTESTANTS for cell in cells_of(method, name, settings, SEEDS if method in OWN else 1)]


def cells_of(method: str, name: str, settings: Settings, n_seeds: int) -> list[Cell]:
    """List the cells of one method."""
    X, y = TABLES[name](settings)
    return [
        Cell(f"{method}, seed {seed}, fold {fold}", partial(evaluate, method, seed, X, y, split), method in OWN)
        for seed in seeds(settings, n_seeds)
        for fold, split in enumerate(folds(X, y, settings))
    ]


def evaluate(method: str, seed: int, X: Any, y: Any, split: Split) -> dict[str, float]:
    """Fit a method on the training rows of a fold and score it on its test rows."""
    try:
        model = CONTESTANTS[method](seed)
    except NotInstalledError as error:
        raise SkippedError(str(error)) from error
    return measure(model, X, y, split)


def measure(model: Any, X: Any, y: Any, split: Split) -> dict[str, float]:
    """Fit a model on the training rows of a fold and score it on its test rows."""
    train, test = split
    begin = time.process_time()
    with warnings.catch_warnings():  # columns that are constant in a fold
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X.iloc[train], y.iloc[train])
    fitted = time.process_time()
    probability, predicted = model.predict_proba(X.iloc[test]), model.predict(X.iloc[test])
    done = time.process_time()
    times = {"fit CPU (s)": fitted - begin, "predict CPU (s)": done - fitted}
    return {**scores(y.iloc[test], predicted, probability, model.classes_), **model.rule_counts(), **times}


def summarize(found: Mapping[str, Any]) -> Part:
    """Take the mean over seeds and folds for each method."""
    rows = [{"method": method, **mean(each)} for method, each in by_method(found).items()]
    values = {f"{row['method']}: {key}": row[key] for row in rows for key in row if key != "method"}
    return {"table": rows, "values": values}


def by_method(found: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Group what was found by the method that its key begins with."""
    groups: dict[str, list[Any]] = {}
    for key, value in found.items():
        groups.setdefault(key.split(", ")[0], []).append(value)
    return groups
