"""The fused passes of training, compiled with Numba. Plain loops over arrays, contiguous in the rules.

Shapes: `codes` (rows, features), `tables` and `memberships` (slots, rules), `and_weights` (features, rules),
`or_weights` (weights, rules), `rule_bias` (rules,), `output_weights` (outputs, rules), `output_bias` (outputs,). All
float32.

    r_i(x) = prod_j T_ij[code_j(x)]                    T_ij[v] = 1 - [A_ij]+ (1 - m_ij[v]) - [A_ij]- m_ij[v]
    y_k(x) = 1 - (1 - o_k) prod_i (1 - W_ik a_i r_i)

Every gradient is compared with the plain NumPy nodes of `nln.network.theory` in the tests.
"""

from __future__ import annotations

import numpy as np

from nln.compiled import compiled, fast
from nln.network.kernels.modules import (
    BINARY,
    PROBABILITY,
    VALUES,
    F,
    circle_length,
    dichotomy_backward,
    has_intervals,
    interval_backward,
    interval_bands,
    interval_memberships,
    interval_values,
    rule_tables,
    rule_tables_backward,
)
from nln.network.kernels.steps import adam_all, and_penalties, or_penalties, output_penalties

BAND = F(1e-5)
_TINY = F(1e-6)
_NOTHING = F(1e-18)
"""Products and gradients smaller than this are 0: they change nothing, but their products would be denormal numbers,
with which a processor computes a hundred times more slowly."""


@fast
def batch_gradients(
    codes, targets, row_weights, rows, slot_offsets, tables, rule_bias, output_weights, output_bias,
    g_tables, g_bias, g_output, g_output_bias, prefix, others,
):  # fmt: skip
    """Add the gradients of the weighted mean squared error of `rows`; return that error.

    One pass per row: `prefix[j]` is the product of the first j look-ups, and the backward loop carries the product of
    the later ones, so that there is no division, and zeros are exact.
    """
    n_features, n_rules, n_outputs = codes.shape[1], tables.shape[1], output_weights.shape[0]
    suffix, factor, g_rule = np.empty(n_rules, F), np.empty(n_rules, F), np.empty(n_rules, F)
    joint, g_joint = np.empty((n_outputs, n_rules), F), np.zeros((n_outputs, n_rules), F)  # W a and its gradient
    for k in range(n_outputs):
        for r in range(n_rules):
            joint[k, r] = output_weights[k, r] * rule_bias[r]
    scale, loss = F(1) / F(rows.shape[0] * n_outputs), F(0)
    for n in rows:
        for r in range(n_rules):
            prefix[0, r] = F(1)
            g_rule[r] = F(0)
        for j in range(n_features):
            s = slot_offsets[j] + codes[n, j]
            for r in range(n_rules):
                p = prefix[j, r] * tables[s, r]
                prefix[j + 1, r] = p if p > _NOTHING else F(0)
        for k in range(n_outputs):
            none, least = F(1), F(1)
            for r in range(n_rules):
                f = F(1) - joint[k, r] * prefix[n_features, r]
                factor[r] = f
                none *= f
                least = min(least, f)
            if least > _TINY:
                for r in range(n_rules):
                    p = none / factor[r]
                    others[r] = p if p > _NOTHING else F(0)
            else:
                _products_of_others(factor, others)
            error = F(1) - (F(1) - output_bias[k]) * none - targets[n, k]
            share = row_weights[n] * scale
            loss += error * error * share
            g_output_bias[k] += F(2) * error * share * none
            g = F(2) * error * share * (F(1) - output_bias[k])
            if abs(g) < _NOTHING:
                continue
            for r in range(n_rules):
                h = g * others[r]
                g_rule[r] += h * joint[k, r]
                g_joint[k, r] += h * prefix[n_features, r]
        for r in range(n_rules):
            suffix[r] = g_rule[r] if abs(g_rule[r]) > _NOTHING else F(0)
        for j in range(n_features - 1, -1, -1):
            s = slot_offsets[j] + codes[n, j]
            for r in range(n_rules):
                g_tables[s, r] += suffix[r] * prefix[j, r]
                p = suffix[r] * tables[s, r]
                suffix[r] = p if abs(p) > _NOTHING else F(0)
    for k in range(n_outputs):
        for r in range(n_rules):
            g_bias[r] += g_joint[k, r] * output_weights[k, r]
            g_output[k, r] += g_joint[k, r] * rule_bias[r]
    return loss


@compiled
def _products_of_others(factor, others):
    """`others[i] = prod_(q != i) factor[q]` without division."""
    running = F(1)
    for i in range(factor.shape[0]):
        others[i] = running
        running *= factor[i]
    running = F(1)
    for i in range(factor.shape[0] - 1, -1, -1):
        others[i] *= running
        running *= factor[i]


@fast
def forward_outputs(codes, slot_offsets, tables, rule_bias, output_weights, output_bias):
    """Probability of each output, (rows, outputs)."""
    n_rules = tables.shape[1]
    active, out = np.empty(n_rules, F), np.empty((codes.shape[0], output_weights.shape[0]), F)
    for n in range(codes.shape[0]):
        for r in range(n_rules):
            active[r] = rule_bias[r]
        for j in range(codes.shape[1]):
            s = slot_offsets[j] + codes[n, j]
            for r in range(n_rules):
                p = active[r] * tables[s, r]
                active[r] = p if p > _NOTHING else F(0)
        for k in range(output_weights.shape[0]):
            none = F(1)
            for r in range(n_rules):
                none *= F(1) - active[r] * output_weights[k, r]
            out[n, k] = F(1) - (F(1) - output_bias[k]) * none
    return out


@fast
def forward_loss(codes, targets, row_weights, rows, slot_offsets, tables, rule_bias, output_weights, output_bias):
    """Weighted mean squared error of `rows`."""
    n_rules, total, mass = tables.shape[1], 0.0, 0.0
    active = np.empty(n_rules, F)
    for n in rows:
        for r in range(n_rules):
            active[r] = rule_bias[r]
        for j in range(codes.shape[1]):
            s = slot_offsets[j] + codes[n, j]
            for r in range(n_rules):
                p = active[r] * tables[s, r]
                active[r] = p if p > _NOTHING else F(0)
        for k in range(output_weights.shape[0]):
            none = F(1)
            for r in range(n_rules):
                none *= F(1) - active[r] * output_weights[k, r]
            error = F(1) - (F(1) - output_bias[k]) * none - targets[n, k]
            total += row_weights[n] * error * error
        mass += row_weights[n]
    return total / (mass * output_weights.shape[0])


@compiled
def all_intervals(layout, weights, scratch):
    """Intervals of every ordered feature at the positions of its bins, within the bands."""
    for j in range(layout.kinds.shape[0]):
        if has_intervals(layout, j):
            n = layout.n_regular[j]
            first, last = layout.slot_offsets[j], layout.slot_offsets[j] + layout.n_bins[j]
            interval_values(
                layout.positions[first:last], weights.boundaries, weights.sharpness, layout.dichotomy_offsets[j],
                circle_length(layout, j), scratch.low[first:last], scratch.high[first:last],
                scratch.dichotomy[first:last, : n + 1], scratch.value[first:last, :n],
            )  # fmt: skip


@compiled
def all_bands(layout, weights, scratch, threshold):
    """Find the band of intervals that matter at each bin of every ordered feature: those above the threshold."""
    for j in range(layout.kinds.shape[0]):
        if has_intervals(layout, j):
            first, last = layout.slot_offsets[j], layout.slot_offsets[j] + layout.n_bins[j]
            scratch.low[first:last] = 0
            scratch.high[first:last] = layout.n_regular[j]
    all_intervals(layout, weights, scratch)
    for j in range(layout.kinds.shape[0]):
        if has_intervals(layout, j):
            n = layout.n_regular[j]
            first, last = layout.slot_offsets[j], layout.slot_offsets[j] + layout.n_bins[j]
            interval_bands(scratch.value[first:last, :n], threshold, scratch.low[first:last], scratch.high[first:last])


@compiled
def all_memberships(layout, weights, scratch):
    """Membership of every slot in every rule's module of its feature, then the look-up tables."""
    for j in range(layout.kinds.shape[0]):
        first, stop, weight = layout.slot_offsets[j], layout.slot_offsets[j + 1], layout.weight_offsets[j]
        if layout.kinds[j] == BINARY:
            scratch.memberships[first, :] = F(0)
            scratch.memberships[first + 1, :] = F(1)
        elif layout.kinds[j] == VALUES:
            scratch.memberships[first:stop] = weights.or_weights[weight : weight + stop - first]
        else:
            n = layout.n_regular[j]
            last = first + layout.n_bins[j]
            if layout.kinds[j] == PROBABILITY:  # the value itself
                for s in range(first, last):
                    scratch.memberships[s, :] = layout.positions[s]
            else:
                interval_memberships(
                    scratch.value[first:last, :n], scratch.low[first:last], scratch.high[first:last],
                    weights.or_weights, weight, first, scratch.memberships,
                )  # fmt: skip
            if last < stop:  # the missing slot has a weight of its own
                scratch.memberships[last] = weights.or_weights[weight + n]
    rule_tables(scratch.memberships, weights.and_weights, layout.slot_offsets, scratch.tables)


@compiled
def all_memberships_backward(layout, weights, scratch, gradient):
    """From the gradients of the tables to those of the AND weights, OR weights, boundaries and sharpnesses."""
    rule_tables_backward(
        scratch.memberships, weights.and_weights, layout.slot_offsets, scratch.g_tables, scratch.g_memberships,
        gradient.and_weights,
    )  # fmt: skip
    for j in range(layout.kinds.shape[0]):
        first, stop, weight = layout.slot_offsets[j], layout.slot_offsets[j + 1], layout.weight_offsets[j]
        if layout.kinds[j] == VALUES:
            gradient.or_weights[weight : weight + stop - first] = scratch.g_memberships[first:stop]
        elif layout.kinds[j] != BINARY:
            n, dichotomy = layout.n_regular[j], layout.dichotomy_offsets[j]
            last = first + layout.n_bins[j]
            if has_intervals(layout, j):
                gradient.or_weights[weight : weight + n] = F(0)
                interval_backward(
                    scratch.value[first:last, :n], scratch.low[first:last], scratch.high[first:last],
                    weights.or_weights, weight, first, scratch.g_memberships, gradient.or_weights,
                    scratch.g_value[first:last, :n],
                )  # fmt: skip
                dichotomy_backward(
                    layout.positions[first:last], weights.boundaries, weights.sharpness, dichotomy,
                    circle_length(layout, j), scratch.low[first:last], scratch.high[first:last],
                    scratch.dichotomy[first:last, : n + 1], scratch.g_value[first:last, :n],
                    gradient.boundaries, gradient.sharpness,
                )  # fmt: skip
            if last < stop:
                gradient.or_weights[weight + n] = scratch.g_memberships[last]


@compiled
def loss_and_gradients(layout, data, rows, weights, scratch, gradient):
    """Mean squared error of `rows` and its gradients for all weights (written, not added)."""
    all_intervals(layout, weights, scratch)
    all_memberships(layout, weights, scratch)
    scratch.g_tables[:] = F(0)
    gradient.rule_bias[:] = F(0)
    gradient.output_weights[:] = F(0)
    gradient.output_bias[:] = F(0)
    gradient.boundaries[:] = F(0)
    gradient.sharpness[:] = F(0)
    loss = batch_gradients(
        data.codes, data.targets, data.weights, rows, layout.slot_offsets, scratch.tables, weights.rule_bias,
        weights.output_weights, weights.output_bias, scratch.g_tables, gradient.rule_bias, gradient.output_weights,
        gradient.output_bias, scratch.prefix, scratch.others,
    )  # fmt: skip
    all_memberships_backward(layout, weights, scratch, gradient)
    return loss


@compiled
def run_epoch(layout, data, order, batch_size, weights, gradient, first, second, scratch, step, steps):
    """All mini-batches of one epoch: gradients, penalties, Adam, clamping. Returns the mean loss and the step count."""
    all_bands(layout, weights, scratch, BAND)
    total, non_empty, l1, by_module = 0.0, steps.non_empty, steps.l1, steps.by_module
    for start in range(0, order.shape[0], batch_size):
        rows = order[start : start + batch_size]
        total += loss_and_gradients(layout, data, rows, weights, scratch, gradient) * rows.shape[0]
        if steps.nodes:
            or_penalties(weights.or_weights, layout.weight_offsets, layout.n_regular, non_empty, l1, by_module,
                         gradient.or_weights)  # fmt: skip
            and_penalties(weights.and_weights, layout.kinds, non_empty, l1, by_module, gradient.and_weights)
            output_penalties(weights.output_weights, non_empty, l1, by_module, gradient.output_weights)
        step += 1
        adam_all(layout, weights, gradient, first, second, step, steps)
    return total / order.shape[0], step
