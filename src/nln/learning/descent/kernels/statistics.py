"""Closed-form answers to "what if this rule asked something else of this feature?", compiled with Numba.

Fix everything but rule i of output k, and let Q(x) = (1 - o_k) prod_(others of k) (1 - a r). The squared error is
quadratic in r_i(x): with q1 = w Q (y - 1 + Q) and q2 = w Q^2 it changes by  sum_x q2 (a r)^2 - 2 q1 (a r).
Since r_i = P_-j T_ij[code_j], one pass over the rows gives, for every slot v of feature j,

    s1[v] = sum_(code_j = v) q1 a P_-j          s2[v] = sum_(code_j = v) q2 (a P_-j)^2

and the error of any new table t is  sum_v s2[v] t[v]^2 - 2 s1[v] t[v].  Rows that fail two conditions of a crisp rule
contribute nothing and are not visited.

`codes` is (features, rows): each pass reads one feature of all rows. The tests compare every sum with an evaluation of
the whole program.
"""

from __future__ import annotations

import numpy as np

from nln.compiled import compiled

ZERO = 1e-12
"""Table entries below this count as zero: the row fails the condition."""


@compiled
def is_used(table):
    """Whether a feature's table asks anything: some entry differs from 1."""
    for t in table:
        if t != 1.0:
            return True
    return False


@compiled
def multiply(codes, table, zeros, product):
    """Multiply one feature's look-ups into the rows' state: the count of zero factors, the product of the others."""
    is_zero, factor, soft = np.zeros(table.shape[0], np.uint8), np.ones(table.shape[0]), False
    for v in range(table.shape[0]):
        if table[v] < ZERO:
            is_zero[v] = 1
        else:
            factor[v] = table[v]
            soft = soft or table[v] != 1.0
    for n in range(codes.shape[0]):
        zeros[n] += is_zero[codes[n]]
    if soft:
        for n in range(codes.shape[0]):
            product[n] *= factor[codes[n]]


@compiled
def replace(codes, old, new, zeros, product):
    """Exchange one feature's table in the rows' state."""
    for n in range(codes.shape[0]):
        was, now = old[codes[n]], new[codes[n]]
        if was == now:
            continue
        if was < ZERO:
            zeros[n] -= 1
        else:
            product[n] /= was
        if now < ZERO:
            zeros[n] += 1
        else:
            product[n] *= now


@compiled
def rule_state(codes, offsets, table, zeros, product):
    """State of all rows under one rule, from scratch."""
    zeros[:] = 0
    product[:] = 1.0
    for j in range(codes.shape[0]):
        part = table[offsets[j] : offsets[j + 1]]
        if is_used(part):
            multiply(codes[j], part, zeros, product)


@compiled
def rows_within_one(zeros, active):
    """Collect the rows that fail no condition, then those that fail one; return how many there are of both."""
    covered = 0
    for n in range(zeros.shape[0]):
        active[covered] = n
        covered += zeros[n] == 0
    count = covered
    for n in range(zeros.shape[0]):
        if zeros[n] == 1:
            active[count] = n
            count += 1
    return covered, count


@compiled
def weigh_covered(covered, product, bias, q1, q2, first, second):
    """Terms of s1 and s2 of the rows that fail no condition, for features that the rule does not ask about yet.

    Returns an upper bound of the squared error that any condition on such a feature can save: that of each row's best
    membership.
    """
    saved = 0.0
    for place in range(covered.shape[0]):
        n = covered[place]
        r = bias * product[n]
        first[place], second[place] = q1[n] * r, q2[n] * r * r
        best = min(max(q1[n] / max(q2[n], 1e-300), 0.0), r)
        saved += q2[n] * (r * r - best * best) - 2.0 * q1[n] * (r - best)
    return saved


@compiled
def covered_sums(codes, covered, first, second, s1, s2):
    """Sums s1, s2 of a feature by slot, from the terms of some rows."""
    s1[:] = 0.0
    s2[:] = 0.0
    for place in range(covered.shape[0]):
        v = codes[covered[place]]
        s1[v] += first[place]
        s2[v] += second[place]


@compiled
def slot_sums(codes, active, zeros, product, table, bias, q1, q2, s1, s2):
    """Sums s1, s2 of one feature over the rows that fail no other condition."""
    s1[:] = 0.0
    s2[:] = 0.0
    for n in active:
        v = codes[n]
        here = table[v]
        if here < ZERO:
            others = bias * product[n]
        elif zeros[n] == 0:
            others = bias * product[n] / here
        else:
            continue
        s1[v] += q1[n] * others
        s2[v] += q2[n] * others * others


@compiled
def feature_sums(codes, table, bias, state, count):
    """Sums s1, s2 of one feature of a lifted rule, over the first rows that `rows_within_one` collected."""
    s1, s2 = np.zeros(table.shape[0]), np.zeros(table.shape[0])
    slot_sums(codes, state.room[:count], state.zeros, state.product, table, bias, state.q1, state.q2, s1, s2)
    return s1, s2


@compiled
def put_table(codes, layout, table, j, new, state):
    """Exchange one feature's table in a lifted rule."""
    first, last = layout.offsets[j], layout.offsets[j + 1]
    replace(codes[j], table[first:last], new, state.zeros, state.product)
    table[first:last] = new


@compiled
def activation(zeros, product, out):
    """The rule's activation without its bias."""
    for n in range(zeros.shape[0]):
        out[n] = product[n] if zeros[n] == 0 else 0.0


@compiled
def covered_weight(zeros, product, weights):
    """Weight of the rows that a rule covers: those that satisfy it at least by half."""
    total = 0.0
    for n in range(zeros.shape[0]):
        if zeros[n] == 0 and product[n] >= 0.5:
            total += weights[n]
    return total


@compiled
def add_factor(r, bias, zeros, product):
    """Multiply a rule's factor (1 - a r) into its output's state."""
    for n in range(r.shape[0]):
        if r[n] != 0.0:
            f = 1.0 - bias * r[n]
            if f < ZERO:
                zeros[n] += 1
            else:
                product[n] *= f


@compiled
def remove_factor(r, bias, zeros, product):
    """Take a rule's factor (1 - a r) out of its output's state."""
    for n in range(r.shape[0]):
        if r[n] != 0.0:
            f = 1.0 - bias * r[n]
            if f < ZERO:
                zeros[n] -= 1
            else:
                product[n] /= f


@compiled
def row_quadratic(target, weight, rest):
    """q1, q2 of one row, where `rest` is the probability Q that nothing else makes the output hold."""
    return weight * rest * (target - 1.0 + rest), weight * rest * rest


@compiled
def quadratic(targets, weights, zeros, product, output_bias, q1, q2):
    """q1, q2 of every row for a rule that has been taken out of its output's state."""
    for n in range(targets.shape[0]):
        rest = 0.0 if zeros[n] > 0 else (1.0 - output_bias) * product[n]
        q1[n], q2[n] = row_quadratic(targets[n], weights[n], rest)


@compiled
def bias_sums(r, q1, q2):
    """Sums of q1 r and q2 r^2: the error is quadratic in the rule's bias as well."""
    first, second = 0.0, 0.0
    for n in range(r.shape[0]):
        if r[n] != 0.0:
            first += q1[n] * r[n]
            second += q2[n] * r[n] * r[n]
    return first, second


@compiled
def output_sums(targets, weights, zeros, product):
    """Sums of (1 - y) N and N^2 with N the product of an output's factors: they give its bias."""
    first, second = 0.0, 0.0
    for n in range(targets.shape[0]):
        if zeros[n] == 0:
            first += weights[n] * (1.0 - targets[n]) * product[n]
            second += weights[n] * product[n] * product[n]
    return first, second


@compiled
def squared_error(targets, weights, zeros, product, output_bias):
    """Weighted squared error of one output."""
    total = 0.0
    for n in range(targets.shape[0]):
        rest = 0.0 if zeros[n] > 0 else (1.0 - output_bias) * product[n]
        error = 1.0 - rest - targets[n]
        total += weights[n] * error * error
    return total
