"""Recursion: a program applied to its own conclusions until nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nln.rules.children.reading import Tables
from nln.rules.columns import read_inputs
from nln.rules.evaluate import probabilities
from nln.rules.opening import open_table
from nln.rules.schema import Value

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

Column = NDArray[Any]


class Fixpoint(NamedTuple):
    """The conclusions at which a program came to rest."""

    values: Column  # (rows,) what was concluded of each row, or what it had at first
    steps: int  # times that the program was applied with new conclusions


def find_fixpoint(
    program: LogicProgram,
    X: Any,
    column: str,
    undecided: Value | None,
    tables: Tables | Callable[[Column], Tables] | None,
    certainty: float | None,
    most_steps: int,
) -> Fixpoint:
    """Apply a program until nothing changes, as `LogicProgram.fixpoint` describes."""
    target = program.schema.target
    if target.kind == "multiclass":
        raise ValueError("fixpoint needs a target that may stay undecided: two classes or labels, not several classes.")
    opened = open_table(X, [*program.columns_used, column])
    if column not in opened.keys:
        raise ValueError(f"X has no column {column!r} for the conclusions; it has {', '.join(map(repr, opened.keys))}.")
    rows: Mapping[Any, Any] = {key: opened.column(key) for key in opened.keys}
    values = np.array(list(rows[column]), dtype=object)
    applied = program if certainty is None else _certain(program, certainty)
    for step in range(most_steps):
        given = tables(values.copy()) if callable(tables) else tables
        is_open = np.array([value == undecided for value in values], np.bool_)
        concluded = _conclusions(applied, {**rows, column: values}, given, is_open)
        is_new = is_open & (concluded >= 0)
        if not is_new.any():
            return Fixpoint(values, step)
        values[is_new] = np.array([*target.labels, None], dtype=object)[concluded[is_new]]
    raise ValueError(f"The conclusions still changed after {most_steps} steps. Give a larger most_steps.")


def _certain(program: LogicProgram, certainty: float) -> LogicProgram:
    """Keep the rules that are certain enough on their own."""
    kept = tuple(rule for rule in program.rules if rule.weight >= certainty)
    n = len(program.biases)
    return replace(program, rules=kept, biases=(0.0,) * n, thresholds=(certainty,) * n)


def _conclusions(program: LogicProgram, X: Any, tables: Tables | None, is_open: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Number of the label that is concluded of each row, -1 if there is none; open rows must have one at most."""
    columns, n_rows, _ = read_inputs(X, program.schema, only=program.features_used, tables=tables)
    decided = program.decide(probabilities(program, columns, rows=n_rows))
    if program.schema.target.kind == "binary":
        return np.where(decided == 1, 1, -1)
    has_two = is_open & (decided.sum(axis=1) > 1)
    if has_two.any():
        row = int(has_two.argmax())
        labels = [repr(label) for label, holds in zip(program.schema.target.labels, decided[row], strict=True) if holds]
        raise ValueError(
            f"The rules conclude {' and '.join(labels)} of row {row} at once, which contradict each other."
        )
    return np.where(decided.any(axis=1), decided.argmax(axis=1), -1)
