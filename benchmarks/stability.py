"""Stability: how much the score and the rules depend on the seed, for the default and for the paper's method."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.record import Cell, Part, Record
from benchmarks.scores import F1, scores
from benchmarks.settings import Settings
from benchmarks.tables import FOLDS, TABLES, Data, Split, folds
from nln import NLNClassifier, stability

SEEDS, QUICK_SEEDS = 10, 2
NAMES = ("monk2", "kidney", "wine")
METHODS = {"nln": "default", "preset paper": "paper"}
"""Methods by their name in the table, with the preset that they are."""

PAPER_SPREAD = {"monk2": 2.6, "kidney": 0.54, "wine": 1.6}
"""Standard deviation over the seeds of the 5-fold F1 that the paper reports, in points."""

PROTOCOL = (
    f"{FOLDS} stratified folds, {SEEDS} seeds, the same folds for all. The spread is the standard deviation over the "
    f"seeds of the {FOLDS}-fold mean F1 (of the positive class, and the mean over the classes for wine). Within a "
    "fold, every two seeds are compared on the test rows: the share of equal decisions, and the overlap of the rules "
    "(for each rule the highest Jaccard index of the rows it covers with those of a rule of the other program)."
)


def run(settings: Settings, record: Record) -> None:
    """Run one part a table."""
    record.explain(PROTOCOL)
    for name in ("monk2",) if settings.quick else NAMES:
        record.cells(name, partial(plan, name), partial(summarize, name))


def plan(name: str, settings: Settings) -> list[Cell]:
    """List one cell for each method and fold; the quick form leaves the slow method out."""
    data = TABLES[name](settings)
    count = QUICK_SEEDS if settings.quick else SEEDS
    seeds = range(settings.seed, settings.seed + count)
    return [
        Cell(f"{method}, fold {fold}", partial(evaluate, data, split, preset, seeds))
        for method, preset in METHODS.items()
        if not (settings.quick and preset == "paper")
        for fold, split in enumerate(folds(*data, settings))
    ]


def evaluate(data: Data, split: Split, preset: str, seeds: range) -> dict[str, Any]:
    """Fit with every seed on the training rows of a fold, and compare the programs on its test rows."""
    (X, y), (train, test) = data, split
    models = [NLNClassifier(random_state=s, preset=preset).fit(X.iloc[train], y.iloc[train]) for s in seeds]
    unseen, truth = X.iloc[test], y.iloc[test]
    found = [scores(truth, m.predict(unseen), m.predict_proba(unseen), m.classes_)[F1] for m in models]
    same = stability([model.program_ for model in models], unseen)
    rules = [model.program_.n_rules for model in models]
    return {F1: found, "agreement": same.agreement, "overlap": same.overlap, "rules": float(np.mean(rules))}


def summarize(name: str, found: Mapping[str, Any]) -> Part:
    """One line a method, and the paper's spread."""
    table: list[dict[str, Any]] = []
    values: dict[str, Any] = {}
    for method in METHODS:
        cells = [cell for key, cell in found.items() if key.startswith(f"{method}, ")]
        if cells:
            values[method] = _line(cells)
            table.append({"method": method, **values[method]})
    return {"table": [*table, {"method": "paper", "spread": PAPER_SPREAD[name]}], "values": values}


def _line(cells: list[dict[str, Any]]) -> dict[str, float]:
    by_seed = np.mean([cell[F1] for cell in cells], axis=0)
    return {
        F1: float(by_seed.mean()),
        "spread": float(by_seed.std(ddof=1)),
        "equal decisions (%)": 100 * float(np.mean([cell["agreement"] for cell in cells])),
        "overlap of rules (%)": 100 * float(np.mean([cell["overlap"] for cell in cells])),
        "rules": float(np.mean([cell["rules"] for cell in cells])),
    }
