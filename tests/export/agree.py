"""What every export must compute: the probabilities of `predict_proba`, the decisions of `predict`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nln.rules import LogicProgram, memberships, probabilities, read_columns
from nln.rules.condition import is_crisp

CLOSE = 1e-9
SAME = 1e-12
"""Exponential functions differ in their last bits, so that a fuzzy rule may fall on either side of a threshold."""

Rows = Sequence[dict[str, Any]]


def outputs(program: LogicProgram, rows: Rows) -> NDArray[np.float64]:
    return probabilities(program, read_columns(list(rows), program.schema), rows=len(rows))


def check_probabilities(program: LogicProgram, rows: Rows, got: Any) -> None:
    """Compare with all labels of `predict_proba`."""
    np.testing.assert_allclose(np.array(got, float), program.predict_proba(list(rows)), rtol=0, atol=CLOSE)


def check_decisions(program: LogicProgram, rows: Rows, got: Sequence[Any]) -> None:
    """Compare indices of labels (two or more classes), or lists of 0 and 1 (labels)."""
    P = outputs(program, rows)
    decided = program.decide(P)
    asked = [condition for rule in program.rules for condition in rule.conditions]
    slack = 0.0 if all(is_crisp(condition, program.schema[condition.feature]) for condition in asked) else SAME
    for row, (mine, theirs) in enumerate(zip(decided, got, strict=True)):
        if np.array_equal(mine, theirs):
            continue
        if program.schema.target.kind == "multiclass":
            measured = P[row] / np.array(program.thresholds or 1.0)
            margin = measured.max() - measured[theirs]
        else:
            differs = np.atleast_1d(mine) != np.atleast_1d(theirs)
            margin = np.abs(P[row] - np.array(program.thresholds))[differs].max()
        assert margin < slack, f"row {row}: {theirs} in place of {mine}"


def check_rules(program: LogicProgram, rows: Rows, decisions: Sequence[Any], got: Sequence[Any]) -> None:
    """Compare the deciding rules, one number or None per output and row, given the decisions made."""
    columns = read_columns(list(rows), program.schema)
    share = memberships(program, columns, rows=len(rows)) * [rule.weight for rule in program.rules]
    for row, (decision, numbers) in enumerate(zip(decisions, got, strict=True)):
        for label, number in zip(_decided(program, decision), numbers, strict=True):
            of_label = [0.0] + [s for s, rule in zip(share[row], program.rules, strict=True) if rule.label == label]
            if number is None:
                assert label is None or max(of_label) <= 2e-12
            else:
                assert label is not None and program.rules[number - 1].label == label
                assert share[row, number - 1] >= max(max(of_label) - CLOSE, 0.5e-12)


def _decided(program: LogicProgram, decision: Any) -> list[Any]:
    """Give the label decided, or per label itself or None; None too for the class that holds otherwise."""
    target = program.schema.target
    if target.kind == "multilabel":
        return [label if holds else None for label, holds in zip(target.labels, decision, strict=True)]
    label = target.labels[decision]
    return [label if label in target.outputs else None]
