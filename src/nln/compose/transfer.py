"""`transfer`: rules that were learned for one target, used for another one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nln.compose.core.adjust import Method, adjust_state, check_method, readable, refine, with_thresholds
from nln.compose.core.prune import check_price
from nln.compose.core.rows import Rows, read_inputs
from nln.compose.core.state import State
from nln.rules import LogicProgram, Target, Value
from nln.rules.children.reading import Tables
from nln.rules.validate import listed
from nln.scores import count_hits, decided_outputs, score_counts

_GRID = np.arange(1, 100) / 100


def transfer(
    program: LogicProgram,
    X: Any,
    y_new: Any,
    *,
    fallback: Value | None = None,
    bias: float | None = 0.3,
    price: float = 0.0,
    method: Method = "coverage",
    name: str | None = None,
    tables: Tables | None = None,
) -> LogicProgram:
    """Reuse the rules of a program for another target.

    Each rule is copied to each label of the new target, with a bias that fits the rows. Pruning then drops the copies
    that say nothing about their label and shortens the others, and biases are adjusted as in `merge`.

    Parameters
    ----------
    program : LogicProgram
        The rules to copy. Their labels do not matter.
    X : data frame, mapping of columns, or array-like of shape (n_samples, n_features)
        The rows.
    y_new : array-like of shape (n_samples,) or (n_samples, n_labels)
        The new target: classes, or a column of zeros and ones for each label.
    fallback : label, default=None
        For more than two classes, the class that is decided where no rule fires strongly enough; it gets no rules. By
        default the most frequent class. For two classes it is always the first in sorted order, which never has rules.
    bias : float or None, default=0.3
        Bias of the fallback class, which the other classes must exceed. None chooses, in steps of 0.01, the bias with
        the best mean F1 of the classes on these rows.
    price : float, default=0.0
        Squared error, in rows, that a literal must save to be kept; see `prune`.
    method : {"coverage", "error"}, default="coverage"
        How to adjust biases; see `adjust`.
    name : str, default=None
        Name of the new target; by default the name of the series, or "class" if it has none.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.

    Returns
    -------
    LogicProgram
        A program for the new target in canonical form, with its coverage counted on the rows.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("attack", "binary", (False, True)))
    >>> program = LogicProgram.parse("IF x < 2 THEN attack = true IF x >= 7 THEN attack = true", schema=schema)
    >>> kinds = ["flood", "flood", "none", "none", "none", "scan"]
    >>> print(transfer(program, {"x": [0, 1, 2, 3, 4, 9]}, kinds).summary())
    rule 1  class = flood  2 rows  100 %  x < 2 (weight 0.999)
    rule 2  class = scan   1 row   100 %  x >= 7 (weight 0.999)
    """
    from nln.tables.target import read_target

    check_price(price)
    check_method(method)
    if bias is not None and not 0.0 <= bias <= 1.0:
        raise ValueError(f"bias must be a number from 0 to 1 or None, not {bias!r}.")
    columns, n_rows, _ = read_inputs(program, X, tables)
    target, outputs, _ = read_target(y_new, n_rows, name=name)
    rows = Rows(columns, outputs > 0.5)
    place = _fallback(target, rows, fallback)
    labels = [label for k, label in enumerate(target.outputs) if k != place]
    copies = tuple(replace(rule, label=label, coverage=None, starts=None) for label in labels for rule in program.rules)
    schema, biases = replace(program.schema, target=target), (0.0,) * len(target.outputs)
    state = State(LogicProgram(schema, copies, biases, target.default_thresholds), rows)
    adjust_state(state, method)
    refine(state, price, method)
    if place is not None and bias is not None:
        state.o[place] = bias
    found = readable(state.to_program())
    if place is not None and bias is None:
        found = _with_best_bias(found, rows, place)
    return with_thresholds(found.count_coverage(rows.columns, rows.truth).simplify(), rows)


def _fallback(target: Target, rows: Rows, fallback: Value | None) -> int | None:
    """Index of the fallback class among the outputs; None if no output is one."""
    if fallback is not None and fallback not in target.labels:
        raise ValueError(f"There is no class {fallback!r} to fall back on; known: {listed(target.labels)}.")
    if target.kind == "multiclass":
        return int(rows.truth.sum(axis=0).argmax()) if fallback is None else target.labels.index(fallback)
    if fallback is not None and (target.kind == "multilabel" or fallback != target.labels[0]):
        raise ValueError(
            f"fallback is for more than two classes; a {target.kind} target with the labels {listed(target.labels)} "
            + ("has none." if target.kind == "multilabel" else f"falls back on {target.labels[0]!r}.")
        )
    return None


def _with_best_bias(program: LogicProgram, rows: Rows, place: int) -> LogicProgram:
    """Choose the bias of the fallback class; of equally good ones, the one in the middle."""
    present = State(program, rows).probabilities()
    scores = []
    for bias in _GRID:
        present[:, place] = bias
        decided = decided_outputs(program, present)
        scores.append(score_counts("f1", "multiclass", *count_hits(decided, rows.truth), float(rows.n_rows)))
    best = np.flatnonzero(np.array(scores) >= max(scores) - 1e-12)
    biases = list(program.biases)
    biases[place] = float(_GRID[best[len(best) // 2]])
    return replace(program, biases=tuple(biases))
