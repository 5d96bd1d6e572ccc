"""CPU time and accuracy of a fit on tables of every shape, beside XGBoost and LightGBM, and where the time goes."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from benchmarks.measure import Times, forget_peak, peak_mb
from benchmarks.peer_models import PEERS, NotInstalledError, xgboost_classifier
from benchmarks.record import Cell, Part
from benchmarks.settings import Settings, say
from benchmarks.shapes import HELD_OUT, SHAPES
from nln import Callback, NLNClassifier

REPEATS = 3
QUICK_SHAPES = ("3,000 x 40", "wine")
NOTES = [
    "Medians of interleaved fits; CPU seconds of all threads; every learner has its defaults, the peers one thread, "
    "since several would spin while they wait. Accuracy is that of one row in four, which nobody learned from; of "
    "labels it is the share of right cells. `stages` are seconds of wall time of the last fit.",
]
OTHERS = ("XGBoost", "LightGBM")


class Stages(Callback):
    """Notes when the stages of a fit begin."""

    def on_fit_begin(self, starts: int, epochs: int) -> None:
        """Begin with the networks."""
        self.begun = [("networks", time.perf_counter())]

    def on_stage(self, name: str) -> None:
        """Note a stage."""
        self.begun.append((name, time.perf_counter()))

    def on_fit_end(self) -> None:
        """Note the end."""
        self.begun.append(("end", time.perf_counter()))

    def seconds(self) -> dict[str, float]:
        """How long each stage took."""
        ends = self.begun[1:]
        return {name: end - begin for (name, begin), (_, end) in zip(self.begun, ends, strict=False)}


def plan(settings: Settings) -> Sequence[Cell]:
    """List one cell for each table."""
    names = QUICK_SHAPES if settings.quick else tuple(SHAPES)
    return [Cell(name, partial(compare, name, settings)) for name in names]


def compare(name: str, settings: Settings) -> dict[str, Any]:
    """Fit all learners in turn on one table."""
    say(f"tables: {name}")
    X, y = SHAPES[name](settings)
    y = np.asarray(y)
    order = np.random.default_rng(settings.seed).permutation(len(y))
    held_out, seen = np.split(order, [len(y) // HELD_OUT])
    train, test = (X.iloc[seen], y[seen]), (X.iloc[held_out], y[held_out])
    found: dict[str, Any] = {"rows": len(seen), "columns": X.shape[1]}
    contestants: dict[str, Callable[[], Any]] = {"nln": lambda: _own(settings.seed)}
    for other in OTHERS:
        try:
            contestants[other] = _other(other, settings.seed, is_labels=y.ndim > 1)
        except NotInstalledError as error:
            found.setdefault("skipped", []).append(str(error))
    times, models = {contestant: Times() for contestant in contestants}, dict[str, Any]()
    forget_peak()
    for _ in range(1 if settings.quick else REPEATS):
        for contestant, make in contestants.items():
            models[contestant] = make()
            times[contestant].add(partial(_fit, models[contestant], *train))
            if contestant == "nln":
                found["nln: peak (MB)"] = peak_mb()
    for contestant, model in models.items():
        found[f"{contestant}: CPU (s)"] = median(times[contestant].cpu)
        found[f"{contestant}: accuracy"] = float(np.mean(np.asarray(model.predict(test[0])) == test[1]))
    own = models["nln"]
    found["rules"], found["stages"] = own.program_.n_rules, own.callbacks[0].seconds()
    return found


def _own(seed: int) -> NLNClassifier:
    return NLNClassifier(random_state=seed, callbacks=[Stages()])


def _other(name: str, seed: int, *, is_labels: bool) -> Callable[[], Any]:
    """How to make one of the others; of them, only XGBoost takes several labels, as a table of numbers."""
    if is_labels and name != "XGBoost":
        raise NotInstalledError(f"{name} takes one label at a time.")
    make = (lambda: xgboost_classifier(seed, threads=1)) if is_labels else (lambda: PEERS[name](seed))
    make()  # to know whether it is installed
    return make


def _fit(model: Any, X: Any, y: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)


def summarize(found: Mapping[str, Any]) -> Part:
    """One row a table, with ratios to XGBoost."""
    table, values = [], {}
    for name, cell in found.items():
        row = {"table": name, "rules": cell["rules"]}
        for contestant in ("nln", *OTHERS):
            row |= {key: cell[key] for key in (f"{contestant}: CPU (s)", f"{contestant}: accuracy") if key in cell}
        if "XGBoost: CPU (s)" in cell:
            values[f"{name}: ratio"] = row["ratio"] = cell["nln: CPU (s)"] / cell["XGBoost: CPU (s)"]
            values[f"{name}: behind"] = cell["XGBoost: accuracy"] - cell["nln: accuracy"]
        row["peak (MB)"] = cell["nln: peak (MB)"]
        row["stages"] = ", ".join(f"{stage} {seconds:.2g}" for stage, seconds in cell["stages"].items())
        table.append(row)
    skipped = list(dict.fromkeys(text for cell in found.values() for text in cell.get("skipped", ())))
    return {"table": table, "values": values, "notes": NOTES, "skipped": skipped}
