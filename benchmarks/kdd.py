"""NSL-KDD: rules for attacks, then the same rules put to use for the five kinds of connections.

The paper's figure for the full data is, to the last digit, the mean of those for training and test weighted by rows
(125973 · 99.73 + 22544 · 81.37 = 148517 · 96.94; so for LAD and for five classes). Accuracy, which is micro F1, has
this property; F1 of a class and macro F1 do not. So accuracy is compared with the paper, and the F1 scores stand beside
it. Of the two ways to adjust transferred rules the one with the higher accuracy on the training file is taken.
"""

from __future__ import annotations

import time
import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, f1_score

from benchmarks.contestants import CONTESTANTS, OWN
from benchmarks.data import fetch
from benchmarks.goals import Goal
from benchmarks.peer_models import NotInstalledError
from benchmarks.record import Part, Record
from benchmarks.settings import Settings, SkippedError
from nln import LogicProgram, NLNClassifier
from nln.compose import Selection, select, transfer
from nln.compose.core.adjust import Method
from nln.datasets import fetch_nsl_kdd
from nln.rules.language.text import conditions_text

MOST_RULES = 17
"""Rules of the paper's program for five classes."""

METHODS: tuple[Method, ...] = ("coverage", "error")

SEEDS = 5
"""Seeds whose programs are compared on the test file."""

BINARY_SCORES = {"F1 (%)": {"pos_label": "attack"}, "macro F1 (%)": {"average": "macro"}}

_BINARY = (("training", 99.7, 99.73), ("test", 82.0, 81.37), ("full", 97.0, 96.94))
_CLASSES = (("training", 88.97), ("test", 60.86), ("full", 84.70))

GOALS = (
    Goal("attacks: rules", "binary", "rules", 24, "at most"),
    *(Goal(f"attacks: F1 (%), {rows}", "binary", f"{rows}: F1 (%)", goal, "at least") for rows, goal, _ in _BINARY),
    *(
        Goal(f"attacks: accuracy (%), {rows}; the paper's figure", "binary", f"{rows}: accuracy (%)", paper, "at least")
        for rows, _, paper in _BINARY
    ),
    Goal("attacks: CPU time of the fit (s)", "binary", "fit CPU (s)", 60, "at most"),
    Goal("five classes: rules", "transfer", "rules", MOST_RULES, "at most"),
    *(
        Goal(f"five classes: {metric}, {rows}; the paper's figure", "transfer", f"{rows}: {metric}", paper, "at least")
        for metric in ("accuracy (%)", "macro F1 (%)")
        for rows, paper in _CLASSES
    ),
)


def run(settings: Settings, record: Record) -> None:
    """Learn attacks, then transfer to the classes; other seeds and methods show what the test file allows."""
    record.part("binary", _binary)
    record.part("transfer", partial(_transfer, record))
    record.part("other seeds", _other_seeds)
    record.part("other methods", _other_methods)
    record.judge(GOALS)


def _binary(settings: Settings) -> Part:
    train, test = _attacks(settings)
    program, seconds = _learn(train, settings.seed)
    table = _score(program, train, test, BINARY_SCORES)
    values = {**_values(table), "rules": program.n_rules, "fit CPU (s)": seconds}
    return {"table": table, "values": values, "notes": [f"```\n{program}\n```"], "program": program.to_dict()}


def _attacks(settings: Settings) -> tuple[Any, Any]:
    """Training and test files, the classes named so that attacks come second in sorted order: the positive class."""
    files = (fetch(fetch_nsl_kdd, settings, subset, "class") for subset in ("train", "test"))
    train, test = ((X, y.map({"anomaly": "attack", "normal": "absent"})) for X, y in files)
    return train, test


def _learn(train: Any, seed: int) -> tuple[LogicProgram, float]:
    """Fit with the defaults; return the program and the CPU time."""
    with warnings.catch_warnings():  # a column that is constant
        warnings.simplefilter("ignore", UserWarning)
        begin = time.process_time()
        program = NLNClassifier(random_state=seed).fit(*train).program_
        return program, time.process_time() - begin


def _other_seeds(settings: Settings) -> Part:
    train, test = _attacks(settings)
    table = []
    for seed in range(settings.seed, settings.seed + (1 if settings.quick else SEEDS)):
        program, _ = _learn(train, seed)
        table.append({"seed": seed, "rules": program.n_rules, **_brief(program, train, test)})
    tests = [row["test: F1 (%)"] for row in table]
    return {"table": table, "values": {"test: lowest F1 (%)": min(tests), "test: highest F1 (%)": max(tests)}}


def _other_methods(settings: Settings) -> Part:
    train, test = _attacks(settings)
    table = []
    for method in (name for name in CONTESTANTS if name not in OWN):
        try:
            model = CONTESTANTS[method](settings.seed)
        except NotInstalledError as error:
            raise SkippedError(str(error)) from error
        model.fit(*train)
        table.append({"method": method, "rules": model.rule_counts().get("rules"), **_brief(model, train, test)})
    values = {f"{row['method']}: test: F1 (%)": row["test: F1 (%)"] for row in table}
    return {"table": table, "values": values}


def _transfer(record: Record, settings: Settings) -> Part:
    stored = record.content["parts"].get("binary", {}).get("program")
    if stored is None:
        raise SkippedError("The part `binary` has not been measured; run it first.")
    source = LogicProgram.from_dict(stored)
    train, test = (fetch(fetch_nsl_kdd, settings, subset, "category") for subset in ("train", "test"))
    begin = time.process_time()
    tried = {method: _transferred(source, train, method) for method in METHODS}
    seconds = time.process_time() - begin
    chosen = max(tried, key=lambda method: tried[method][1].score)
    copied, program = tried[chosen][0], tried[chosen][1].program
    averages = {"macro F1 (%)": {"average": "macro"}, "weighted F1 (%)": {"average": "weighted"}}
    table = _score(program, train, test, averages)
    values = {**_values(table), "rules": program.n_rules, "CPU (s)": seconds}
    accuracies = ", ".join(f"{method} {100 * found.score:.2f} %" for method, (_, found) in tried.items())
    lines = [f"Accuracy on the training file by way of adjusting: {accuracies}; taken: {chosen}."]
    lines += [f"{copied.n_rules} rules after pruning, {program.n_rules} selected.", *_coverage(program, *train)]
    return {"table": table, "values": values, "notes": ["```\n" + "\n".join(lines) + "\n```", f"```\n{program}\n```"]}


def _transferred(source: LogicProgram, train: Any, method: Method) -> tuple[LogicProgram, Selection]:
    copied = transfer(source, *train, fallback="normal", bias=None, method=method)
    return copied, select(copied, *train, n_rules=MOST_RULES, metric="accuracy")


def _score(model: Any, train: Any, test: Any, averages: dict[str, dict[str, str]]) -> list[dict[str, Any]]:
    decided = [(y.to_numpy(), np.asarray(model.predict(X))) for X, y in (train, test)]
    full = tuple(np.concatenate(parts) for parts in zip(*decided, strict=True))
    table = []
    for rows, (truth, found) in zip(("training", "test", "full"), (*decided, full), strict=True):
        scores = {
            name: 100 * float(f1_score(truth, found, zero_division=0.0, **options))
            for name, options in averages.items()
        }
        table.append({"rows": rows, "accuracy (%)": 100 * float(accuracy_score(truth, found)), **scores})
    return table


def _brief(model: Any, train: Any, test: Any) -> dict[str, float]:
    """Scores of attacks in one line."""
    found = _values(_score(model, train, test, BINARY_SCORES))
    return {key: found[key] for key in ("training: F1 (%)", "test: F1 (%)", "test: accuracy (%)")}


def _values(table: list[dict[str, Any]]) -> dict[str, float]:
    return {f"{row['rows']}: {name}": row[name] for row in table for name in row if name != "rows"}


def _coverage(program: LogicProgram, X: Any, y: Any) -> list[str]:
    """Say per rule how many rows of each class it covers."""
    lines = []
    for number, rule in enumerate(program.rules, 1):
        counts = {}
        for label in program.schema.target.labels:
            alone = LogicProgram(program.schema, (rule,), program.biases, program.thresholds)
            counts[label] = alone.with_coverage(X[(y == label).to_numpy()], y[y == label]).rules[0].coverage
        covered = ", ".join(f"{c.rows} of {c.of_rows} {label}" for label, c in counts.items() if c and c.rows)
        lines.append(f"rule {number}, {rule.label}: covers {covered}: {conditions_text(rule, program.schema)}")
    return lines
