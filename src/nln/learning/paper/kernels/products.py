"""Products over the rows for closed-form answers about a whole network, compiled with Numba.

Rules may feed several outputs here, and all weights may be soft. With c_ik = W_ik a_i and Q_k(x) = (1 - o_k) times the
product of the other rules' factors (1 - c r), the squared error of all outputs is quadratic in the activation r_i(x):

    q1(x) = w sum_k c_ik Q_k (y_k - 1 + Q_k)        q2(x) = w sum_k (c_ik Q_k)^2        error = q2 r^2 - 2 q1 r + const

`activations` is (rules, rows), `factors` (outputs, rules) holds c. A row's product of an output leaves out the factors
that are zero, which are counted instead; where it becomes too small to be divided, it is computed again.
"""

from __future__ import annotations

import numpy as np

from nln.compiled import compiled
from nln.learning.descent.kernels.statistics import ZERO, add_factor, bias_sums, is_used, row_quadratic

_SMALL = 1e-150


@compiled
def _product(activations, factors, n, left_out):
    """Zero factors and product of the others of one output at one row, one rule left out (-1: none)."""
    zeros, product = 0, 1.0
    for r in range(activations.shape[0]):
        if r != left_out and factors[r] != 0.0:
            f = 1.0 - factors[r] * activations[r, n]
            if f < ZERO:
                zeros += 1
            else:
                product *= f
    return zeros, product


@compiled
def all_products(activations, factors, zeros, product):
    """State of every output at every row, from scratch."""
    zeros[:] = 0
    product[:] = 1.0
    for k in range(factors.shape[0]):
        for r in range(activations.shape[0]):
            if factors[k, r] != 0.0:
                add_factor(activations[r], factors[k, r], zeros[k], product[k])


@compiled
def rest_of_output(activations, factors, rule, zeros, product, rows, rest):
    """Product of the other rules' factors at some rows, for one output."""
    c = factors[rule]
    for x in range(rows.shape[0]):
        n = rows[x]
        f = 1.0 - c * activations[rule, n]
        if product[n] < _SMALL:
            count, value = _product(activations, factors, n, rule)
            rest[x] = 0.0 if count else value
        elif f < ZERO:
            rest[x] = product[n] if zeros[n] == 1 else 0.0
        else:
            rest[x] = product[n] / f if zeros[n] == 0 else 0.0


@compiled
def exchange_factor(activations, factors, before, old, after, new, zeros, product, rows):
    """Exchange a rule's factor (1 - c r) of one output at some rows: from c, r = `before`, `old` to `after`, `new`.

    `factors` and `activations` must hold the new numbers already.
    """
    for x in range(rows.shape[0]):
        n = rows[x]
        if product[n] < _SMALL:
            zeros[n], product[n] = _product(activations, factors, n, -1)
            continue
        f, g = 1.0 - before * old[x], 1.0 - after * new[x]
        if f < ZERO:
            zeros[n] -= 1
        else:
            product[n] /= f
        if g < ZERO:
            zeros[n] += 1
        else:
            product[n] *= g


@compiled
def rule_quadratic(activations, factors, rule, zeros, product, output_bias, targets, weights, rows, q1, q2):
    """q1, q2 of a rule at some rows, over all outputs it feeds."""
    rest = np.empty(rows.shape[0])
    q1[:] = 0.0
    q2[:] = 0.0
    for k in range(factors.shape[0]):
        c = factors[k, rule]
        if c == 0.0:
            continue
        rest_of_output(activations, factors[k], rule, zeros[k], product[k], rows, rest)
        for x in range(rows.shape[0]):
            n = rows[x]
            q = (1.0 - output_bias[k]) * rest[x]
            q1[x] += weights[n] * c * q * (targets[k, n] - 1.0 + q)
            q2[x] += weights[n] * c * c * q * q


@compiled
def output_sums_of_rule(activations, factors, rule, zeros, product, output_bias, targets, weights, rows):
    """Sums S1, S2 for one output: its error is S2 c^2 - 2 S1 c in the rule's factor c, up to a constant."""
    rest, q1, q2 = np.empty(rows.shape[0]), np.empty(rows.shape[0]), np.empty(rows.shape[0])
    rest_of_output(activations, factors, rule, zeros, product, rows, rest)
    for x in range(rows.shape[0]):
        n, q = rows[x], (1.0 - output_bias) * rest[x]
        q1[x], q2[x] = row_quadratic(targets[n], weights[n], q)
    return bias_sums(activations[rule][rows], q1, q2)


@compiled
def others_of_rule(codes, offsets, table, feature, others):
    """Product of a rule's look-ups in all features but one (-1: in all), at every row."""
    others[:] = 1.0
    for j in range(codes.shape[0]):
        if j == feature:
            continue
        part = table[offsets[j] : offsets[j + 1]]
        if is_used(part):
            for n in range(codes.shape[1]):
                others[n] *= part[codes[j, n]]


@compiled
def outside_intervals(above, lower, upper, regular, left_out):
    """Product of (1 - O I) over a rule's intervals at every bin, one interval left out (-1: none).

    `above` holds the dichotomies at the bins, (bins, dichotomies + 2), padded with 1 below and 0 above.
    """
    out = np.ones(above.shape[0])
    for m in range(regular.shape[0]):
        if m != left_out and regular[m] != 0.0:
            for v in range(above.shape[0]):
                out[v] *= 1.0 - regular[m] * above[v, lower[m]] * (1.0 - above[v, upper[m]])
    return out
