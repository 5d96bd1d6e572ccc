"""Time of a whole fit on adult against XGBoost's default fit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

from benchmarks.data import adult
from benchmarks.measure import against_best, interleave, ratio
from benchmarks.peer_models import NotInstalledError, xgboost_classifier
from benchmarks.record import Part
from benchmarks.settings import Settings
from nln import NLNClassifier

NOTES = [
    "Seconds, medians of interleaved repeats after one that does not count; ratios are medians over neighbouring "
    "repeats. Both take the same pandas frame with categories. CPU time is that of all threads. Imports are "
    "not counted.",
    "XGBoost runs with its default, all cores, and with one thread, and the ratios are against the better by each "
    "clock: its threads spin while they wait, so that on a busy machine the default burns CPU time without work.",
]
XGBOOST = "XGBoost"
NO_XGBOOST = "XGBoost is not installed, so only our own times are measured: `pip install xgboost`."


def measure(settings: Settings) -> Part:
    """Fit both in turn."""
    X, y = adult(settings)
    contestants: dict[str, Callable[[], Any]] = {"nln": lambda: NLNClassifier(random_state=settings.seed).fit(X, y)}
    others = xgboost_classifiers(settings.seed)
    contestants |= {name: partial(model.fit, X, y == ">50K") for name, model in others.items()}
    times = interleave(contestants, 1 if settings.quick else 5)
    table = [
        {"method": name, "rows": len(X), "wall (s)": median(t.wall), "CPU (s)": median(t.cpu), "repeats": len(t.wall)}
        for name, t in times.items()
    ]
    values = {}
    if others:
        values = {
            "wall_ratio": against_best(times, "nln", "wall"),
            "cpu_ratio": against_best(times, "nln", "cpu"),
            "cpu_ratio_default": ratio(times["nln"].cpu, times[XGBOOST].cpu),
        }
        table.append({"method": "nln / best", "wall (s)": values["wall_ratio"], "CPU (s)": values["cpu_ratio"]})
    return {"table": table, "values": values, "notes": NOTES, "skipped": [] if others else [NO_XGBOOST]}


def xgboost_classifiers(seed: int) -> dict[str, Any]:
    """Return XGBoost with its defaults and the same with one thread; empty if it is not installed."""
    try:
        return {XGBOOST: xgboost_classifier(seed), f"{XGBOOST}, 1 thread": xgboost_classifier(seed, threads=1)}
    except NotInstalledError:
        return {}
