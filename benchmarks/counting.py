"""What rules that calculate and count bring: the same folds with and without them, on tables of other benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks import keel, others, tabular
from benchmarks.contestants import Ours
from benchmarks.record import Cell, Part, Record
from benchmarks.scores import MACRO_F1, NOTE, mean, scores
from benchmarks.settings import Settings
from benchmarks.suite.logistic import OneHotLogistic
from benchmarks.suite.parts import DEVELOPMENT, PARTS
from benchmarks.suite.parts import TABLES as SUITE
from benchmarks.suite.table import read
from benchmarks.tables import FOLDS, TABLES, Data, Split, folds
from nln import LanguageOptions

WITHOUT, WITH = "without", "with counts and arithmetic"
LANGUAGES = {
    WITHOUT: LanguageOptions(arithmetic=False, counts=False),
    WITH: LanguageOptions(arithmetic=True, counts=True),
}
SOME_FOLDS, LONG, LONG_FOLDS = 2, 50_000, 1
"""Folds of the tables of `rare`, `others` and `suite`; cells from which a table has fewer of them, and how many."""
BALANCE, NUMERALS = "balance (categorical)", "balance (categorical, declared as numbers)"
ADDITIVE = ("pima", "saheart", "heart", "german", "bupa")
LOGISTIC = "logistic regression"
COMPARED = (MACRO_F1, "accuracy (%)", "AUC", "log-loss", "rules", "literals", "fit CPU (s)")

PROTOCOL = (
    f"{FOLDS} stratified folds, shuffled with seed 0; of `rare`, `others` and the half of `suite` for development the "
    f"first {SOME_FOLDS} of them, and the first {LONG_FOLDS} where a table has {LONG:,} cells or more; "
    "of adult the first; one seed. Each fold is fitted twice, without and with calculations "
    "(`LanguageOptions(arithmetic=True, counts=True)`); everything else is the default. `taken` is the share of the "
    "fits whose rules calculate or count. Literals are those of all rules, with the columns and members of their "
    "calculations."
)


def run(settings: Settings, record: Record) -> None:
    """Run one part a group of tables."""
    record.explain(PROTOCOL, NOTE)
    for name, group in GROUPS.items():
        record.cells(name, partial(plan, group), SUMMARIES[name])


def plan(group: Callable[[Settings], Mapping[str, Callable[[Settings], Data]]], settings: Settings) -> list[Cell]:
    """List one cell for each table and fold; both ways to fit take turns."""
    cells = []
    for name, load in group(settings).items():
        X, y = load(settings)
        split = folds(X, y, settings)
        if group in (_rare, _others, _suite):
            split = split[: LONG_FOLDS if X.size >= LONG else SOME_FOLDS]
        split = split[:1] if name == "adult" else split
        cells += [Cell(f"{name}, fold {f}", partial(evaluate, name, X, y, s, settings)) for f, s in enumerate(split)]
    return cells


def evaluate(name: str, X: Any, y: Any, split: Split, settings: Settings) -> dict[str, Any]:
    """Fit a fold with and without calculations, and logistic regression where it is compared."""
    types = {column: "continuous" for column in X.columns} if name == NUMERALS else {}
    found: dict[str, Any] = {}
    for method, language in LANGUAGES.items():
        model = Counted(random_state=settings.seed, language=language, feature_types=types)
        found[method] = tabular.measure(model, X, y, split)
        derived = [f for f in model.program_.schema.features if f.derived is not None]
        found["calculations"] = [f.name for f in derived if f.name in model.program_.features_used]
    if name in ADDITIVE:
        train, test = split
        begin, model = time.process_time(), OneHotLogistic(settings.seed)
        model.fit(X.iloc[train], y.iloc[train])
        seconds, chances = time.process_time() - begin, model.predict_proba(X.iloc[test])
        quality = scores(y.iloc[test], model.predict(X.iloc[test]), chances, model.classes_)
        found[LOGISTIC] = {**quality, "fit CPU (s)": seconds}
    return found


class Counted(Ours):
    """nln, with the literals of its rules."""

    def rule_counts(self) -> dict[str, float]:
        """Number of rules, and of their literals with those of calculations."""
        sizes = map(self.program_.size_of, self.program_.rules)
        return {"rules": float(self.program_.n_rules), "literals": float(sum(sizes))}


def by_table(found: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Group what was found by table."""
    groups: dict[str, list[Any]] = {}
    for key, value in found.items():
        groups.setdefault(key.rpartition(", ")[0], []).append(value)
    return groups


def each_table(found: Mapping[str, Any]) -> Part:
    """One row for each table and method."""
    rows, values = [], {}
    for name, cells in by_table(found).items():
        for method in (m for m in (WITHOUT, WITH, LOGISTIC) if m in cells[0]):
            means = {key: value for key, value in mean([cell[method] for cell in cells]).items() if key in KEPT}
            taken = 100 * float(np.mean([bool(cell["calculations"]) for cell in cells])) if method == WITH else None
            rows.append({"table": name, "method": method, "folds": len(cells), **means, "taken (%)": taken})
            values |= {f"{name}: {method}: {key}": value for key, value in means.items()}
    return {"table": rows, "values": values, "notes": _calculations(found)}


KEPT = ("F1 (%)", *COMPARED)


def all_tables(found: Mapping[str, Any]) -> Part:
    """Means over the tables, and what each table gains where something was taken."""
    tables = by_table(found)
    means = {name: {m: mean([cell[m] for cell in cells]) for m in LANGUAGES} for name, cells in tables.items()}
    rows: list[dict[str, Any]] = []
    for method in LANGUAGES:
        row = {key: float(np.mean([each[method][key] for each in means.values()])) for key in COMPARED}
        rows.append({"tables": f"all {len(means)}", "method": method, **row})
    taken = [name for name, cells in tables.items() if any(cell["calculations"] for cell in cells)]
    for name in taken:
        share = sum(bool(cell["calculations"]) for cell in tables[name])
        for method in LANGUAGES:
            row = {key: means[name][method][key] for key in COMPARED}
            rows.append({"tables": f"{name} (in {share} of {len(tables[name])})", "method": method, **row})
    fits = [cell for cells in tables.values() for cell in cells]
    times = {m: sum(cell[m]["fit CPU (s)"] for cell in fits) for m in LANGUAGES}
    ratios = [means[name][WITH]["fit CPU (s)"] / means[name][WITHOUT]["fit CPU (s)"] for name in means]
    values = {f"{row['tables'].split()[0]}: {row['method']}: {key}": row[key] for row in rows[:2] for key in COMPARED}
    return {
        "table": rows,
        "values": {
            **values,
            "tables": len(means),
            "tables with calculations": len(taken),
            "fits with calculations (%)": 100 * sum(bool(cell["calculations"]) for cell in fits) / len(fits),
            "time ratio, all fits": times[WITH] / times[WITHOUT],
            "time ratio, median table": float(np.median(ratios)),
            "time ratio, worst table": max(ratios),
        },
        "notes": _calculations(found),
    }


def _calculations(found: Mapping[str, Any]) -> list[str]:
    """Say what was taken, by table and fold."""
    return [
        f"{key}: {', '.join(f'`{c}`' for c in cell['calculations'])}"
        for key, cell in found.items()
        if cell["calculations"]
    ]


def _paper_tables(settings: Settings) -> dict[str, Callable[[Settings], Data]]:
    names: Sequence[str] = ("wine",) if settings.quick else tuple(TABLES)
    chosen = {name: TABLES[name] for name in names}
    return chosen if settings.quick else {**chosen, NUMERALS: TABLES[BALANCE]}


def _others(settings: Settings) -> dict[str, Callable[[Settings], Data]]:
    return {name: others.TABLES[name] for name in (others.QUICK_TABLES if settings.quick else others.TABLES)}


def _rare(settings: Settings) -> dict[str, Callable[[Settings], Data]]:
    names = keel.RARE_NAMES[: 1 if settings.quick else None]
    return {name: partial(keel.load, name, group="imbalanced") for name in names}


def _suite(settings: Settings) -> dict[str, Callable[[Settings], Data]]:
    names = PARTS[DEVELOPMENT][: 1 if settings.quick else None]
    return {name: partial(read, SUITE[name]) for name in names}


def _additive(settings: Settings) -> dict[str, Callable[[Settings], Data]]:
    return {name: partial(keel.load, name) for name in (ADDITIVE[:1] if settings.quick else ADDITIVE)}


GROUPS = {
    "paper's tables": _paper_tables,
    "additive": _additive,
    "rare": _rare,
    "others": _others,
    "suite": _suite,
}
SUMMARIES = {name: each_table if name in ("paper's tables", "additive") else all_tables for name in GROUPS}
