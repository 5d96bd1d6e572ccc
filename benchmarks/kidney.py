"""Chronic kidney disease: the programs of five folds merged, and the fewest rules that decide all patients rightly.

The paper merges the models of five folds, prunes and adjusts them on all rows: 34 rules become 11, of which 4 suffice.
"""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.model_selection import StratifiedKFold

from benchmarks.goals import Goal
from benchmarks.record import Part, Record
from benchmarks.settings import Settings, say
from benchmarks.tables import TABLES, Data
from nln import LogicProgram, NLNClassifier
from nln.compose import Merged, Selection, adjust, merge, select

FOLDS = 5

GOALS = (
    Goal("rules that decide all rows rightly", "kidney", "fewest rules", 4, "at most"),
    Goal("proved to be the fewest", "kidney", "proved", 1, "at least"),
    Goal("accuracy on all rows (%)", "kidney", "accuracy (%)", 100, "at least"),
)


PAPER_RULES = {"five programs": 34, "merged, pruned and adjusted on all rows": 11, "fewest of the pruned rules": 4}
"""How many rules the paper reports."""


def run(settings: Settings, record: Record) -> None:
    """Learn the folds, merge and select."""
    record.part("kidney", _measure)
    record.judge(GOALS)


def patients(settings: Settings) -> Data:
    """Return the table; of its classes, in sorted order, ckd comes second: the positive class."""
    X, y = TABLES["kidney"](settings)
    return X, y.map({True: "ckd", False: "absent"}).rename("disease")


def _measure(settings: Settings) -> Part:
    X, y = patients(settings)
    programs = fold_programs(X, y, settings)
    pooled = merge(programs)
    pruned = merge(programs, X=X, y=y)
    everything = adjust(pooled.program, X, y)
    few = {"pruned": select(pruned.program, X, y), "all": select(everything, X, y)}
    best = min(few.values(), key=lambda found: (-found.score, found.program.n_rules))
    table = [
        _row("five programs", sum(program.n_rules for program in programs)),
        _row("merged without data", pooled.program.n_rules, pooled.program, X, y),
        _row("merged, pruned and adjusted on all rows", pruned.program.n_rules, pruned.program, X, y),
        _selected("fewest of the pruned rules", few["pruned"], X, y),
        _selected("fewest of all merged rules, adjusted", few["all"], X, y),
    ]
    for line in table:
        line["paper: rules"] = PAPER_RULES.get(line["program"])
    values = {
        "fewest rules": best.program.n_rules,
        "proved": int(best.proved),
        "accuracy (%)": 100 * float((best.program.predict(X) == y.to_numpy()).mean()),
    }
    notes = [f"```\n{text}\n```" for text in (_with_origins(pruned), *(str(tie) for tie in best.ties))]
    return {"table": table, "values": values, "notes": notes}


def fold_programs(X: Any, y: Any, settings: Settings) -> list[LogicProgram]:
    """Learn the programs of the folds with the defaults."""
    splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))
    programs = []
    for train, _ in splits[: 2 if settings.quick else FOLDS]:
        with warnings.catch_warnings():  # columns that are constant in a fold
            warnings.simplefilter("ignore", UserWarning)
            model = NLNClassifier(random_state=settings.seed).fit(X.iloc[train], y.iloc[train])
        programs.append(model.program_)
        say(f"kidney: fold {len(programs)}: {model.program_!r}")
    return programs


def _row(name: str, rules: int, program: LogicProgram | None = None, X: Any = None, y: Any = None) -> dict[str, Any]:
    if program is None:
        return {"program": name, "rules": rules}
    accuracy = 100 * float((program.predict(X) == y.to_numpy()).mean())
    return {"program": name, "rules": rules, "mean size": program.size, "accuracy (%)": accuracy}


def _selected(name: str, found: Selection, X: Any, y: Any) -> dict[str, Any]:
    shown = _row(name, found.program.n_rules, found.program, X, y)
    return {**shown, "proved": found.proved, "choices": len(found.ties)}


def _with_origins(merged: Merged) -> str:
    return f"merged, pruned and adjusted:\n{merged}"
