"""Adult audited for sex and race: the rules that ask about them or a proxy, the gaps, and the price of doing without.

Proxies are found on the training file. Rates, gaps and scores are those of the test file, where F1 is that of income
above 50K, each the mean over the seeds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from benchmarks.data import fetch
from benchmarks.record import Part, Record
from benchmarks.settings import Settings
from nln import Constraints, NLNClassifier, audit
from nln.compose import Audit
from nln.compose.core.measure import measure
from nln.datasets import fetch_adult

PROTECTED = ("sex", "race")
THRESHOLDS = (0.5, 0.4)
"""Associations from which a column counts as a proxy: the default of `audit`, and one that leaves out more."""
SEEDS = 5


def run(settings: Settings, record: Record) -> None:
    """Learn with and without the protected attributes and their proxies, and audit all programs."""
    record.part("audit", _measure)


def _measure(settings: Settings) -> Part:
    options = {"download_if_missing": not settings.quick}
    X, y = fetch(fetch_adult, settings, "train", **options)
    test = fetch(fetch_adult, settings, "test", **options)
    seeds = range(settings.seed, settings.seed + (1 if settings.quick else SEEDS))
    # The quick form makes one start.
    model = NLNClassifier(starts=1 if settings.quick else None, random_state=settings.seed)
    first = clone(model).fit(X, y).program_
    left_out = {"nothing": (), "protected": PROTECTED}
    for threshold in THRESHOLDS[:1] if settings.quick else THRESHOLDS:
        columns = audit(first, X, y, PROTECTED, proxy_threshold=threshold).forbidden
        left_out[f"protected, proxies from {threshold:g}"] = columns
    table = [
        {"left out": name, **_summary([_scored(model, columns, seed, (X, y), test) for seed in seeds])}
        for name, columns in left_out.items()
    ]
    found = audit(first, *test, PROTECTED)
    values = {
        "rules that ask about sex or race": sum(bool(rule.protected) for rule in found.rules),
        "loss of F1 without sex, race, proxies": table[0]["F1 (%)"] - table[2]["F1 (%)"],
    }
    notes = [f"{name}: {', '.join(columns)}." for name, columns in left_out.items() if columns]
    return {"table": table, "values": values, "notes": [*notes, f"```\n{found}\n```"]}


def _scored(model: NLNClassifier, columns: tuple[str, ...], seed: int, train: Any, test: Any) -> dict[str, float]:
    """Learn without some columns; scores and gaps on the test file."""
    chosen = clone(model).set_params(constraints=Constraints(forbidden=columns), random_state=seed)
    program = chosen.fit(*train).program_
    scores = measure(program, *test)
    plain = {"rules": float(scores.rules), "F1 (%)": 100 * scores.f1, "accuracy (%)": 100 * scores.accuracy}
    return {**plain, **_gaps(audit(program, *test, PROTECTED))}


def _gaps(found: Audit) -> dict[str, float]:
    return {f"{gap.protected}: gap of {gap.rate} (points)": 100 * gap.size for gap in found.gaps}


def _summary(runs: list[dict[str, float]]) -> dict[str, Any]:
    """Means over the seeds, and how far F1 differs between them."""
    means: dict[str, Any] = {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}
    f1 = [run["F1 (%)"] for run in runs]
    return {**means, "F1 (%), lowest to highest": f"{min(f1):.1f} to {max(f1):.1f}"}
