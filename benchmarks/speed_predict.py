"""Rows a second of `predict_proba` on a long table against XGBoost's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from benchmarks.data import adult
from benchmarks.measure import against_best, interleave
from benchmarks.record import Part
from benchmarks.settings import Settings, say
from benchmarks.speed_fit import NO_XGBOOST, xgboost_classifiers
from nln import NLNClassifier

NOTES = [
    "Both predict the same pandas frame, rows of adult drawn with replacement, in turn; medians. XGBoost runs with all "
    "cores and with one thread; the ratio is against the better, and above 1 means that nln scores more rows a second.",
]


def measure(settings: Settings) -> Part:
    """Fit both once, then predict in turn."""
    X, y = adult(settings)
    rng = np.random.default_rng(settings.seed)
    long = X.iloc[rng.integers(0, len(X), 20_000 if settings.quick else 1_000_000)].reset_index(drop=True)
    say(f"predict: {len(long):,} rows")
    model = NLNClassifier(random_state=settings.seed).fit(X, y)
    contestants: dict[str, Callable[[], Any]] = {"nln": lambda: model.predict_proba(long)}
    others = {name: other.fit(X, y == ">50K") for name, other in xgboost_classifiers(settings.seed).items()}
    contestants |= {name: partial(other.predict_proba, long) for name, other in others.items()}
    times = interleave(contestants, 1 if settings.quick else 5)
    table = [
        {
            "method": name,
            "rows": len(long),
            "wall (s)": median(t.wall),
            "CPU (s)": median(t.cpu),
            "rows a second": len(long) / median(t.wall),
        }
        for name, t in times.items()
    ]
    values = {"rows_per_second": len(long) / median(times["nln"].wall), "n_rules": len(model.program_.rules)}
    if others:
        values["ratio"] = 1 / against_best(times, "nln", "wall")
        table.append({"method": "nln / best", "rows a second": values["ratio"]})
    return {"table": table, "values": values, "notes": NOTES, "skipped": [] if others else [NO_XGBOOST]}
