"""What figures need from a program or a fitted model: memberships, probabilities, the truth, names of rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nln.model import read_inputs_for
from nln.plots.style import shown
from nln.rules import LogicProgram, Rule, memberships
from nln.rules.children.reading import Tables
from nln.rules.columns import read_truth
from nln.rules.language.text import conditions_text
from nln.rules.schema import Value

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_NAME_WIDTH = 44


def program_of(model: Any) -> LogicProgram:
    """Return the program of a fitted model, or the program itself."""
    program = getattr(model, "program_", model)
    if not isinstance(program, LogicProgram):
        raise TypeError(
            f"A figure takes a LogicProgram or a fitted model with one in program_, not {type(model).__name__}."
        )
    return program


def rule_number(program: LogicProgram, rule: Rule | int) -> int:
    """Return the number of a rule, counted from 1, given as that number or as one of the program's rules."""
    if isinstance(rule, Rule):
        if rule not in program.rules:
            raise ValueError("The rule is not one of the program's; give its number, from 1, or an item of its rules.")
        return program.rules.index(rule) + 1
    if not 1 <= rule <= program.n_rules:
        raise ValueError(f"There is no rule {rule}; the program has {program.n_rules}, numbered from 1.")
    return int(rule)


def covered(model: Any, X: Any, tables: Tables | None = None) -> Mask:
    """Tell which rows each rule covers, (rows, rules): a membership of at least one half, as `Coverage` counts."""
    columns, n_rows, _ = read_inputs_for(model, X, tables=tables)
    mask: Mask = memberships(program_of(model), columns, rows=n_rows) >= 0.5
    return mask


@dataclass(frozen=True)
class Scored:
    """The probabilities of one label, with the truth."""

    label: Value  # the positive class, one of several classes, or one label
    truth: Mask  # (rows,): which rows have the label
    probability: Floats  # (rows,)
    threshold: float | None  # from which the label is decided; None where the most probable class wins


def scored(model: Any, X: Any, y: Any, tables: Tables | None = None) -> list[Scored]:
    """Score rows: the positive class of two, each class against the rest, or each label."""
    program = program_of(model)
    target = program.schema.target
    found = (model if hasattr(model, "predict_proba") else program).predict_proba(X, tables=tables)
    truth = read_truth(y, program.schema, len(found))
    found = found[:, -truth.shape[1] :]
    is_single = target.kind != "multiclass"  # thresholds of several classes compare them with each other
    thresholds = program.thresholds if is_single else (None,) * len(target.outputs)
    return [
        Scored(label, truth[:, k], found[:, k], threshold)
        for k, (label, threshold) in enumerate(zip(target.outputs, thresholds, strict=True))
    ]


def label_masks(program: LogicProgram, y: Any, rows: int) -> tuple[list[Value], Mask]:
    """Return all classes or labels, and a mask (rows, classes) of which row has which."""
    truth = read_truth(y, program.schema, rows)
    if program.schema.target.kind == "binary":
        truth = np.hstack([~truth, truth])
    return list(program.schema.target.labels), truth


def rule_names(program: LogicProgram) -> list[str]:
    """Name each rule beside an axis: the beginning of its conditions, its label if there are several, its number."""
    several = len(program.schema.target.outputs) > 1
    names = []
    for number, rule in enumerate(program.rules, 1):
        label = f" → {shown(rule.label, 16)}" if several else ""
        # The number comes last: names are aligned on the right, next to the axis.
        names.append(f"{shown(conditions_text(rule, program.schema), _NAME_WIDTH - len(label))}{label}   rule {number}")
    return names
