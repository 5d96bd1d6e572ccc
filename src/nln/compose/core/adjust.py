"""`adjust`: fit biases and thresholds to rows, by coverage or by the least squared error."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from nln.compose.core.prune import prune_state
from nln.compose.core.rows import Rows, read_rows
from nln.compose.core.state import State
from nln.rules import LogicProgram, probabilities
from nln.rules.children.reading import Tables
from nln.rules.rule import readable_probability
from nln.rules.thresholds import USUAL, choose_thresholds

Method = Literal["coverage", "error"]

_SWEEPS, _SETTLED = 50, 1e-4
"""The largest number of sweeps of the least squares, and the change of a bias below which they end."""

_EVIDENCE = 0.5
"""Squared error that a bias of 1 costs: rules without evidence get a bias of 0."""


def adjust(
    program: LogicProgram, X: Any, y: Any, *, method: Method = "coverage", tables: Tables | None = None
) -> LogicProgram:
    """Fit the biases of rules and outputs, and the thresholds, to a table; the rules do not change.

    Parameters
    ----------
    program : LogicProgram
        The rules.
    X : data frame, mapping of columns, or array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        The true classes, or 0 and 1 for each label.
    method : {"coverage", "error"}, default="coverage"
        `coverage`: a rule's bias is the share of the rows it covers that have its label, whatever the other rules do,
        `a_i = sum_(y=1) r_i / sum r_i`; then `o_k = sum_(y=1) (1 - p_k) / sum (1 - p_k)`, where `p_k` is the
        probability from the rules alone. `error`: the biases together have the least squared error.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.

    Returns
    -------
    LogicProgram
        The same rules, with their coverage counted on the table and the thresholds with the best F1 and accuracy
        there.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes", schema=schema)
    >>> adjust(program, {"x": [0, 1, 2, 3]}, ["yes", "yes", "no", "no"]).rules[0].weight
    0.667
    """
    check_method(method)
    rows = read_rows(program, X, y, tables)
    state = State(program, rows)
    adjust_state(state, method)
    adjusted = with_thresholds(readable(state.to_program()), rows)
    return adjusted.count_coverage(rows.columns, rows.truth)


def check_method(method: str) -> None:
    """Refuse an unknown method."""
    if method not in get_args(Method):
        raise ValueError(f"method must be 'coverage' or 'error', not {method!r}.")


def adjust_state(state: State, method: Method) -> None:
    """Fit all biases in place, first those of the rules, then those of the outputs."""
    if method == "coverage":
        for i in state.living():
            total = float(state.r[i].sum())
            if total > 0.0:  # a rule that covers nothing keeps its bias
                state.a[i] = _share(state.r[i] @ state.truth[state.owner[i]], total)
        state.refresh()
        adjust_outputs(state)
    else:
        _least_squares(state)


def adjust_outputs(state: State) -> None:
    """Set `o_k = sum_(y=1) (1 - p_k) / sum (1 - p_k)`; an output whose rules cover all rows keeps its bias."""
    for k, absent in enumerate(state.absent):
        total = float(absent.sum())
        if total > 0.0:
            state.o[k] = _share(absent @ state.truth[k], total)


def _share(part: float, total: float) -> float:
    """Divide sums of fuzzy memberships: sums of the same numbers in another order may differ in the last digit."""
    return min(float(part) / total, 1.0)


def _least_squares(state: State) -> None:
    """Set each bias in turn to its optimum given the others, until they settle."""
    for _ in range(_SWEEPS):
        before = np.concatenate([state.a, state.o])
        for i in state.living():
            q1, q2 = state.quadratic(i, state.fires[i])
            r = state.r[i, state.fires[i]]
            best = float(q1 @ r) / (float(q2 @ (r * r)) + _EVIDENCE)
            state.change(i, rule=state.rules[i], a=float(np.clip(best, 0.0, 1.0)))
        state.refresh()
        for k, absent in enumerate(state.absent):
            total = float(absent @ absent)
            if total > 0.0:
                state.o[k] = np.clip(1.0 - float(absent @ ~state.truth[k]) / total, 0.0, 1.0)
        if np.abs(np.concatenate([state.a, state.o]) - before).max(initial=0.0) < _SETTLED:
            return


def refine(state: State, price: float, method: Method) -> None:
    """Prune and adjust rules that were brought together, in turn until nothing changes; then drop included rules."""
    prune_state(state, price)
    adjust_state(state, method)
    while prune_state(state, price):
        adjust_state(state, method)
    if drop_included(state):
        adjust_outputs(state) if method == "coverage" else adjust_state(state, method)


def drop_included(state: State) -> bool:
    """Drop each rule that another rule of its label includes on the rows and whose bias is not higher than that rule's.

    Rule i is included in rule j if `sum min(sqrt(r_i r_j), r_i) = sum r_i`, that is if `r_i <= r_j` in every row. Of
    two rules that include each other and have equal biases the later one is dropped.
    """
    dropped = False
    for i in sorted(state.living(), key=lambda i: (state.a[i], -i)):
        above = [j for j in state.living() if (state.a[j], -j) > (state.a[i], -i) and state.owner[j] == state.owner[i]]
        if any((state.r[i] <= state.r[j]).all() for j in above):
            state.change(i, rule=None)
            dropped = True
    return dropped


def readable(program: LogicProgram) -> LogicProgram:
    """Round biases to three decimals, but never to 0 or 1, which no finite number of rows can prove."""
    rules = tuple(replace(rule, weight=readable_probability(rule.weight)) for rule in program.rules)
    return replace(program, rules=rules, biases=tuple(readable_probability(bias) for bias in program.biases))


def with_thresholds(program: LogicProgram, rows: Rows) -> LogicProgram:
    """Choose the thresholds on the rows, for F1 and accuracy, as `fit` does."""
    found = probabilities(program, rows.columns, rows=rows.n_rows)
    return choose_thresholds(program, found, rows.truth, np.ones(rows.n_rows), USUAL)
