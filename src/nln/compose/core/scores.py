"""What a program is worth on a table, in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nln.compose.core.metrics import score
from nln.compose.core.rows import Rows, read_rows
from nln.rules import LogicProgram, memberships, probabilities


@dataclass(frozen=True, slots=True)
class Scores:
    """A program on a table.

    Attributes
    ----------
    rules : int
        Number of rules.
    rows, covered : int
        Rows of the table, and those that some rule covers.
    accuracy : float
        Share of right decisions; for labels, the mean over the labels.
    f1 : float
        F1 of the positive class of two, else the mean over the classes or labels.
    """

    rules: int
    rows: int
    covered: int
    accuracy: float
    f1: float


def measure(program: LogicProgram, X: Any, y: Any) -> Scores:
    """Score a program on a table.

    Parameters
    ----------
    program : LogicProgram
        The rules.
    X : table
        Any form that `nln.rules.read_columns` takes.
    y : array-like of shape (rows,) or (rows, labels)
        The true classes, or 0 and 1 per label.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes", schema=schema)
    >>> measure(program, {"x": [1, 2, 5, 6]}, ["yes", "no", "no", "no"])
    Scores(rules=1, rows=4, covered=2, accuracy=0.75, f1=0.6666666666666666)
    """
    return measure_rows(program, read_rows(program, X, y))


def measure_rows(program: LogicProgram, rows: Rows) -> Scores:
    """Score a program on rows already read."""
    n_rows, kind = rows.n_rows, program.schema.target.kind
    covered = (memberships(program, rows.columns, rows=n_rows) >= 0.5).any(axis=1)
    decided = decisions(program, probabilities(program, rows.columns, rows=n_rows))
    hits, wrong, positive = (
        np.count_nonzero(mask, axis=0).astype(np.float64)
        for mask in (decided & rows.truth, decided & ~rows.truth, rows.truth)
    )
    accuracy, f1 = (score(metric, kind, hits, wrong, positive, float(n_rows)) for metric in ("accuracy", "f1"))
    return Scores(program.n_rules, n_rows, int(np.count_nonzero(covered)), accuracy, f1)


def decisions(program: LogicProgram, P: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which outputs are decided to hold, (rows, outputs), from their probabilities."""
    decided = program.decide(P)
    if program.schema.target.kind == "multilabel":
        return decided.astype(np.bool_)
    # Of two classes the second one is the output.
    places = np.arange(P.shape[1]) if program.schema.target.kind == "multiclass" else np.ones(1, np.intp)
    mask: NDArray[np.bool_] = decided[:, None] == places
    return mask
