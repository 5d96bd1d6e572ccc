"""What the AND weights of an interval do to the error, where all rules share the intervals. Compiled with Numba.

One feature at a time: `above` are its dichotomies at the bins, (bins, dichotomies); `values` the intervals, (bins,
intervals); `or_weights` (intervals, rules); `others` the product of each rule's other features at the rows; `missing`
each rule's look-up for a missing value, whose code follows those of the bins.
"""

from __future__ import annotations

import numpy as np

from nln.compiled import compiled


@compiled
def interval_values(above, vector):
    """Membership of each bin in the interval of some AND weights: `prod_d (1 - [A]+ + A s_d)`."""
    out = np.ones(above.shape[0])
    for d in range(vector.shape[0]):
        if vector[d] != 0.0:
            for v in range(above.shape[0]):
                out[v] *= 1.0 - max(vector[d], 0.0) + vector[d] * above[v, d]
    return out


@compiled
def outside_values(values, regular, left_out):
    """Product of (1 - O I) over intervals at every bin, one left out (-1: none)."""
    out = np.ones(values.shape[0])
    for m in range(regular.shape[0]):
        if m != left_out and regular[m] != 0.0:
            for v in range(values.shape[0]):
                out[v] *= 1.0 - regular[m] * values[v, m]
    return out


@compiled
def _activate(inside, node, values, or_weights, and_weight, rule, codes, others, missing, out):
    """Activation of a rule at every row if one interval had other values."""
    rest = outside_values(values, or_weights[:, rule], node)
    for v in range(rest.shape[0]):
        rest[v] *= 1.0 - or_weights[node, rule] * inside[v]
        rest[v] = 1.0 - max(and_weight, 0.0) * rest[v] - max(-and_weight, 0.0) * (1.0 - rest[v])
    for n in range(codes.shape[0]):
        out[n] = others[rule, n] * (rest[codes[n]] if codes[n] < rest.shape[0] else missing[rule])


@compiled
def interval_errors(
    vectors, node, above, values, or_weights, and_weights, codes, others, missing, activations, factors, output_bias,
    targets, weights,
):  # fmt: skip
    """Squared error over rows and outputs for each vector of AND weights of one interval."""
    rules = np.flatnonzero((or_weights[node] != 0.0) & (and_weights != 0.0))
    changed = np.empty((rules.shape[0], codes.shape[0]))
    errors = np.zeros(vectors.shape[0])
    for x in range(vectors.shape[0] if rules.shape[0] else 0):
        inside = interval_values(above, vectors[x])
        for i in range(rules.shape[0]):
            r = rules[i]
            _activate(inside, node, values, or_weights, and_weights[r], r, codes, others, missing, changed[i])
        errors[x] = _changed_error(activations, factors, output_bias, targets, weights, rules, changed)
    return errors


@compiled
def put_interval(vector, node, above, values, or_weights, and_weights, codes, others, missing, activations):
    """Take over other AND weights of an interval, in `values` and in the activations of the rules that use it."""
    inside = interval_values(above, vector)
    for r in range(and_weights.shape[0]):
        if or_weights[node, r] != 0.0 and and_weights[r] != 0.0:
            _activate(inside, node, values, or_weights, and_weights[r], r, codes, others, missing, activations[r])
    values[:, node] = inside


@compiled
def _changed_error(activations, factors, output_bias, targets, weights, rules, changed):
    """Squared error over rows and outputs if some rules had other activations, (rules, rows)."""
    is_changed = np.zeros(activations.shape[0], np.bool_)
    is_changed[rules] = True
    error, none = 0.0, np.empty(activations.shape[1])
    for k in range(factors.shape[0]):
        none[:] = 1.0 - output_bias[k]
        for r in range(activations.shape[0]):
            if factors[k, r] != 0.0 and not is_changed[r]:
                for n in range(none.shape[0]):
                    none[n] *= 1.0 - factors[k, r] * activations[r, n]
        for x in range(rules.shape[0]):
            if factors[k, rules[x]] != 0.0:
                for n in range(none.shape[0]):
                    none[n] *= 1.0 - factors[k, rules[x]] * changed[x, n]
        for n in range(none.shape[0]):
            miss = 1.0 - none[n] - targets[k, n]
            error += weights[n] * miss * miss
    return error
