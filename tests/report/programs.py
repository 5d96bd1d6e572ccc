"""Programs of every kind of target and tables for them, small enough to be written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nln.rules import (
    Boundary,
    Feature,
    Interval,
    IntervalCondition,
    LogicProgram,
    Rule,
    Schema,
    Target,
    ValueCondition,
)
from nln.rules.columns import read_columns, read_truth

FEATURES = (
    Feature("albumin", "categorical", (0, 1, 2, 3)),
    Feature("hemoglobin", "continuous"),
    Feature("serum creatinine", "continuous"),
    Feature("appetite", "binary", ("good", "poor")),
    Feature("stage", "ordinal", ("I", "II", "III", "IV")),
    Feature("weekday", "categorical", ("Mo", "Tu")),
)
RULES = """
IF albumin != 0 AND hemoglobin < 12.9 ± 0.3 THEN {a} (0.97)
IF "serum creatinine" >= 1.3 or missing (0.25) AND appetite = poor THEN {b} (0.9)
IF 9 <= hemoglobin < 10.5 or hemoglobin >= 15.5 ± 0.25 THEN {c} (0.75)
IF stage >= II or missing AND albumin not in {{0, 1}} AND "serum creatinine" < 2.5 ± 0.5 THEN {a} (0.6)
"""
HOSTILE = (
    "<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "\"quoted\" 'both' `ways`",
    "😀 \u2028 & &lt;", "x" * 500, "{{ 7 * 7 }}",
)  # fmt: skip


@dataclass(frozen=True)
class Example:
    """A program, a table as a dict of columns, and its target (a dict of label columns for several labels)."""

    program: LogicProgram
    X: dict[str, list[Any]]
    y: Any

    @property
    def truth(self) -> Any:
        labels = np.column_stack(list(self.y.values())) if isinstance(self.y, dict) else self.y
        return read_truth(labels, self.program.schema, len(labels))

    def columns(self, frame: Any) -> Any:
        return read_columns(frame(self.X), self.program.schema)


def table(rows: int, seed: int = 0) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    numbers = {"hemoglobin": rng.normal(12.5, 2.5, rows).round(1), "serum creatinine": rng.lognormal(0.3, 0.6, rows)}
    columns = {}
    for feature in FEATURES:
        cells = numbers[feature.name] if feature.is_numeric else rng.choice(np.array(feature.values, object), rows)
        absent = rng.random(rows) < 0.08
        columns[feature.name] = [None if gone else cell for cell, gone in zip(cells.tolist(), absent, strict=True)]
    return columns


def binary(rows: int = 120) -> Example:
    target = Target("class", "binary", ("notckd", "ckd"))
    program = _program(
        target, "class = ckd", "class = ckd", "class = ckd", "OTHERWISE class = notckd (P(class = ckd) = 0.02)"
    )
    X = table(rows)
    return Example(program, X, _noisy(program.predict(X), target.labels))


def multiclass(rows: int = 120) -> Example:
    target = Target("kind", "multiclass", (1, 2, 3))
    ends = (
        "OTHERWISE (P(kind = 1) = 0.05, kind = 1 from 0.5; P(kind = 2) = 0.1, kind = 2 from 0.5;"
        " P(kind = 3) = 0.02, kind = 3 from 0.3)"
    )
    program = _program(target, "kind = 1", "kind = 2", "kind = 3", ends)
    X = table(rows)
    return Example(program, X, _noisy(program.predict(X), target.labels))


def multilabel(rows: int = 120) -> Example:
    target = Target("labels", "multilabel", ("renal", "cardiac", "other one"))
    program = _program(target, "renal", "cardiac", '"other one"', "")
    X = table(rows)
    decided = program.predict(X)
    flipped = np.where(np.random.default_rng(1).random(decided.shape) < 0.1, 1 - decided, decided)
    return Example(program, X, {str(label): flipped[:, k].tolist() for k, label in enumerate(target.labels)})


def other_kinds(rows: int = 120) -> Example:
    """Hours on a circle and a probability."""
    features = (Feature("hour", "periodic", period=24.0), Feature("rain", "probability"), *FEATURES[:2])
    schema = Schema(features, Target("late", "binary", ("no", "yes")))
    text = """
    IF hour >= 22 or hour < 4 AND hemoglobin < 14 ± 1 THEN late = yes (0.9)
    IF rain = 1 AND albumin != 0 THEN late = yes (0.8)
    IF rain = 0 or missing AND 7 <= hour < 9 THEN late = yes (0.7)
    IF rain not missing AND hemoglobin >= 15 THEN late = yes (0.4)
    """
    rng = np.random.default_rng(2)
    X = {name: table(rows)[name] for name in ("albumin", "hemoglobin")}
    X |= {"hour": rng.uniform(0, 24, rows).round(2).tolist(), "rain": rng.random(rows).round(3).tolist()}
    X["rain"][::9] = [None] * len(X["rain"][::9])
    program = LogicProgram.parse(text, schema=schema)
    return Example(program, X, _noisy(program.predict(X), schema.target.labels))


def six_classes(rows: int = 150) -> Example:
    """A program of 18 rules for six classes, with names that take room, and values of which most are rare."""
    rng = np.random.default_rng(4)
    classes = ("headlamp", "float window", "window", "tableware", "container", "vehicle window")
    sorts = ("common", "rare one", "rare two", "a value with a long name")
    features = (*(Feature(f"measured {name}", "continuous") for name in "abcd"), Feature("sort", "categorical", sorts))
    target = Target("type of glass", "multiclass", classes)
    lines = [
        f'IF "measured {"abcd"[n % 4]}" >= {n / 20:.2f} ± 0.1 AND "measured {"abcd"[(n + 1) % 4]}" < {0.9 - n / 40:.3f}'
        f' AND sort != "rare one" THEN "type of glass" = "{classes[n % 6]}" ({0.3 + n / 40:.3f})'
        for n in range(18)
    ]
    ends = "; ".join(
        f"P({w}) = 0.02, {w} from {0.2 + k / 20:.2f}" for k, w in enumerate(f'"type of glass" = "{c}"' for c in classes)
    )
    X = {f.name: rng.random(rows).round(3).tolist() for f in features[:4]}
    X["sort"] = rng.choice(np.array(sorts, object), rows, p=(0.94, 0.02, 0.02, 0.02)).tolist()
    X["sort"][:4] = sorts
    program = LogicProgram.parse("\n".join(lines) + f"\nOTHERWISE ({ends})", schema=Schema(features, target))
    return Example(program, X, _noisy(program.predict(X), classes))


def whole_numbers(rows: int = 120) -> Example:
    """Numbers of visits and of children, which are whole."""
    features = (
        Feature("visits", "continuous", whole=True, range=(0.0, 30.0)),
        Feature("children", "continuous", whole=True, range=(0.0, 5.0)),
    )
    schema = Schema(features, Target("late", "binary", ("no", "yes")))
    text = """
    IF visits >= 10 AND children <= 1 THEN late = yes (weight 0.9)
    IF children in 1 to 3 AND visits != 7 THEN late = yes (weight 0.3)
    IF children = 0 AND visits < 4.5 ± 1.5 THEN late = yes (weight 0.7)
    """
    rng = np.random.default_rng(5)
    X = {"visits": rng.integers(0, 31, rows).tolist(), "children": rng.integers(0, 6, rows).tolist()}
    program = LogicProgram.parse(text, schema=schema)
    return Example(program, X, _noisy(program.predict(X), schema.target.labels))


def many_rules(count: int) -> Example:
    """A program of so many rules for two classes."""
    base = binary()
    rng = np.random.default_rng(count)
    text = "\n".join(
        f"IF hemoglobin < {7 + 10 * rng.random():.3f} AND albumin = {n % 4} THEN class = ckd ({rng.random():.3f})"
        for n in range(count)
    )
    schema = base.program.schema
    program = LogicProgram.parse(text, schema=schema) if count else LogicProgram(schema, (), (0.3,), (0.5,))
    return Example(program, base.X, base.y)


def hostile(rows: int = 40) -> Example:
    """Names and values that would like to be code."""
    rng = np.random.default_rng(0)
    features = (*(Feature(name, "categorical", HOSTILE) for name in HOSTILE[:3]), Feature(HOSTILE[4], "continuous"))
    target = Target(HOSTILE[0], "binary", (HOSTILE[1], HOSTILE[3]))
    rules = (
        Rule((ValueCondition(HOSTILE[0], HOSTILE[:2]), ValueCondition(HOSTILE[1], (HOSTILE[4],))), HOSTILE[3], 0.9),
        Rule((IntervalCondition(HOSTILE[4], (Interval(Boundary(0.5, 0.1)),)),), HOSTILE[3], 0.8),
    )
    X = {f.name: rng.random(rows).tolist() if f.is_numeric else rng.choice(HOSTILE, rows).tolist() for f in features}
    program = LogicProgram(Schema(features, target), rules, (0.01,), (0.5,))
    return Example(program, X, rng.choice(np.array(target.labels, object), rows).tolist())


def _program(target: Target, a: str, b: str, c: str, ends: str) -> LogicProgram:
    return LogicProgram.parse(RULES.format(a=a, b=b, c=c) + ends, schema=Schema(FEATURES, target))


def _noisy(decided: Any, labels: Any) -> list[Any]:
    rng = np.random.default_rng(1)
    return [labels[rng.integers(len(labels))] if rng.random() < 0.15 else label for label in decided.tolist()]


KINDS = {"binary": binary, "multiclass": multiclass, "multilabel": multilabel, "other kinds": other_kinds}
"""Examples of every kind of target and of feature."""
