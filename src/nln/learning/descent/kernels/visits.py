"""A visit to a rule: lift it out of its output, give each feature its best table in turn, fit the bias, put it back.

The loop over the rules is compiled as a whole: on small tables a visit takes microseconds, and the interpreter would
cost more than the sums. `Descent` calls it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nln.compiled import compiled
from nln.learning.descent.kernels.best_table import CHANCE, best_table, is_soft, literals, table_cost
from nln.learning.descent.kernels.limits import (
    best_literal,
    count_conditions,
    is_blocked,
    must_ask,
    swap_conditions,
    trim_rule,
)
from nln.learning.descent.kernels.spans import (
    best_fuzzy_table,
    extra_literals,
    has_fuzzy_places,
    most_saved,
    span_literals,
)
from nln.learning.descent.kernels.statistics import (
    activation,
    add_factor,
    bias_sums,
    covered_sums,
    covered_weight,
    feature_sums,
    is_used,
    put_table,
    quadratic,
    remove_factor,
    rows_within_one,
    rule_state,
    weigh_covered,
)

KEPT, MOVED, CHANGED = 0, 1, 2
"""What became of a table: nothing, another probability of missing values, another condition."""
NO_SPAN = np.full(2, -1)
LEAST_BIAS = 1e-3
"""Bias with which the tables of a faded rule are priced."""


class DescentState(NamedTuple):
    """One rule on all rows, room to work on it, and the state of the outputs."""

    zeros: npt.NDArray[np.unsignedinteger]  # conditions that a row fails
    product: npt.NDArray[np.float64]  # of the other conditions
    rule: npt.NDArray[np.float64]  # the rule's activation without its bias
    room: npt.NDArray[np.int64]  # for row numbers
    q1: npt.NDArray[np.float64]
    q2: npt.NDArray[np.float64]
    output_zeros: npt.NDArray[np.int32]  # (outputs, rows)
    output_product: npt.NDArray[np.float64]
    evidence: float  # against every rule


@compiled
def visit_rules(rows, layout, limits, draft, state, visited, orders, price, alive):
    """Improve rules and their biases one after the other, or drop them; return the number of changes.

    `orders` gives for each visit the order of the features.
    """
    total, row_weights = 0, rows.weights.sum()
    for place in range(visited.shape[0]):
        i = visited[place]
        if i < draft.n_fixed:
            continue
        lift_rule(rows, layout, draft, state, i)
        table, spans, bias = draft.tables[i], draft.spans[i], max(draft.bias[i], LEAST_BIAS)
        output, order = draft.output[i], orders[place]
        least = layout.least_shares[output] * row_weights if layout.least_shares.shape[0] > 0 else 0.0
        total += improve_rule(rows, layout, limits, table, spans, bias, price, order, output, least, state)
        if limits is None:
            size = rule_size(layout, table, spans, None)
        else:
            total += swap_conditions(rows.codes, layout, table, bias, price, output, state)
            size = rule_size(layout, table, spans, limits.factors)
        gain = settle_rule(draft, state, i)
        if size == 0 or gain <= price * size:
            drop_rule(draft, state, i, alive, size == 0)
            total += 1
    return total


@compiled
def activate_rule(rows, layout, draft, state, i):
    """Compute what a rule gives on every row."""
    rule_state(rows.codes, layout.offsets, draft.tables[i], state.zeros, state.product)
    activation(state.zeros, state.product, state.rule)


@compiled
def multiply_into_output(draft, state, i):
    """Multiply an activated rule into its output."""
    k = draft.output[i]
    add_factor(state.rule, draft.bias[i], state.output_zeros[k], state.output_product[k])


@compiled
def compute_outputs(rows, layout, draft, state, alive):
    """Compute the outputs from scratch."""
    state.output_zeros[:] = 0
    state.output_product[:] = 1.0
    for i in range(alive.shape[0]):
        if alive[i]:
            activate_rule(rows, layout, draft, state, i)
            multiply_into_output(draft, state, i)


@compiled
def lift_rule(rows, layout, draft, state, i):
    """Compute a rule, take it out of its output and find the quadratic of what is left."""
    activate_rule(rows, layout, draft, state, i)
    k = draft.output[i]
    zeros, product = state.output_zeros[k], state.output_product[k]
    remove_factor(state.rule, draft.bias[i], zeros, product)
    quadratic(rows.targets[k], rows.weights, zeros, product, draft.output_bias[k], state.q1, state.q2)


@compiled
def settle_rule(draft, state, i):
    """Fit the bias of a lifted rule, if it is not fixed, and put it back; return what the rule is worth."""
    activation(state.zeros, state.product, state.rule)
    first, second = bias_sums(state.rule, state.q1, state.q2)
    second += state.evidence
    if i >= draft.n_fixed:
        draft.bias[i] = min(max(first / second, 0.0), 1.0)
    a = draft.bias[i]
    multiply_into_output(draft, state, i)
    return 2 * first * a - second * a * a


@compiled
def drop_rule(draft, state, i, alive, absorb):
    """Drop a settled rule; the bias of its output takes over a rule that asks nothing."""
    k, a = draft.output[i], draft.bias[i]
    remove_factor(state.rule, a, state.output_zeros[k], state.output_product[k])
    alive[i] = False
    if absorb:
        draft.output_bias[k] = 1.0 - (1.0 - draft.output_bias[k]) * (1.0 - a)


@compiled
def improve_rule(rows, layout, limits, table, spans, bias, price, order, output, least, state):
    """Give each feature of one rule of an output its best table in turn; return the number of changes.

    `state` holds the state of the rule and is kept up to date. A condition that leaves less than the `least` weight of
    rows is not put in, unless the rule covered even less before.
    """
    codes = rows.codes
    first_terms, second_terms = np.empty(state.zeros.shape[0]), np.empty(state.zeros.shape[0])
    covered, count, saved = _weigh_rows(state, bias, first_terms, second_terms)
    changes, before = 0, covered_weight(state.zeros, state.product, rows.weights) if least > 0.0 else 0.0
    for j in order:
        first, last = layout.offsets[j], layout.offsets[j + 1]
        old, new, old_span = table[first:last].copy(), np.ones(last - first), spans[j].copy()
        used = is_used(old)
        if not used:
            if limits is None and saved <= price * (1.0 + extra_literals(layout, j)):
                continue
            if layout.max_conditions > 0 and count_conditions(layout, table) >= layout.max_conditions:
                continue
        if used:
            s1, s2 = feature_sums(codes[j], old, bias, state, count)
        else:
            s1, s2 = np.empty(last - first), np.empty(last - first)
            covered_sums(codes[j], state.room[:covered], first_terms, second_terms, s1, s2)
        if has_fuzzy_places(layout, j):
            change = _improve_span(layout, j, old, spans[j], s1, s2, price, new)
        else:
            change = _improve_table(layout, limits, j, table, old, s1, s2, price, output, new)
        if change == KEPT:
            continue
        put_table(codes, layout, table, j, new, state)
        if least > 0.0:
            now = covered_weight(state.zeros, state.product, rows.weights)
            if now < min(least, before) and not _must_change(layout, j, old, old_span):
                put_table(codes, layout, table, j, old, state)
                spans[j] = old_span
                continue
            before = now
        changes += change == CHANGED
        covered, count, saved = _weigh_rows(state, bias, first_terms, second_terms)
    if layout.max_conditions > 0:
        changes += trim_rule(codes, layout, limits, table, bias, state)
        for j in order:
            if not is_used(table[layout.offsets[j] : layout.offsets[j + 1]]):
                spans[j, :] = -1
    return changes


@compiled
def _must_change(layout, j, table, span):
    """Whether a condition cannot stay as it is: one of a network, or with partly missing values where none may be."""
    n_crisp = layout.n_known[j] + layout.has_other[j]
    if not layout.partial_missing and is_soft(table[n_crisp:], table.shape[0] - n_crisp):
        return True
    if has_fuzzy_places(layout, j):
        return is_used(table) and span[0] < 0 and span[1] < 0
    return layout.ordered[j] == CHANCE or is_soft(table, n_crisp)


@compiled
def _weigh_rows(state, bias, first_terms, second_terms):
    """Collect and weigh the rows of a rule; return how many fail none, at most one, and the most that can be saved."""
    covered, count = rows_within_one(state.zeros, state.room)
    rows = state.room[:covered]
    return covered, count, weigh_covered(rows, state.product, bias, state.q1, state.q2, first_terms, second_terms)


@compiled
def _improve_table(layout, limits, j, table, old, s1, s2, price, output, new):
    """Write the best crisp table of a feature to `new`; return whether it is better than the old one."""
    kind = (layout.n_known[j], layout.has_other[j], layout.has_missing[j], layout.ordered[j])
    n_crisp = kind[0] + kind[1]  # a missing value keeps a probability
    direction, paid, forced = 0, price, False
    if limits is not None:
        if not is_used(old) and is_blocked(layout, table, j):
            return KEPT
        direction, paid = limits.direction[output, j], price * limits.factors[j]
        forced = must_ask(layout, table, j)
    axis = layout.axis[layout.offsets[j] : layout.offsets[j + 1]]
    extra, unions, partial = extra_literals(layout, j), layout.unions, layout.partial_missing
    best_table(s1, s2, *kind, paid, layout.negation, unions, axis, new, direction, partial, extra)
    if limits is not None:
        if forced and not is_used(new[:n_crisp]):
            if not best_literal(s1, s2, layout, j, paid, direction, new):
                return KEPT
    if (new == old).all():
        return KEPT
    if not _must_change(layout, j, old, NO_SPAN):
        after = table_cost(new, s1, s2, *kind, paid, layout.negation, extra)
        if after >= table_cost(old, s1, s2, *kind, paid, layout.negation, extra) - 1e-9:
            return KEPT
    # A probability of missing values keeps moving a little with the biases: that must not keep the sweeps going.
    return CHANGED if (new[:n_crisp] != old[:n_crisp]).any() else MOVED


@compiled
def _improve_span(layout, j, old, span, s1, s2, price, new):
    """Write the best fuzzy table to `new`, its boundaries to `span`; return whether it is better than the old one."""
    if not is_used(old) and most_saved(s1, s2, layout.n_known[j]) <= price * (1.0 + extra_literals(layout, j)):
        return KEPT
    best = np.empty(2, np.int64)
    cost = best_fuzzy_table(layout, j, s1, s2, price, best, new)
    kept = not _must_change(layout, j, old, span)  # a crisp or a soft table gives way
    if (new == old).all() or (kept and cost >= _span_cost(layout, j, old, span, s1, s2, price) - 1e-9):
        return KEPT
    change = CHANGED if span[0] != best[0] or span[1] != best[1] else MOVED
    span[:] = best
    return change


@compiled
def _span_cost(layout, j, table, span, s1, s2, price):
    """Objective of a fuzzy table: squared error, the price of its literals, the digits of its boundaries."""
    total = price * span_literals(table, layout.n_known[j], span)
    if is_used(table):
        total += price * extra_literals(layout, j)
    for place in span:
        total += layout.place_penalties[layout.place_offsets[j] + place] if place >= 0 else 0.0
    for v in range(table.shape[0]):
        total += s2[v] * table[v] * table[v] - 2.0 * s1[v] * table[v]
    return total


@compiled
def rule_size(layout, table, spans, factors):
    """Number of literals of a rule, as the price counts them, times the factors of their features if there are any."""
    total = 0.0
    for j in range(layout.n_known.shape[0]):
        part = table[layout.offsets[j] : layout.offsets[j + 1]]
        extra = extra_literals(layout, j) if is_used(part) else 0.0
        if has_fuzzy_places(layout, j):
            total += span_literals(part, layout.n_known[j], spans[j]) + extra
            continue
        kind = (layout.n_known[j], layout.has_other[j], layout.has_missing[j], layout.ordered[j])
        count = literals(part, *kind, layout.negation) + extra
        if factors is not None:
            count *= factors[j]
        total += count
    return total


@compiled
def rule_sizes(layout, tables, spans):
    """Number of literals of each rule, as the price counts them."""
    sizes = np.empty(tables.shape[0])
    for i in range(tables.shape[0]):
        sizes[i] = rule_size(layout, tables[i], spans[i], None)
    return sizes
