"""Time of a whole fit on adult against XGBoost's default fit."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from benchmarks.data import adult
from benchmarks.measure import interleave, ratio
from benchmarks.record import Part
from benchmarks.settings import Settings, SkippedError
from nln import NLNClassifier

NOTES = [
    "Seconds, medians of interleaved repeats after one that does not count; ratios are medians over neighbouring "
    "repeats. Both take the same pandas frame with categories and all cores. CPU time is that of all threads. Compiled "
    "code is cached on disk and loaded in the warm-up: compilation is not counted.",
]
NO_XGBOOST = "XGBoost is not installed, so only our own times are measured: `pip install xgboost`."


def measure(settings: Settings) -> Part:
    """Fit both in turn."""
    X, y = adult(settings)
    contestants: dict[str, Callable[[], Any]] = {"nln": lambda: NLNClassifier(random_state=settings.seed).fit(X, y)}
    skipped = []
    try:
        other = xgboost_classifier(settings.seed)
        contestants["XGBoost"] = lambda: other.fit(X, y == ">50K")
    except SkippedError as error:
        skipped.append(str(error))
    times = interleave(contestants, 1 if settings.quick else 5)
    table = [
        {"method": name, "rows": len(X), "wall (s)": median(t.wall), "CPU (s)": median(t.cpu), "repeats": len(t.wall)}
        for name, t in times.items()
    ]
    values = {}
    if "XGBoost" in times:
        nln, other = times["nln"], times["XGBoost"]
        values = {"wall_ratio": ratio(nln.wall, other.wall), "cpu_ratio": ratio(nln.cpu, other.cpu)}
        table.append({"method": "nln / XGBoost", "wall (s)": values["wall_ratio"], "CPU (s)": values["cpu_ratio"]})
    return {"table": table, "values": values, "notes": NOTES, "skipped": skipped}


def xgboost_classifier(seed: int) -> Any:
    """Return XGBoost with its defaults, on categories."""
    try:
        from xgboost import XGBClassifier  # noqa: PLC0415  optional
    except ImportError as error:
        raise SkippedError(NO_XGBOOST) from error
    return XGBClassifier(enable_categorical=True, random_state=seed)
