"""What `preset="paper"` learns: from the eight tables, fold by fold, and from parts of the Boolean networks.

The tables that stand beside the paper's are made from these measurements (`paper_tables`). Five stratified folds
(shuffled, seed 0), one of them for adult; nothing set but the preset. All six features of monk2 are categorical, and so
is the specific gravity of kidney, as in the paper. Boolean networks are learned without validation rows.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks import boolean, compare_rules
from benchmarks.compare_rules import learned_rules
from benchmarks.kidney import patients
from benchmarks.record import Cell, Part, Record
from benchmarks.recovery import TRUTH, whole_space
from benchmarks.scores import scores
from benchmarks.settings import Settings
from benchmarks.tables import TABLES, Data, Split, folds
from nln import LogicProgram, NLNClassifier, TrainingOptions
from nln.learning.options import PAPER_TRAINING
from nln.network.callbacks import Callback
from nln.rules import IntervalCondition

ONE_FOLD = ("adult",)
KIDNEY, MONK2 = "kidney", "monk2"
STAGES = ("training", "discretizing", "retraining", "pruning")
QUICK = {"epochs": 5, "intervals": 16, "retrain_epochs": 5}
BOOLEAN_FITS = {"mammalian": 5, "fission": 5, "budding": 5, "arabidopsis": 1}
"""Fits of each share of the states; a network of arabidopsis takes minutes."""


class Clock(Callback):
    """Seconds of each stage."""

    def __init__(self) -> None:
        self.marks: list[float] = []

    def on_fit_begin(self, starts: int, epochs: int) -> None:
        """Training begins."""
        self.marks = [time.process_time()]

    def on_stage(self, name: str) -> None:
        """Another stage begins."""
        self.marks.append(time.process_time())

    def on_fit_end(self) -> None:
        """The last stage is over."""
        self.marks.append(time.process_time())

    def seconds(self) -> dict[str, float]:
        """CPU seconds by stage; what follows pruning is no stage of the paper."""
        return dict(zip(STAGES, np.diff(self.marks)[: len(STAGES)].tolist(), strict=True))


def measure_all(settings: Settings, record: Record) -> None:
    """Measure one part for each table and each Boolean network."""
    for name in ("tic-tac-toe", "wine") if settings.quick else TABLES:
        record.cells(part_of(name), partial(plan, name), summarize)
    for name in ("mammalian",) if settings.quick else BOOLEAN_FITS:
        record.cells(part_of(name), partial(boolean_plan, name), summarize)


def part_of(name: str) -> str:
    """Name of the part of a table or a Boolean network."""
    return f"preset: {name}"


def summarize(found: Mapping[str, Any]) -> Part:
    """Leave the measurements to the tables that are made of them."""
    return {}


def table(name: str, settings: Settings) -> Data:
    """Return a table as the preset learns it."""
    return patients(settings) if name == KIDNEY else TABLES[name](settings)


def plan(name: str, settings: Settings) -> list[Cell]:
    """List one cell for each fold."""
    X, y = table(name, settings)
    splits = folds(X, y, settings)[: 1 if name in ONE_FOLD or settings.quick else None]
    return [Cell(f"fold {k}", partial(evaluate, name, X, y, split, settings)) for k, split in enumerate(splits)]


def evaluate(name: str, X: Any, y: Any, split: Split, settings: Settings) -> dict[str, Any]:
    """Fit on the training rows of a fold, score on its test rows, and compare with the true rules if they are known."""
    train, test = split
    clock = Clock()
    model = make(settings, callbacks=[clock], feature_types=kinds(name, X))
    with warnings.catch_warnings():  # columns that are constant in a fold
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X.iloc[train], y.iloc[train])
    rows = X.iloc[test]
    found = scores(y.iloc[test], model.predict(rows), model.predict_proba(rows), model.classes_)
    size = {"rules": float(model.program_.n_rules), "size": rule_size(model.program_)}
    return {**found, **size, **_recovery(name, X, model), **clock.seconds(), "program": model.program_.to_dict()}


def make(settings: Settings, **options: Any) -> NLNClassifier:
    """Return a classifier with the preset."""
    training = TrainingOptions(**QUICK) if settings.quick else None
    return NLNClassifier(preset="paper", training=training, random_state=settings.seed, **options)


def kinds(name: str, X: Any) -> dict[str, str] | None:
    """Kinds of features that the paper chose otherwise than we would: so many inputs of each kind has its table."""
    if name == KIDNEY:
        return {"specific_gravity": "categorical"}
    return dict.fromkeys(X.columns, "categorical") if name == MONK2 else None


def _recovery(name: str, X: Any, model: NLNClassifier) -> dict[str, float]:
    if name not in TRUTH:
        return {}
    space, (truth, label) = whole_space(X), TRUTH[name]
    true = truth(space)
    return compare_rules.recovery(true, [label] * true.shape[1], *learned_rules(model, space))


def rule_size(program: LogicProgram) -> float:
    """Mean size of the rules as the paper counts: a boundary that two intervals of a condition share counts once."""
    sizes = [
        sum(len(set(c.boundaries)) or 1 if isinstance(c, IntervalCondition) else c.size for c in rule.conditions)
        for rule in program.rules
    ]
    return float(np.mean(sizes)) if sizes else 0.0


def boolean_plan(name: str, settings: Settings) -> list[Cell]:
    """List one cell for each share of the states and draw."""
    options = {**QUICK, "validation": 0.0} if settings.quick else {"validation": 0.0}
    training = replace(PAPER_TRAINING, **options)

    def learner(seed: int) -> NLNClassifier:
        return NLNClassifier(preset="paper", training=training, random_state=seed)

    return boolean.plan(name, settings, learner, BOOLEAN_FITS[name])
