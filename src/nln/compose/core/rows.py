"""The rows that operations work on: the columns that rules ask about, and the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nln.rules import LogicProgram, memberships
from nln.rules.cells import Column
from nln.rules.children.reading import Tables
from nln.rules.columns import Inputs, read_truth
from nln.rules.columns import read_inputs as read_table_inputs


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """A table as a program sees it."""

    columns: Mapping[str, Column]  # of the features used
    truth: NDArray[np.bool_]  # which outputs hold, (rows, outputs)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.truth)


def read_inputs(program: LogicProgram, X: Any, tables: Tables | None = None) -> Inputs:
    """Read the columns that a program asks about, and count the rows; there must be at least one."""
    inputs = read_table_inputs(X, program.schema, only=program.features_used, tables=tables)
    if not inputs.n_rows:
        raise ValueError("X has no rows; give at least one.")
    return inputs


def read_rows(program: LogicProgram, X: Any, y: Any, tables: Tables | None = None) -> Rows:
    """Read a table and its true classes, or 0 and 1 for each label."""
    columns, n_rows, _ = read_inputs(program, X, tables)
    return Rows(columns, read_truth(y, program.schema, n_rows))


def rule_memberships(program: LogicProgram, columns: Mapping[str, Column], n_rows: int) -> NDArray[np.float64]:
    """How far rows satisfy rules, (rules, rows): a contiguous line for each rule."""
    return np.ascontiguousarray(memberships(program, columns, rows=n_rows).T)


def owners(program: LogicProgram) -> NDArray[np.intp]:
    """Index of each rule's output."""
    place = {label: k for k, label in enumerate(program.schema.target.outputs)}
    return np.array([place[rule.label] for rule in program.rules], dtype=np.intp)
