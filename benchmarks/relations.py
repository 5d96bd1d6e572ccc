"""Rules over several tables: generated truths, false alarms, multi-instance data, Sudoku, and what it costs."""

from __future__ import annotations

import io
import resource
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

from benchmarks import made_relations, made_sudoku
from benchmarks.archives import read_archive
from benchmarks.made_relations import Made, boards, families, keyed, near_misses, patients, pluses, series, trains
from benchmarks.peer_models import NotInstalledError, xgboost_classifier
from benchmarks.record import Cell, Part, Record
from benchmarks.settings import Settings
from benchmarks.tables import seeds
from nln import Child, LogicProgram, NLNClassifier, aggregates
from nln.learning.derived import soft_conjunctions
from nln.rules import Target
from nln.rules.language.text import condition_texts

SEEDS, FOLDS, ROWS, FRESH = 5, 10, 800, 2000
ARCHIVE = "mil-1.0.5-py3-none-any.whl"
SIZES = (10_000, 30_000, 100_000)

TRUTHS: dict[str, tuple[Callable[..., Made], str]] = {
    "trains": (trains, "some cars (length = short AND roof != open)"),
    "exists": (partial(patients, kind="exists"), "some visits (dept = ER AND creatinine >= 1.3)"),
    "no": (partial(patients, kind="no"), "no visits (dept = heart AND urgent = yes)"),
    "at least 2": (partial(patients, kind="at least 2"), "at least 2 visits (pressure >= 135 AND urgent = yes)"),
    "three in a row": (boards, "some across (r0c0 = x AND r0c1 = x AND r0c2 = x); some down (...)"),
    "spike and drop": (series, "some steps (t0 >= 1.2 AND t1 < -0.8)"),
    "grandparent": (families, "some between (x_parent_z = yes AND z_parent_y = yes)"),
    "two tables": (
        partial(patients, kind="two tables"),
        'at least 2 visits (dept in {ER, heart} AND creatinine >= 1.1) AND no drugs (class = "ACE inhibitor")',
    ),
}

BLIND: dict[str, tuple[Callable[..., Made], str]] = {
    "near misses": (near_misses, "some visits (fever = yes AND cough = yes AND rash = yes)"),
    "near misses in 23 columns": (partial(near_misses, columns=20), "the same, with 20 columns that tell nothing"),
    "plus": (pluses, "some places (r0c1 = x AND r1c0 = x AND r1c1 = x AND r1c2 = x AND r2c1 = x)"),
}
"""Truths of which no pair of conditions tells anything, or next to nothing."""
ARMS: dict[str, dict[str, Any]] = {"trained": {}, "as drawn": {"STEPS": 0}, "pairs only": {"UNITS": {}}}
"""What is changed of `soft_conjunctions`: nothing, units that are not trained, or no units."""

PROTOCOL = (
    f"Generated truths: {ROWS} rows, 5 % of the labels wrong, {SEEDS} seeds, default parameters; F1 on {FRESH:,} fresh "
    f"rows without wrong labels. MUSK 1: {FOLDS} stratified folds; the others see flat aggregates of the conformations "
    "(count, least, largest and mean of each column). Sudoku: rules are learned from partly filled boards of 4 x 4; "
    "`fixpoint` applies them to puzzles with as few cells given as a solver by singles needs. Cost: ten children a "
    "row, of ten columns; two threads. Gradients: truths of three conditions or more of which no pair tells anything. "
    "The search goes on from units of the soft network over bags, from the same units as they are drawn, or from pairs "
    "alone."
)


def run(settings: Settings, record: Record) -> None:
    """Run one part a question."""
    record.explain(PROTOCOL)
    files = (Path(made_relations.__file__),)
    record.cells("truths", plan_truths, summarize_truths, files=files)
    record.cells("gradients", plan_gradients, summarize_gradients, files=files)
    record.cells("false alarms", plan_alarms, summarize_alarms, files=files)
    record.cells("sudoku", plan_sudoku, summarize_rows, files=(Path(made_sudoku.__file__),))
    record.cells("musk1", plan_musk, summarize_musk)
    record.cells("cost", plan_cost, summarize_rows)


def plan_truths(settings: Settings) -> list[Cell]:
    """List one cell for each truth and seed."""
    names = list(TRUTHS)[:1] if settings.quick else list(TRUTHS)
    return [
        Cell(f"{name}, seed {seed}", partial(recover, name, seed)) for name in names for seed in seeds(settings, SEEDS)
    ]


def recover(name: str, seed: int) -> dict[str, Any]:
    """Learn a truth behind noise."""
    make = (TRUTHS | BLIND)[name][0]
    made, fresh = make(ROWS, seed=seed), make(FRESH, seed=seed + 1000)
    begin = time.process_time()
    model = fitted(made, seed)
    seconds = time.process_time() - begin
    program = model.program_
    rules = [" AND ".join(condition_texts(rule, program.schema)) for rule in program.rules]
    score = f1_score(fresh.truth, model.predict(fresh.X, tables=keyed(fresh)))
    return {"F1 (%)": 100 * float(score), "rules": rules, "seconds": seconds}


def fitted(made: Made, seed: int) -> NLNClassifier:
    """Fit with the default parameters, without warnings about noise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return NLNClassifier(random_state=seed).fit(made.X, made.y, tables=keyed(made))


def summarize_truths(found: Mapping[str, Any]) -> Part:
    """One row for each truth, with the rules of the first seed."""
    rows, values = [], {}
    for name, (_, truth) in TRUTHS.items():
        cells = [cell for key, cell in found.items() if key.startswith(f"{name}, ")]
        if cells:
            row = {
                "F1 (%)": float(np.mean([cell["F1 (%)"] for cell in cells])),
                "rules": float(np.mean([len(cell["rules"]) for cell in cells])),
                "fit CPU (s)": float(np.mean([cell["seconds"] for cell in cells])),
            }
            rows.append({"truth": f"`{truth}`", **row, "learned": "; ".join(f"`{rule}`" for rule in cells[0]["rules"])})
            values |= {f"{name}: {key}": value for key, value in row.items()}
    return {"table": rows, "values": values}


def plan_gradients(settings: Settings) -> list[Cell]:
    """List one cell for each truth that pairs are blind to, each arm and each seed."""
    names, count = (list(BLIND)[:1], 1) if settings.quick else (list(BLIND), SEEDS)
    return [
        Cell(f"{name}, {arm}, seed {seed}", partial(recover_from, name, arm, seed))
        for name in names
        for arm in ARMS
        for seed in range(count)
    ]


def recover_from(name: str, arm: str, seed: int) -> dict[str, Any]:
    """Learn such a truth with and without the soft network over bags."""
    with patch.multiple(soft_conjunctions, **ARMS[arm]) if ARMS[arm] else nullcontext():
        return {"truth": name, "arm": arm, **recover(name, seed)}


def summarize_gradients(found: Mapping[str, Any]) -> Part:
    """One row for each truth: mean F1 and time of each arm."""
    rows, values = [], {}
    for name, (_, truth) in BLIND.items():
        cells = [cell for cell in found.values() if cell["truth"] == name]
        row: dict[str, float] = {}
        for arm in ARMS:
            own = [cell for cell in cells if cell["arm"] == arm]
            if own:
                row[f"F1 (%), {arm}"] = float(np.mean([cell["F1 (%)"] for cell in own]))
                row[f"fit CPU (s), {arm}"] = float(np.mean([cell["seconds"] for cell in own]))
        if row:
            rows.append({"truth": f"`{truth}`" if "some" in truth else truth, **row})
            values |= {f"{name}: {key}": value for key, value in row.items()}
    return {"table": rows, "values": values}


def plan_alarms(settings: Settings) -> list[Cell]:
    """List one cell for each table whose children tell nothing."""
    count = range(2 if settings.quick else 20)
    return [
        Cell(f"{kind}, seed {seed}", partial(false_alarm, kind, seed)) for kind in ("nothing", "flat") for seed in count
    ]


def false_alarm(kind: str, seed: int) -> dict[str, Any]:
    """List the conditions on children of the rules."""
    program = fitted(patients(ROWS, kind, seed), seed).program_
    return {"kind": kind, "taken": [name for name in program.features_used if program.schema[name].derived is not None]}


def summarize_alarms(found: Mapping[str, Any]) -> Part:
    """Count the tables where a rule asks about children."""
    kinds = dict.fromkeys(cell["kind"] for cell in found.values())
    rows = []
    for kind in kinds:
        cells = [cell for cell in found.values() if cell["kind"] == kind]
        rows.append({"truth": kind, "tables": len(cells), "with children": sum(bool(c["taken"]) for c in cells)})
    return {"table": rows, "values": {"with children": sum(row["with children"] for row in rows)}}


def plan_sudoku(settings: Settings) -> list[Cell]:
    """List one cell for each size of board."""
    sizes = {4: 5} if settings.quick else {4: 100, 9: 100}
    return [Cell(f"{n} x {n}", partial(solve, n, count, settings.seed)) for n, count in sizes.items()]


def sudoku_program(seed: int) -> LogicProgram:
    """Learn from boards of 4 x 4 what can be placed and removed; a wrong conclusion costs ten times as much."""
    X, truth, children = made_sudoku.known_rows(4, 800, np.random.default_rng(seed))
    tables = {name: Child(rows, key="candidate") for name, rows in children.items()}
    labels = (made_sudoku.PLACED, made_sudoku.REMOVED)
    programs = [
        NLNClassifier(class_weight={0: 10, 1: 1}, random_state=seed).fit(X, y.astype(int), tables=tables).program_
        for y in (truth, ~truth)
    ]
    schema = replace(programs[0].schema, target=Target("status", "multilabel", labels))
    rules = [
        replace(rule, label=label, coverage=None, starts=None)
        for label, program in zip(labels, programs, strict=True)
        for rule in program.rules
    ]
    return LogicProgram(schema.with_features(programs[1].schema.features), tuple(rules), (0.0, 0.0), (0.5, 0.5))


def solve(n: int, count: int, seed: int) -> dict[str, Any]:
    """Solve unseen puzzles with the rules that were learned from boards of 4 x 4."""
    program, rng = sudoku_program(seed), np.random.default_rng([7, seed])
    right, steps, given, seconds = 0, [], [], 0.0
    for _ in range(count):
        status, true = made_sudoku.puzzle(n, rng)
        begin = time.process_time()
        X = {"candidate": np.arange(n**3), "status": status}
        tables = partial(made_sudoku.tables, n=n)
        values, taken = program.fixpoint(X, "status", undecided=made_sudoku.OPEN, tables=tables)
        seconds += time.process_time() - begin
        steps.append(taken)
        given.append(int((status == made_sudoku.PLACED).sum()))
        right += bool(((values == made_sudoku.PLACED) == true).all())
    return {
        "board": f"{n} x {n}",
        "puzzles": count,
        "solved (%)": 100 * right / count,
        "cells given": float(np.mean(given)),
        "steps": float(np.mean(steps)),
        "CPU each (s)": seconds / count,
        "rules": program.n_rules,
        "program": str(program),
    }


def summarize_rows(found: Mapping[str, Any]) -> Part:
    """One row for each cell."""
    rows = [{key: value for key, value in cell.items() if key != "program"} for cell in found.values()]
    values = {
        f"{name}: {key}": value
        for name, cell in found.items()
        for key, value in cell.items()
        if isinstance(value, float)
    }
    return {"table": rows, "values": values}


def plan_musk(settings: Settings) -> list[Cell]:
    """List one cell for each fold of MUSK 1."""
    table = pd.read_csv(io.BytesIO(read_archive(ARCHIVE, "mil/data/datasets/csv/musk1.csv", settings)), header=None)
    names = ["y", "molecule", *(f"f{j}" for j in range(1, table.shape[1] - 1))]
    table = table.set_axis(names, axis=1)
    y = table.groupby("molecule")["y"].first()
    X, rows, truth = pd.DataFrame({"molecule": y.index}), table.drop(columns="y"), (y.to_numpy() == 1).astype(int)
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=settings.seed).split(X, truth))
    folds = folds[:1] if settings.quick else folds
    return [
        Cell(f"fold {f}", partial(musk_fold, X, rows, truth, train, test, settings.seed))
        for f, (train, test) in enumerate(folds)
    ]


def musk_fold(X: pd.DataFrame, rows: pd.DataFrame, y: Any, train: Any, test: Any, seed: int) -> dict[str, Any]:
    """Accuracy of rules on the conformations, and of others on flat aggregates of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        child = {"conformations": Child(rows, key="molecule")}
        flat = aggregates(X, child).drop(columns="molecule")
        model = NLNClassifier(random_state=seed).fit(X.iloc[train], y[train], tables=child)
        found = {"nln, children": float((model.predict(X.iloc[test], tables=child) == y[test]).mean())}
        model = NLNClassifier(random_state=seed).fit(flat.iloc[train], y[train])
        found["nln, aggregates"] = float((model.predict(flat.iloc[test]) == y[test]).mean())
    try:
        boosted = xgboost_classifier(seed).fit(flat.iloc[train], y[train])
        found["XGBoost, aggregates"] = float((boosted.predict(flat.iloc[test]) == y[test]).mean())
    except NotInstalledError:
        pass
    return found


def summarize_musk(found: Mapping[str, Any]) -> Part:
    """Mean accuracy of each method."""
    methods = dict.fromkeys(name for cell in found.values() for name in cell)
    means = {name: 100 * float(np.mean([cell[name] for cell in found.values() if name in cell])) for name in methods}
    return {"table": [{"method": name, "accuracy (%)": mean} for name, mean in means.items()], "values": means}


def plan_cost(settings: Settings) -> list[Cell]:
    """List one cell for each number of rows."""
    sizes = (1000,) if settings.quick else SIZES
    return [Cell(f"{n} rows", partial(cost, n, settings.seed)) for n in sizes]


def cost(n: int, seed: int) -> dict[str, Any]:
    """Time and memory of a fit with ten children a row."""
    rng = np.random.default_rng(seed)
    m = 10 * n
    X = pd.DataFrame({"id": np.arange(n), "age": rng.integers(20, 95, n), "sex": rng.choice(["f", "m"], n)})
    columns: dict[str, Any] = {"id": np.sort(rng.integers(0, n, m))}
    columns |= {f"c{j}": rng.choice(["a", "b", "c", "d", "e"], m) for j in range(4)}
    columns |= {f"x{j}": rng.normal(size=m).round(3) for j in range(6)}
    visits = pd.DataFrame(columns)
    truth = made_relations.counted(visits, "id", np.arange(n), (visits["c0"] == "a") & (visits["x0"] >= 1.5)) >= 1
    y = made_relations.flipped(truth, rng, 0.05)
    begin, cpu = time.perf_counter(), time.process_time()
    model = NLNClassifier(random_state=seed, n_jobs=2).fit(X, y, tables={"visits": Child(visits, key="id")})
    return {
        "rows": n,
        "children": m,
        "fit (s)": time.perf_counter() - begin,
        "fit CPU (s)": time.process_time() - cpu,
        "largest memory (GB)": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "rule": " AND ".join(condition_texts(model.program_.rules[0], model.program_.schema)),
    }
