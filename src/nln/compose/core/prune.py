"""`prune`: drop values, boundaries, conditions and rules that the squared error does not need."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from nln.compose.core.rows import read_rows
from nln.compose.core.state import State
from nln.rules import Condition, Interval, LogicProgram, Rule, ValueCondition, membership
from nln.rules.children.reading import Tables
from nln.rules.rule import rule_size
from nln.scores import Floats

_ROUNDING = 1e-9
"""Changes of the squared error below this, in rows, are rounding errors."""


def prune(program: LogicProgram, X: Any, y: Any, *, price: float = 0.0, tables: Tables | None = None) -> LogicProgram:
    """Remove from a program what the squared error on a table does not need.

    The rules are visited, the least useful first, until nothing changes. A rule is dropped, or loses a condition, a
    value of a set, a boundary or an interval, if the squared error rises by no more than `price` for each literal that
    is saved. Biases and thresholds do not change; `adjust` fits them to the remaining rules.

    Parameters
    ----------
    program : LogicProgram
        The rules.
    X : data frame, mapping of columns, or array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        The true classes, or 0 and 1 for each label.
    price : float, default=0.0
        Squared error, in rows, that a literal must save to be kept. At 0 a literal is kept if it saves anything.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.

    Returns
    -------
    LogicProgram
        The pruned program in canonical form, with its coverage counted on the table.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> text = "IF 0 <= x < 3 THEN class = yes (weight 0.9) IF x < 2 THEN class = yes (weight 0.4)"
    >>> program = LogicProgram.parse(text, schema=schema)
    >>> print(prune(program, {"x": [1, 2, 4]}, ["yes", "yes", "no"], price=0.1).summary())
    rule 1  class = yes  2 rows  100 %  x < 3 (weight 0.9)
    """
    check_price(price)
    rows = read_rows(program, X, y, tables)
    state = State(program, rows)
    prune_state(state, price)
    return state.to_program().count_coverage(rows.columns, rows.truth).simplify()


def check_price(price: float) -> None:
    """Refuse a price that is not a finite number of at least 0."""
    if not 0.0 <= price < np.inf:
        raise ValueError(f"price must be a finite number of at least 0, not {price!r}.")


def prune_state(state: State, price: float) -> bool:
    """Prune until nothing changes; return whether anything did."""
    changed, settled = False, dict[int, int]()
    while True:
        # Whole rules first: if rules that replace one another were shortened first, each would keep a piece.
        steps = [_drop(state, i, price) for i in _by_worth(state)]
        steps += [_shorten(state, i, price, settled) for i in _by_worth(state)]
        if not any(steps):
            return changed
        changed = True


def worth(state: State, i: int) -> float:
    """Squared error that rule i saves."""
    q1, q2 = state.quadratic(i, state.fires[i])
    fired = state.a[i] * state.r[i, state.fires[i]]
    return float((2.0 * q1 - q2 * fired) @ fired)


def _by_worth(state: State) -> list[int]:
    found = {i: worth(state, i) for i in state.living()}
    return sorted(found, key=lambda i: (found[i], i))


def _drop(state: State, i: int, price: float) -> bool:
    rule = state.rules[i]
    drops = rule is not None and worth(state, i) <= price * max(rule_size(rule, state.schema), 1) + _ROUNDING
    if drops:
        state.change(i, rule=None)
    return drops


def _shorten(state: State, i: int, price: float, settled: dict[int, int]) -> bool:
    """Shorten one rule step by step, each time by the reduction that costs least.

    `settled` holds, for each rule that could not be shortened, the version of its output: until that changes, the rule
    need not be tried again.
    """
    k = state.owner[i]
    if settled.get(i) == state.version[k]:
        return False
    changed = False
    q1, q2 = state.quadratic(i, np.arange(state.rows.n_rows))
    while found := _best_reduction(state, i, q1, q2, price):
        state.change(i, rule=found[0], r=found[1])
        changed = True
    settled[i] = int(state.version[k])
    return changed


def _best_reduction(state: State, i: int, q1: Floats, q2: Floats, price: float) -> tuple[Rule, Floats] | None:
    """Find the reduction with the lowest rise of error minus price saved, if that is worth it."""
    rule, a, columns = state.rules[i], state.a[i], state.rows.columns
    assert rule is not None
    here = [membership(c, columns[c.feature], state.schema[c.feature]) for c in rule.conditions]
    best: tuple[float, int, Condition | None] | None = None
    for j, condition in enumerate(rule.conditions):
        others = _product(here, j, state.rows.n_rows)
        active = np.flatnonzero(others)
        part, first, second, now = others[active], q1[active], q2[active], here[j][active]
        column, feature = columns[condition.feature][active], state.schema[condition.feature]
        for shorter in reductions(condition):
            then = np.ones(len(active)) if shorter is None else membership(shorter, column, feature)
            # The error of both, row by row: equal rows give exactly 0.
            old, new = a * part * now, a * part * then
            rise = float(((new - old) * (second * (new + old) - 2.0 * first)).sum())
            whole = condition.size + state.schema.extra(condition.feature)
            saved = whole if shorter is None else condition.size - shorter.size
            score = rise - price * saved
            if score <= _ROUNDING and (best is None or score < best[0]):
                best = score, j, shorter
    if best is None:
        return None
    _, j, taken = best
    conditions = rule.conditions[:j] + (() if taken is None else (taken,)) + rule.conditions[j + 1 :]
    r = _product(here, j, state.rows.n_rows)
    if taken is not None:
        r = r * membership(taken, columns[taken.feature], state.schema[taken.feature])
    return replace(rule, conditions=conditions, coverage=None, starts=None), r


def _product(here: list[Floats], left_out: int, n_rows: int) -> Floats:
    return math.prod(here[:left_out] + here[left_out + 1 :], start=np.ones(n_rows))


def reductions(condition: Condition) -> Iterator[Condition | None]:
    """Yield every condition that is one step shorter; None stands for no condition. Missing values stay as they are."""
    yield None
    if isinstance(condition, ValueCondition):
        if len(condition.values) > 1:
            for i in range(len(condition.values)):
                yield replace(condition, values=condition.values[:i] + condition.values[i + 1 :])
    else:
        for intervals in _shorter(condition.intervals):
            yield replace(condition, intervals=intervals)


def _shorter(intervals: tuple[Interval, ...]) -> Iterator[tuple[Interval, ...]]:
    """Drop an interval, open an outer end, or join two neighbours."""
    last = len(intervals) - 1
    for i, interval in enumerate(intervals):
        if last:
            yield intervals[:i] + intervals[i + 1 :]
        if i < last:
            joined = Interval(interval.low, intervals[i + 1].high)
            if joined != Interval():
                yield (*intervals[:i], joined, *intervals[i + 2 :])
        # An open end in the middle would include the next interval, which is what joining does.
        if i == 0 and interval.low is not None and interval.high is not None:
            yield (Interval(None, interval.high), *intervals[1:])
        if i == last and interval.low is not None and interval.high is not None:
            yield (*intervals[:-1], Interval(interval.low, None))
