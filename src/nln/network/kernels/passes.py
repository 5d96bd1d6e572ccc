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
from nln.network.kernels.learned_intervals import (
    has_learned_intervals,
    learned_backward,
    learned_membership_backward,
    learned_memberships,
    learned_values,
)
from nln.network.kernels.modules import (
    BINARY,
    VALUES,
    F,
    bins_of,
    dichotomy_backward,
    has_intervals,
    interval_backward,
    interval_bands,
    interval_memberships,
    interval_values,
    rule_tables,
    rule_tables_backward,
)
from nln.network.kernels.steps import adam_all, and_penalties, interval_penalties, or_penalties, output_penalties

BAND = F(1e-5)
_TINY = F(1e-6)
_NOTHING = F(1e-18)
"""Products and gradients smaller than this are 0: they change nothing, but their products would be denormal numbers,
with which a processor computes a hundred times more slowly."""


@fast
def batch_gradients(data, rows, slot_offsets, weights, scratch, gradient):
    """Add the gradients of the weighted mean squared error of `rows`; return that error.

    One pass per row: `prefix[j]` is the product of the first j look-ups, and the backward loop carries the product of
    the later ones, so that there is no division, and zeros are exact.
    """
    codes, tables, prefix, others = data.codes, scratch.tables, scratch.prefix, scratch.others
    rule_bias, output_weights, output_bias = weights.rule_bias, weights.output_weights, weights.output_bias
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
            error = F(1) - (F(1) - output_bias[k]) * none - data.targets[n, k]
            share = data.weights[n] * scale
            loss += error * error * share
            gradient.output_bias[k] += F(2) * error * share * none
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
                scratch.g_tables[s, r] += suffix[r] * prefix[j, r]
                p = suffix[r] * tables[s, r]
                suffix[r] = p if abs(p) > _NOTHING else F(0)
    for k in range(n_outputs):
        for r in range(n_rules):
            gradient.rule_bias[r] += g_joint[k, r] * output_weights[k, r]
            gradient.output_weights[k, r] += g_joint[k, r] * rule_bias[r]
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
def _activate(codes, slot_offsets, tables, rule_bias, active):
    """What each rule gives at one row, its bias included."""
    for r in range(active.shape[0]):
        active[r] = rule_bias[r]
    for j in range(codes.shape[0]):
        s = slot_offsets[j] + codes[j]
        for r in range(active.shape[0]):
            p = active[r] * tables[s, r]
            active[r] = p if p > _NOTHING else F(0)


@fast
def forward_outputs(codes, slot_offsets, tables, weights):
    """Probability of each output, (rows, outputs)."""
    n_rules, n_outputs = tables.shape[1], weights.output_bias.shape[0]
    active, out = np.empty(n_rules, F), np.empty((codes.shape[0], n_outputs), F)
    for n in range(codes.shape[0]):
        _activate(codes[n], slot_offsets, tables, weights.rule_bias, active)
        for k in range(n_outputs):
            none = F(1)
            for r in range(n_rules):
                none *= F(1) - active[r] * weights.output_weights[k, r]
            out[n, k] = F(1) - (F(1) - weights.output_bias[k]) * none
    return out


@fast
def forward_loss(data, rows, slot_offsets, tables, weights):
    """Weighted mean squared error of `rows`."""
    n_rules, n_outputs, total, mass = tables.shape[1], weights.output_bias.shape[0], 0.0, 0.0
    active = np.empty(n_rules, F)
    for n in rows:
        _activate(data.codes[n], slot_offsets, tables, weights.rule_bias, active)
        for k in range(n_outputs):
            none = F(1)
            for r in range(n_rules):
                none *= F(1) - active[r] * weights.output_weights[k, r]
            error = F(1) - (F(1) - weights.output_bias[k]) * none - data.targets[n, k]
            total += data.weights[n] * error * error
        mass += data.weights[n]
    return total / (mass * n_outputs)


@compiled
def all_intervals(layout, weights, scratch):
    """Intervals of every ordered feature at the positions of its bins, within the bands."""
    for j in range(layout.kinds.shape[0]):
        if has_learned_intervals(layout, weights, j):
            learned_values(layout, weights, scratch, j)
        elif has_intervals(layout, j):
            interval_values(layout, weights, scratch, j)


@compiled
def all_bands(layout, weights, scratch, threshold):
    """Find the band of intervals that matter at each bin of every ordered feature: those above the threshold.

    Where their AND weights are trained, all matter: an interval that is 0 still passes a gradient to what makes it 0.
    """
    scratch.is_met[:] = True
    for j in range(layout.kinds.shape[0]):
        if has_learned_intervals(layout, weights, j):
            learned_values(layout, weights, scratch, j)
        elif has_intervals(layout, j):
            first, last = bins_of(layout, j)
            scratch.low[first:last] = 0
            scratch.high[first:last] = layout.n_regular[j]
            interval_values(layout, weights, scratch, j)
            interval_bands(layout, scratch, j, threshold)


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
            last = first + layout.n_bins[j]
            if has_learned_intervals(layout, weights, j):
                learned_memberships(layout, weights, scratch, j)
            elif has_intervals(layout, j):
                interval_memberships(layout, weights, scratch, j)
            else:  # a probability: the value itself
                for s in range(first, last):
                    scratch.memberships[s, :] = layout.positions[s]
            if last < stop:  # the missing slot has a weight of its own
                scratch.memberships[last] = weights.or_weights[weight + layout.n_regular[j]]
    rule_tables(layout, weights, scratch)


@compiled
def all_memberships_backward(layout, weights, scratch, gradient):
    """From the gradients of the tables to those of the AND weights, OR weights, boundaries and sharpnesses."""
    rule_tables_backward(layout, weights, scratch, gradient)
    for j in range(layout.kinds.shape[0]):
        first, stop, weight = layout.slot_offsets[j], layout.slot_offsets[j + 1], layout.weight_offsets[j]
        if layout.kinds[j] == VALUES:
            gradient.or_weights[weight : weight + stop - first] = scratch.g_memberships[first:stop]
        elif layout.kinds[j] != BINARY:
            if has_learned_intervals(layout, weights, j):
                if scratch.moves_nodes or scratch.moves_dichotomies:
                    learned_membership_backward(layout, weights, scratch, j, gradient)
                    learned_backward(layout, weights, scratch, j, gradient)
            elif has_intervals(layout, j):
                interval_backward(layout, weights, scratch, j, gradient)
                dichotomy_backward(layout, weights, scratch, j, gradient)
            last = first + layout.n_bins[j]
            if last < stop:
                gradient.or_weights[weight + layout.n_regular[j]] = scratch.g_memberships[last]


@compiled
def _meet(layout, codes, rows, is_met):
    """Mark the slots that some of the rows have: the tables of no others are needed."""
    is_met[:] = False
    for n in rows:
        for j in range(codes.shape[1]):
            is_met[layout.slot_offsets[j] + codes[n, j]] = True


@compiled
def loss_and_gradients(layout, data, rows, weights, scratch, gradient):
    """Mean squared error of `rows` and its gradients for all weights (written, not added)."""
    if weights.interval_weights.shape[0] > 0:
        _meet(layout, data.codes, rows, scratch.is_met)
    gradient.interval_weights[:] = F(0)
    all_intervals(layout, weights, scratch)
    all_memberships(layout, weights, scratch)
    scratch.g_tables[:] = F(0)
    gradient.rule_bias[:] = F(0)
    gradient.output_weights[:] = F(0)
    gradient.output_bias[:] = F(0)
    gradient.boundaries[:] = F(0)
    gradient.sharpness[:] = F(0)
    loss = batch_gradients(data, rows, layout.slot_offsets, weights, scratch, gradient)
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
            if weights.interval_weights.shape[0] > 0:
                interval_penalties(weights.interval_weights, layout, non_empty, l1, by_module,
                                   gradient.interval_weights)  # fmt: skip
        step += 1
        adam_all(layout, weights, gradient, first, second, step, steps)
    return total / order.shape[0], step
