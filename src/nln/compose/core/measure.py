"""What a program scores on a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nln.compose.core.rows import read_rows
from nln.rules import LogicProgram, memberships, probabilities
from nln.rules.children.reading import Tables
from nln.scores import count_hits, decided_outputs, score_counts


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of a program on a table.

    Attributes
    ----------
    rules : int
        Number of rules.
    rows, covered : int
        Number of rows in the table, and of those that some rule covers.
    accuracy : float
        Share of correct decisions; for labels, the mean over the labels.
    f1 : float
        F1 of the positive class of two, else the mean over the classes or labels.
    """

    rules: int
    rows: int
    covered: int
    accuracy: float
    f1: float


def measure(program: LogicProgram, X: Any, y: Any, *, tables: Tables | None = None) -> Scores:
    """Score a program on a table and its true classes, or 0 and 1 for each label."""
    rows = read_rows(program, X, y, tables)
    n_rows, kind = rows.n_rows, program.schema.target.kind
    covered = (memberships(program, rows.columns, rows=n_rows) >= 0.5).any(axis=1)
    decided = decided_outputs(program, probabilities(program, rows.columns, rows=n_rows))
    counts = count_hits(decided, rows.truth)
    accuracy, f1 = (score_counts(metric, kind, *counts, float(n_rows)) for metric in ("accuracy", "f1"))
    return Scores(program.n_rules, n_rows, int(np.count_nonzero(covered)), accuracy, f1)
