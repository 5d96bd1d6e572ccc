"""A visit to a rule: lift it out of its output, put the best table into each feature in turn, fit its bias, put it in.

The loop over the rules is compiled as a whole: on small tables a visit takes microseconds, and the interpreter would
cost more than the sums. `Descent` is what calls it.
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
from nln.learning.descent.kernels.spans import best_fuzzy_table, is_fuzzy, most_saved, span_literals
from nln.learning.descent.kernels.statistics import (
    activation,
    add_factor,
    bias_sums,
    covered_sums,
    is_used,
    quadratic,
    remove_factor,
    replace,
    rows_within_one,
    rule_state,
    slot_sums,
    weigh_covered,
)
from nln.learning.draft import Integers
from nln.tables.encoding import Codes, Floats

KEPT, MOVED, CHANGED = 0, 1, 2
"""What became of a table: nothing, another probability of missing values, another condition."""
PSEUDO_EVIDENCE = 0.5
"""Weight of the evidence against every rule: keeps rules that cover next to nothing out."""
_LEAST_BIAS = 1e-3
"""Bias with which the tables of a faded rule are priced."""


class Given(NamedTuple):
    """Rows to fit."""

    codes: Codes  # (features, rows)
    targets: npt.NDArray[np.float32]  # (outputs, rows)
    weights: Floats


class Rules(NamedTuple):
    """The arrays of a draft, which visits change."""

    tables: Floats  # (rules, slots)
    spans: Integers  # (rules, features, 2)
    bias: Floats
    output: Integers
    output_bias: Floats
    n_fixed: int


class Work(NamedTuple):
    """Room for one rule on all rows, and the state of the outputs."""

    zeros: npt.NDArray[np.unsignedinteger]  # conditions that a row fails
    product: Floats  # of the other conditions
    rule: Floats  # the rule's activation without its bias
    room: Integers  # for row numbers
    q1: Floats
    q2: Floats
    output_zeros: npt.NDArray[np.int32]  # (outputs, rows)
    output_product: Floats


@compiled
def visit_rules(given, layout, limits, rules, work, visited, orders, price, alive):
    """Improve rules and their biases one after the other, or drop them; return the number of changes.

    `orders` gives for each visit the order of the features.
    """
    total = 0
    for place in range(visited.shape[0]):
        i = visited[place]
        if i < rules.n_fixed:
            continue
        lift_rule(given, layout, rules, work, i)
        table, spans, bias = rules.tables[i], rules.spans[i], max(rules.bias[i], _LEAST_BIAS)
        output, order = rules.output[i], orders[place]
        total += improve_rule(given.codes, layout, limits, table, spans, bias, price, order, output, work)
        size = 0.0
        if limits is None:
            size = rule_size(layout, table, spans, None)
        else:
            state = (output, work.zeros, work.product, work.room)
            total += swap_conditions(given.codes, layout, table, bias, work.q1, work.q2, price, *state)
            size = rule_size(layout, table, spans, limits.factors)
        gain = settle_rule(rules, work, i)
        if size == 0 or gain <= price * size:
            drop_rule(rules, work, i, alive, size == 0)
            total += 1
    return total


@compiled
def activate_rule(given, layout, rules, work, i):
    """Compute what a rule gives on every row."""
    rule_state(given.codes, layout.offsets, rules.tables[i], work.zeros, work.product)
    activation(work.zeros, work.product, work.rule)


@compiled
def put_in_rule(rules, work, i):
    """Multiply an activated rule into its output."""
    k = rules.output[i]
    add_factor(work.rule, rules.bias[i], work.output_zeros[k], work.output_product[k])


@compiled
def put_in_all(given, layout, rules, work, alive):
    """Compute the outputs from scratch."""
    work.output_zeros[:] = 0
    work.output_product[:] = 1.0
    for i in range(alive.shape[0]):
        if alive[i]:
            activate_rule(given, layout, rules, work, i)
            put_in_rule(rules, work, i)


@compiled
def lift_rule(given, layout, rules, work, i):
    """Compute a rule, take it out of its output and find the quadratic of what is left."""
    activate_rule(given, layout, rules, work, i)
    k = rules.output[i]
    zeros, product = work.output_zeros[k], work.output_product[k]
    remove_factor(work.rule, rules.bias[i], zeros, product)
    quadratic(given.targets[k], given.weights, zeros, product, rules.output_bias[k], work.q1, work.q2)


@compiled
def settle_rule(rules, work, i):
    """Fit the bias of a lifted rule, if it is not fixed, and put it back; return what the rule is worth."""
    activation(work.zeros, work.product, work.rule)
    first, second = bias_sums(work.rule, work.q1, work.q2)
    second += PSEUDO_EVIDENCE
    if i >= rules.n_fixed:
        rules.bias[i] = min(max(first / second, 0.0), 1.0)
    a = rules.bias[i]
    put_in_rule(rules, work, i)
    return 2 * first * a - second * a * a


@compiled
def drop_rule(rules, work, i, alive, absorb):
    """Drop a settled rule; one that asks nothing is absorbed by its output's bias, which can say the same."""
    k, a = rules.output[i], rules.bias[i]
    remove_factor(work.rule, a, work.output_zeros[k], work.output_product[k])
    alive[i] = False
    if absorb:
        rules.output_bias[k] = 1.0 - (1.0 - rules.output_bias[k]) * (1.0 - a)


@compiled
def improve_rule(codes, layout, limits, table, spans, bias, price, order, output, work):
    """Put the best table into each feature of one rule of an output in turn; return the number of changes.

    `work` holds the rule's state and keeps it true.
    """
    zeros, product, active, q1, q2 = work.zeros, work.product, work.room, work.q1, work.q2
    first_terms, second_terms = np.empty(zeros.shape[0]), np.empty(zeros.shape[0])
    covered, count = rows_within_one(zeros, active)
    saved = weigh_covered(active[:covered], product, bias, q1, q2, first_terms, second_terms)
    changes = 0
    for j in order:
        first, last = layout.offsets[j], layout.offsets[j + 1]
        old, new = table[first:last].copy(), np.ones(last - first)
        used = is_used(old)
        if not used:
            if limits is None and saved <= price:
                continue
            if layout.max_conditions > 0 and count_conditions(layout, table) >= layout.max_conditions:
                continue
        s1, s2 = np.zeros(last - first), np.zeros(last - first)
        if used:
            slot_sums(codes[j], active[:count], zeros, product, old, bias, q1, q2, s1, s2)
        else:
            covered_sums(codes[j], active[:covered], first_terms, second_terms, s1, s2)
        if is_fuzzy(layout, j):
            change = _improve_span(layout, j, old, spans[j], s1, s2, price, new)
        else:
            change = _improve_table(layout, limits, j, table, old, s1, s2, price, output, new)
        if change == KEPT:
            continue
        changes += change == CHANGED
        table[first:last] = new
        replace(codes[j], old, new, zeros, product)
        covered, count = rows_within_one(zeros, active)
        saved = weigh_covered(active[:covered], product, bias, q1, q2, first_terms, second_terms)
    if layout.max_conditions > 0:
        changes += trim_rule(codes, layout, limits, table, bias, q1, q2, zeros, product, active)
        for j in order:
            if not is_used(table[layout.offsets[j] : layout.offsets[j + 1]]):
                spans[j, :] = -1
    return changes


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
    best_table(s1, s2, *kind, paid, layout.negation, layout.unions, axis, new, direction)
    if limits is not None:
        if forced and not is_used(new[:n_crisp]):
            if not best_literal(s1, s2, layout, j, paid, direction, new):
                return KEPT
    if (new == old).all():
        return KEPT
    if kind[3] != CHANCE and not is_soft(old, n_crisp):
        after = table_cost(new, s1, s2, *kind, paid, layout.negation)
        if after >= table_cost(old, s1, s2, *kind, paid, layout.negation) - 1e-9:
            return KEPT
    # Probabilities of missing values move with the biases, for ever a little.
    return CHANGED if (new[:n_crisp] != old[:n_crisp]).any() else MOVED


@compiled
def _improve_span(layout, j, old, span, s1, s2, price, new):
    """Write the best fuzzy table to `new`, its boundaries to `span`; return whether it is better than the old one."""
    if not is_used(old) and most_saved(s1, s2, layout.n_known[j]) <= price:
        return KEPT
    best = np.empty(2, np.int64)
    cost = best_fuzzy_table(layout, j, s1, s2, price, best, new)
    kept = not is_used(old) or span[0] >= 0 or span[1] >= 0  # a crisp or a soft table gives way
    if (new == old).all() or (kept and cost >= _span_cost(layout, j, old, span, s1, s2, price) - 1e-9):
        return KEPT
    change = CHANGED if span[0] != best[0] or span[1] != best[1] else MOVED
    span[:] = best
    return change


@compiled
def _span_cost(layout, j, table, span, s1, s2, price):
    """Objective of a fuzzy table: squared error, the price of its literals, the digits of its boundaries."""
    total = price * span_literals(table, layout.n_known[j], span)
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
        if is_fuzzy(layout, j):
            total += span_literals(part, layout.n_known[j], spans[j])
            continue
        kind = (layout.n_known[j], layout.has_other[j], layout.has_missing[j], layout.ordered[j])
        count = literals(part, kind[0], kind[1], kind[2], kind[3], layout.negation)
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
