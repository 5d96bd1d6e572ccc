"""What figures ask of a program or a fitted model: memberships, probabilities, and the truth to hold them against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nln.rules import LogicProgram, Rule, memberships, read_columns
from nln.rules.columns import count_rows
from nln.rules.program import read_truth
from nln.rules.schema import Value

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def program_of(model: Any) -> LogicProgram:
    """Return the program of a fitted model, or the program itself.

    Examples
    --------
    >>> program_of(3)
    Traceback (most recent call last):
    TypeError: A figure takes a LogicProgram or a fitted model with one in program_, not int.
    """
    program = getattr(model, "program_", model)
    if not isinstance(program, LogicProgram):
        raise TypeError(
            f"A figure takes a LogicProgram or a fitted model with one in program_, not {type(model).__name__}."
        )
    return program


def rule_number(program: LogicProgram, rule: Rule | int) -> int:
    """Return the number of a rule, from 1, given as such or as one of the program's rules."""
    if isinstance(rule, Rule):
        if rule not in program.rules:
            raise ValueError("The rule is not one of the program's; give its number, from 1, or an item of its rules.")
        return program.rules.index(rule) + 1
    if not 1 <= rule <= program.n_rules:
        raise ValueError(f"There is no rule {rule}; the program has {program.n_rules}, numbered from 1.")
    return int(rule)


def rule_memberships(model: Any, X: Any) -> Floats:
    """How far each row satisfies each rule, (rows, rules)."""
    if not isinstance(model, LogicProgram) and hasattr(model, "rule_memberships"):
        found: Floats = model.rule_memberships(X)  # a model knows how its table was given, a program only names
        return found
    program = program_of(model)
    columns = read_columns(X, program.schema, only=program.features_used)
    return memberships(program, columns, rows=None if columns else count_rows(X, program.schema))


def covered(model: Any, X: Any) -> Mask:
    """Which rows each rule covers, (rows, rules): those of a membership of at least one half, as `Coverage` counts."""
    mask: Mask = rule_memberships(model, X) >= 0.5
    return mask


@dataclass(frozen=True)
class Scored:
    """The probabilities of one label, with the truth.

    Parameters
    ----------
    label : str, bool, int or float
        The positive class, one class of several, or one label.
    truth : array of shape (rows,)
        Which rows have the label.
    probability : array of shape (rows,)
        What the program says.
    threshold : float or None
        From where the label is decided to hold; None where the most probable class wins.
    """

    label: Value
    truth: Mask
    probability: Floats
    threshold: float | None


def scored(model: Any, X: Any, y: Any) -> list[Scored]:
    """Score rows: the positive class of two, each class against the rest, or each label."""
    program = program_of(model)
    target = program.schema.target
    found = (model if hasattr(model, "predict_proba") else program).predict_proba(X)
    truth = read_truth(y, program.schema, len(found))
    found = found[:, -truth.shape[1] :]
    is_single = target.kind != "multiclass"  # thresholds of several classes compare them with each other
    thresholds = program.thresholds if is_single else (None,) * len(target.outputs)
    return [
        Scored(label, truth[:, k], found[:, k], threshold)
        for k, (label, threshold) in enumerate(zip(target.outputs, thresholds, strict=True))
    ]


def label_masks(program: LogicProgram, y: Any, rows: int) -> tuple[list[Value], Mask]:
    """All classes with a (rows, classes) mask of which row has which; for a multi-label target its labels."""
    truth = read_truth(y, program.schema, rows)
    if program.schema.target.kind == "binary":
        truth = np.hstack([~truth, truth])
    return list(program.schema.target.labels), truth
