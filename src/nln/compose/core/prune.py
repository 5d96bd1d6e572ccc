"""Pruning of programs: values, boundaries, conditions and rules go if the squared error does not need them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nln.compose.core.rows import literals, read_rows
from nln.compose.core.state import Floats, State
from nln.compose.core.units import reductions, saved
from nln.rules import Condition, LogicProgram, Rule, membership

_STAYS = 1e-9
"""Changes of the squared error below this, in rows, are rounding."""


def prune(program: LogicProgram, X: Any, y: Any, *, price: float = 0.0) -> LogicProgram:
    """Take out of a program what the squared error on a table does not need.

    Passes over the rules, the least useful first, until nothing changes. A rule goes, or loses a condition, a value of
    a set, a boundary or an interval, if the squared error rises by no more than `price` for each literal that is saved.
    Biases and thresholds stay; `adjust` fits them to what is left.

    Parameters
    ----------
    program : LogicProgram
        The rules.
    X : table
        Any form that `nln.rules.read_columns` takes.
    y : array-like of shape (rows,) or (rows, labels)
        The true classes, or 0 and 1 per label.
    price : float
        Squared error, in rows, that a literal must save to stay. At 0 a literal stays if it saves anything.

    Returns
    -------
    LogicProgram
        The pruned program in canonical form, its coverage counted on the table.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> text = "IF 0 <= x < 3 THEN class = yes (0.9) IF x < 2 THEN class = yes (0.4)"
    >>> program = LogicProgram.parse(text, schema=schema)
    >>> print(prune(program, {"x": [1, 2, 4]}, ["yes", "yes", "no"], price=0.1).summary())
    rule 1  class = yes  0.9  2 rows  x < 3
    """
    check_price(price)
    rows = read_rows(program, X, y)
    state = State(program, rows)
    prune_state(state, price)
    return state.to_program()[0].count_coverage(rows.columns, rows.truth).simplify()


def check_price(price: float) -> None:
    """Refuse a price that is no number of at least 0."""
    if not 0.0 <= price < np.inf:
        raise ValueError(f"price must be a finite number of at least 0, not {price!r}.")


def prune_state(state: State, price: float) -> bool:
    """Prune until nothing changes; tell whether anything did."""
    changed, settled = False, dict[int, int]()
    while _pass(state, price, settled):
        changed = True
    return changed


def worth(state: State, i: int) -> float:
    """Squared error that rule i saves."""
    q1, q2 = state.quadratic(i, state.fires[i])
    fired = state.a[i] * state.r[i, state.fires[i]]
    return float((2.0 * q1 - q2 * fired) @ fired)


def _pass(state: State, price: float, settled: dict[int, int]) -> bool:
    """Drop whole rules first: shortened rules that stand in for one another would each keep a piece."""
    dropped = [_drop(state, i, price) for i in _by_worth(state)]
    shortened = [_shorten(state, i, price, settled) for i in _by_worth(state)]
    return any(dropped) or any(shortened)


def _by_worth(state: State) -> list[int]:
    found = {i: worth(state, i) for i in state.living()}
    return sorted(found, key=lambda i: (found[i], i))


def _drop(state: State, i: int, price: float) -> bool:
    rule = state.rules[i]
    drops = rule is not None and worth(state, i) <= price * literals(rule) + _STAYS
    if drops:
        state.change(i, rule=None)
    return drops


def _shorten(state: State, i: int, price: float, settled: dict[int, int]) -> bool:
    """Shorten one rule step by step, each time by the reduction that costs least.

    `settled` has the rules that could not be shortened, with the version of their output: they wait for its change.
    """
    k = state.owner[i]
    if settled.get(i) == state.version[k]:
        return False
    changed = False
    q1, q2 = state.quadratic(i, np.arange(state.rows.n_rows))
    while (rule := state.rules[i]) is not None:
        found = _best_reduction(state, i, rule, q1, q2, price)
        if found is None:
            break
        state.change(i, rule=found[0], r=found[1])
        changed = True
    settled[i] = int(state.version[k])
    return changed


def _best_reduction(
    state: State, i: int, rule: Rule, q1: Floats, q2: Floats, price: float
) -> tuple[Rule, Floats] | None:
    """Find the reduction with the lowest rise of error less price, if it is worth it."""
    a, columns = state.a[i], state.rows.columns
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
            score = rise - price * saved(condition, shorter)
            if score <= _STAYS and (best is None or score < best[0]):
                best = score, j, shorter
    if best is None:
        return None
    _, j, taken = best
    conditions = rule.conditions[:j] + (() if taken is None else (taken,)) + rule.conditions[j + 1 :]
    r = _product(here, j, state.rows.n_rows)
    if taken is not None:
        r = r * membership(taken, columns[taken.feature], state.schema[taken.feature])
    return replace(rule, conditions=conditions, coverage=None), r


def _product(here: list[Floats], left_out: int, n_rows: int) -> Floats:
    result = np.ones(n_rows)
    for j, factor in enumerate(here):
        if j != left_out:
            result *= factor
    return result
