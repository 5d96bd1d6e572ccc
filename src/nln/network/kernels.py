"""The fused passes of training, compiled with Numba. Plain loops over arrays, contiguous in the rules.

Shapes: `codes` (rows, features), `tables` and `memberships` (slots, rules), `and_weights` (features, rules),
`or_weights` (weights, rules), `rule_bias` (rules,), `output_weights` (outputs, rules), `output_bias` (outputs,). All
float32.

    r_i(x) = prod_j T_ij[code_j(x)]                    T_ij[v] = 1 - [A_ij]+ (1 - m_ij[v]) - [A_ij]- m_ij[v]
    y_k(x) = 1 - (1 - o_k) prod_i (1 - W_ik a_i r_i)

Every gradient is compared with the plain NumPy nodes of `nln.network.theory` in the tests.
"""

from __future__ import annotations

import math

import numpy as np

from nln.compiled import compiled, fast

F = np.float32
BINARY, VALUES, ORDERED, CIRCULAR, PROBABILITY = 0, 1, 2, 3, 4
BAND = F(1e-5)
_TINY = F(1e-6)


@fast
def rule_tables(memberships, and_weights, slot_offsets, tables):
    """Look-up tables of the rules: `T = 1 - [A]+ (1 - m) - [A]- m`."""
    for j in range(and_weights.shape[0]):
        for s in range(slot_offsets[j], slot_offsets[j + 1]):
            for r in range(and_weights.shape[1]):
                w = and_weights[j, r]
                positive, negative = max(w, F(0)), max(-w, F(0))
                m = memberships[s, r]
                tables[s, r] = F(1) - positive * (F(1) - m) - negative * m


@fast
def rule_tables_backward(memberships, and_weights, slot_offsets, g_tables, g_memberships, g_and):
    """Gradients of `rule_tables`. At a weight of exactly 0 the steeper descent of the two sides counts."""
    n_rules = and_weights.shape[1]
    right, left = np.empty(n_rules, F), np.empty(n_rules, F)
    for j in range(and_weights.shape[0]):
        right[:] = F(0)
        left[:] = F(0)
        for s in range(slot_offsets[j], slot_offsets[j + 1]):
            for r in range(n_rules):
                g, m = g_tables[s, r], memberships[s, r]
                g_memberships[s, r] = g * and_weights[j, r]
                right[r] += g * (m - F(1))
                left[r] += g * m
        for r in range(n_rules):
            w = and_weights[j, r]
            if w > F(0):
                g_and[j, r] = right[r]
            elif w < F(0):
                g_and[j, r] = left[r]
            else:  # moving right changes the loss by right[r], moving left by -left[r]
                down_right, down_left = max(-right[r], F(0)), max(left[r], F(0))
                g_and[j, r] = -down_right if down_right >= down_left else down_left


@compiled
def is_fuzzy(layout, j):
    """Whether a feature enters through fuzzy intervals, on a line or on a circle."""
    return layout.kinds[j] == ORDERED or layout.kinds[j] == CIRCULAR


@compiled
def circle_length(layout, j):
    """Length of a feature's axis if it is a circle, whose intervals are 1 wide; 0 for a line."""
    return F(layout.n_regular[j]) if layout.kinds[j] == CIRCULAR else F(0)


@compiled
def distance(u, boundary, turn):
    """From a boundary to a bin, upwards; on a circle of length `turn` between minus and plus half a turn."""
    far = u - boundary
    return far - turn * F(math.floor(far / turn + F(0.5))) if turn > F(0) else far


@compiled
def interval_values(positions, boundaries, sharpness, first_dichotomy, turn, low, high, dichotomy, value):
    """Fuzzy dichotomies `sigma(alpha (u - B))` of one feature and its intervals, within each bin's band.

    The AND of two neighbours is a fuzzy interval: `I_m = s_m (1 - s_(m+1))`. On a line dichotomies are padded with 1
    below and 0 above. On a circle of length `turn` each is true on the half circle from its boundary on, and the
    neighbour of the last one is the first.
    """
    n = dichotomy.shape[1] - 1  # intervals
    for v in range(positions.shape[0]):
        for m in range(low[v], high[v] + 1):
            if turn == F(0) and m == 0:
                dichotomy[v, m] = F(1)
            elif turn == F(0) and m == n:
                dichotomy[v, m] = F(0)
            else:
                d = first_dichotomy + (m % n if turn > F(0) else m - 1)
                z = sharpness[d] * distance(positions[v], boundaries[d], turn)
                dichotomy[v, m] = F(1) / (F(1) + F(math.exp(-z)))
        for m in range(low[v], high[v]):
            value[v, m] = dichotomy[v, m] * (F(1) - dichotomy[v, m + 1])


@compiled
def interval_bands(value, threshold, low, high):
    """First and last interval (exclusive) of each bin whose value is above the threshold: others are not visited."""
    for v in range(value.shape[0]):
        low[v], high[v] = value.shape[1], 0
        for m in range(value.shape[1]):
            if value[v, m] > threshold:
                low[v] = min(low[v], m)
                high[v] = max(high[v], m + 1)
        if low[v] >= high[v]:
            low[v], high[v] = 0, value.shape[1]


@fast
def interval_memberships(value, low, high, or_weights, first_weight, first_slot, memberships):
    """Membership of the OR over the intervals: `m = 1 - prod_m (1 - O_m I_m)`."""
    n_rules = or_weights.shape[1]
    for v in range(value.shape[0]):
        s = first_slot + v
        for r in range(n_rules):
            memberships[s, r] = F(1)
        for m in range(low[v], high[v]):
            i = value[v, m]
            for r in range(n_rules):
                memberships[s, r] *= F(1) - or_weights[first_weight + m, r] * i
        for r in range(n_rules):
            memberships[s, r] = F(1) - memberships[s, r]


@fast
def interval_backward(value, low, high, or_weights, first_weight, first_slot, g_memberships, g_or, g_value):
    """Gradients of `interval_memberships` for the OR weights and the interval values."""
    n_rules = or_weights.shape[1]
    others = np.empty(n_rules, F)
    for v in range(value.shape[0]):
        s = first_slot + v
        for m in range(low[v], high[v]):
            first = True
            for q in range(low[v], high[v]):
                if q == m:
                    continue
                i = value[v, q]
                if first:
                    for r in range(n_rules):
                        others[r] = F(1) - or_weights[first_weight + q, r] * i
                else:
                    for r in range(n_rules):
                        others[r] *= F(1) - or_weights[first_weight + q, r] * i
                first = False
            if first:
                others[:] = F(1)
            total, i = F(0), value[v, m]
            for r in range(n_rules):
                g = g_memberships[s, r] * others[r]
                g_or[first_weight + m, r] += g * i
                total += g * or_weights[first_weight + m, r]
            g_value[v, m] = total


@compiled
def dichotomy_backward(
    positions, boundaries, sharpness, first_dichotomy, turn, low, high, dichotomy, g_value, g_boundaries, g_sharpness
):
    """Gradients of `interval_values` for the boundaries and sharpnesses."""
    n = dichotomy.shape[1] - 1
    for v in range(dichotomy.shape[0]):
        padded = 1 if turn == F(0) else 0  # the first and the last dichotomy of a line are no parameters
        for m in range(max(low[v], padded), min(high[v], n - padded) + 1):
            s = dichotomy[v, m]
            g = F(0)
            if m < high[v]:  # s is the lower side of interval m ...
                g += g_value[v, m] * (F(1) - dichotomy[v, m + 1])
            if m > low[v]:  # ... and the upper side of interval m - 1
                g -= g_value[v, m - 1] * dichotomy[v, m - 1]
            d = first_dichotomy + (m % n if turn > F(0) else m - 1)
            g *= s * (F(1) - s)
            g_boundaries[d] -= g * sharpness[d]
            g_sharpness[d] += g * distance(positions[v], boundaries[d], turn)


@fast
def batch_gradients(
    codes, targets, row_weights, rows, slot_offsets, tables, rule_bias, output_weights, output_bias,
    g_tables, g_bias, g_output, g_output_bias, prefix, others,
):  # fmt: skip
    """Add the gradients of the weighted mean squared error of `rows`; return that error.

    One pass a row: `prefix[j]` is the product of the first j look-ups, the backward loop carries the product of the
    later ones, so nothing is divided by and zeros are exact.
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
                prefix[j + 1, r] = prefix[j, r] * tables[s, r]
        for k in range(n_outputs):
            none, least = F(1), F(1)
            for r in range(n_rules):
                f = F(1) - joint[k, r] * prefix[n_features, r]
                factor[r] = f
                none *= f
                least = min(least, f)
            if least > _TINY:
                for r in range(n_rules):
                    others[r] = none / factor[r]
            else:
                _products_of_others(factor, others)
            error = F(1) - (F(1) - output_bias[k]) * none - targets[n, k]
            share = row_weights[n] * scale
            loss += error * error * share
            g_output_bias[k] += F(2) * error * share * none
            g = F(2) * error * share * (F(1) - output_bias[k])
            for r in range(n_rules):
                h = g * others[r]
                g_rule[r] += h * joint[k, r]
                g_joint[k, r] += h * prefix[n_features, r]
        for r in range(n_rules):
            suffix[r] = g_rule[r]
        for j in range(n_features - 1, -1, -1):
            s = slot_offsets[j] + codes[n, j]
            for r in range(n_rules):
                g_tables[s, r] += suffix[r] * prefix[j, r]
                suffix[r] *= tables[s, r]
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
                active[r] *= tables[s, r]
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
                active[r] *= tables[s, r]
        for k in range(output_weights.shape[0]):
            none = F(1)
            for r in range(n_rules):
                none *= F(1) - active[r] * output_weights[k, r]
            error = F(1) - (F(1) - output_bias[k]) * none - targets[n, k]
            total += row_weights[n] * error * error
        mass += row_weights[n]
    return total / (mass * output_weights.shape[0])


@fast
def adam(weights, gradient, first, second, rate, step, low, high):
    """One step of Adam on flat arrays, then the weights are clamped to their domain."""
    correct_first = F(1) / (F(1) - F(0.9) ** F(step))
    correct_second = F(1) / (F(1) - F(0.999) ** F(step))
    for i in range(weights.size):
        g = gradient[i]
        first[i] = F(0.9) * first[i] + F(0.1) * g
        second[i] = F(0.999) * second[i] + F(0.001) * g * g
        move = rate * first[i] * correct_first / (np.sqrt(second[i] * correct_second) + F(1e-8))
        weights[i] = min(max(weights[i] - move, low), high)


@fast
def or_penalties(or_weights, weight_offsets, n_regular, non_empty, l1, gradient):
    """Add the gradients of the L1 and non-empty penalties of the modules' OR nodes; missing weights have none.

    Both are averaged: L1 over the weights, `(1 - sum w)^2` for nodes with a sum below 1 over the nodes.
    """
    n_rules, nodes, count = or_weights.shape[1], 0, 0
    for j in range(n_regular.shape[0]):
        count += n_regular[j] * n_rules
        nodes += n_rules if n_regular[j] > 0 else 0
    if nodes == 0:
        return
    sums = np.empty(n_rules, F)
    per_weight, per_node = F(l1 / count), F(non_empty / nodes)
    for j in range(n_regular.shape[0]):
        first, last = weight_offsets[j], weight_offsets[j] + n_regular[j]
        sums[:] = F(0)
        for i in range(first, last):
            for r in range(n_rules):
                sums[r] += or_weights[i, r]
        for i in range(first, last):
            for r in range(n_rules):
                gradient[i, r] += per_weight - F(2) * per_node * max(F(1) - sums[r], F(0))


@fast
def and_penalties(and_weights, non_empty, l1, gradient):
    """Add the gradients of the L1 and non-empty penalties of the rules' AND nodes."""
    n_features, n_rules = and_weights.shape
    per_weight, per_node = F(l1 / (n_features * n_rules)), F(non_empty / n_rules)
    for r in range(n_rules):
        total = F(0)
        for j in range(n_features):
            total += abs(and_weights[j, r])
        push = per_weight - F(2) * per_node * max(F(1) - total, F(0))
        for j in range(n_features):
            w = and_weights[j, r]
            if w > F(0):
                gradient[j, r] += push
            elif w < F(0):
                gradient[j, r] -= push
            elif push > F(0):  # at 0 a penalty only weakens the pull away from it
                g = gradient[j, r]
                gradient[j, r] = max(g - push, F(0)) if g > F(0) else min(g + push, F(0))


@fast
def output_penalties(output_weights, non_empty, l1, gradient):
    """Add the gradients of the L1 and non-empty penalties of the outputs' OR nodes."""
    n_outputs, n_rules = output_weights.shape
    for k in range(n_outputs):
        total = F(0)
        for r in range(n_rules):
            total += output_weights[k, r]
        push = F(l1 / (n_outputs * n_rules)) - F(2) * F(non_empty / n_outputs) * max(F(1) - total, F(0))
        for r in range(n_rules):
            gradient[k, r] += push


@compiled
def all_intervals(layout, weights, work):
    """Intervals of every ordered feature at the positions of its bins, within the bands."""
    for j in range(layout.kinds.shape[0]):
        if is_fuzzy(layout, j):
            n = layout.n_regular[j]
            first, last = layout.slot_offsets[j], layout.slot_offsets[j] + layout.n_bins[j]
            interval_values(
                layout.positions[first:last], weights.boundaries, weights.sharpness, layout.dichotomy_offsets[j],
                circle_length(layout, j), work.low[first:last], work.high[first:last],
                work.dichotomy[first:last, : n + 1], work.value[first:last, :n],
            )  # fmt: skip


@compiled
def all_bands(layout, weights, work, threshold):
    """Find the band of intervals that matter at each bin of every ordered feature: those above the threshold."""
    for j in range(layout.kinds.shape[0]):
        if is_fuzzy(layout, j):
            first, last = layout.slot_offsets[j], layout.slot_offsets[j] + layout.n_bins[j]
            work.low[first:last] = 0
            work.high[first:last] = layout.n_regular[j]
    all_intervals(layout, weights, work)
    for j in range(layout.kinds.shape[0]):
        if is_fuzzy(layout, j):
            n = layout.n_regular[j]
            first, last = layout.slot_offsets[j], layout.slot_offsets[j] + layout.n_bins[j]
            interval_bands(work.value[first:last, :n], threshold, work.low[first:last], work.high[first:last])


@compiled
def all_memberships(layout, weights, work):
    """Membership of every slot in every rule's module of its feature, then the look-up tables."""
    for j in range(layout.kinds.shape[0]):
        first, stop, weight = layout.slot_offsets[j], layout.slot_offsets[j + 1], layout.weight_offsets[j]
        if layout.kinds[j] == BINARY:
            work.memberships[first, :] = F(0)
            work.memberships[first + 1, :] = F(1)
        elif layout.kinds[j] == VALUES:
            work.memberships[first:stop] = weights.or_weights[weight : weight + stop - first]
        else:
            n = layout.n_regular[j]
            last = first + layout.n_bins[j]
            if layout.kinds[j] == PROBABILITY:  # the value itself
                for s in range(first, last):
                    work.memberships[s, :] = layout.positions[s]
            else:
                interval_memberships(
                    work.value[first:last, :n], work.low[first:last], work.high[first:last],
                    weights.or_weights, weight, first, work.memberships,
                )  # fmt: skip
            if last < stop:  # the missing slot has a weight of its own
                work.memberships[last] = weights.or_weights[weight + n]
    rule_tables(work.memberships, weights.and_weights, layout.slot_offsets, work.tables)


@compiled
def all_memberships_backward(layout, weights, work, gradient):
    """From the gradients of the tables to those of the AND weights, OR weights, boundaries and sharpnesses."""
    rule_tables_backward(
        work.memberships, weights.and_weights, layout.slot_offsets, work.g_tables, work.g_memberships,
        gradient.and_weights,
    )  # fmt: skip
    for j in range(layout.kinds.shape[0]):
        first, stop, weight = layout.slot_offsets[j], layout.slot_offsets[j + 1], layout.weight_offsets[j]
        if layout.kinds[j] == VALUES:
            gradient.or_weights[weight : weight + stop - first] = work.g_memberships[first:stop]
        elif layout.kinds[j] != BINARY:
            n, dichotomy = layout.n_regular[j], layout.dichotomy_offsets[j]
            last = first + layout.n_bins[j]
            if is_fuzzy(layout, j):
                gradient.or_weights[weight : weight + n] = F(0)
                interval_backward(
                    work.value[first:last, :n], work.low[first:last], work.high[first:last], weights.or_weights,
                    weight, first, work.g_memberships, gradient.or_weights, work.g_value[first:last, :n],
                )  # fmt: skip
                dichotomy_backward(
                    layout.positions[first:last], weights.boundaries, weights.sharpness, dichotomy,
                    circle_length(layout, j), work.low[first:last], work.high[first:last],
                    work.dichotomy[first:last, : n + 1], work.g_value[first:last, :n],
                    gradient.boundaries, gradient.sharpness,
                )  # fmt: skip
            if last < stop:
                gradient.or_weights[weight + n] = work.g_memberships[last]


@compiled
def loss_and_gradients(layout, data, rows, weights, work, gradient):
    """Mean squared error of `rows` and its gradients for all weights (written, not added)."""
    all_intervals(layout, weights, work)
    all_memberships(layout, weights, work)
    work.g_tables[:] = F(0)
    gradient.rule_bias[:] = F(0)
    gradient.output_weights[:] = F(0)
    gradient.output_bias[:] = F(0)
    gradient.boundaries[:] = F(0)
    gradient.sharpness[:] = F(0)
    loss = batch_gradients(
        data.codes, data.targets, data.weights, rows, layout.slot_offsets, work.tables, weights.rule_bias,
        weights.output_weights, weights.output_bias, work.g_tables, gradient.rule_bias, gradient.output_weights,
        gradient.output_bias, work.prefix, work.others,
    )  # fmt: skip
    all_memberships_backward(layout, weights, work, gradient)
    return loss


@compiled
def run_epoch(layout, data, order, batch_size, weights, gradient, first, second, work, step, rate, non_empty, l1, low):
    """All mini-batches of one epoch: gradients, penalties, Adam, clamping. Returns the mean loss and the step count."""
    all_bands(layout, weights, work, BAND)
    total = 0.0
    for start in range(0, order.shape[0], batch_size):
        rows = order[start : start + batch_size]
        total += loss_and_gradients(layout, data, rows, weights, work, gradient) * rows.shape[0]
        or_penalties(weights.or_weights, layout.weight_offsets, layout.n_regular, non_empty, l1, gradient.or_weights)
        and_penalties(weights.and_weights, non_empty, l1, gradient.and_weights)
        output_penalties(weights.output_weights, non_empty, l1, gradient.output_weights)
        step += 1
        _adam_all(weights, gradient, first, second, rate, step, low)
    return total / order.shape[0], step


@compiled
def _adam_all(weights, gradient, first, second, rate, step, low):
    one, far = F(1), F(1e6)
    adam(weights.and_weights.ravel(), gradient.and_weights.ravel(), first.and_weights.ravel(),
         second.and_weights.ravel(), rate, step, low, one)  # fmt: skip
    adam(weights.or_weights.ravel(), gradient.or_weights.ravel(), first.or_weights.ravel(),
         second.or_weights.ravel(), rate, step, F(0), one)  # fmt: skip
    adam(weights.rule_bias, gradient.rule_bias, first.rule_bias, second.rule_bias, rate, step, F(0), one)
    adam(weights.output_weights.ravel(), gradient.output_weights.ravel(), first.output_weights.ravel(),
         second.output_weights.ravel(), rate, step, F(0), one)  # fmt: skip
    adam(weights.output_bias, gradient.output_bias, first.output_bias, second.output_bias, rate, step, F(0), one)
    adam(weights.boundaries, gradient.boundaries, first.boundaries, second.boundaries, rate, step, -far, far)
    adam(weights.sharpness, gradient.sharpness, first.sharpness, second.sharpness, rate, step, F(0.1), far)
