"""Steps of training: Adam, the penalties, and which weights may move. Compiled with Numba."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nln.compiled import compiled, fast
from nln.network.kernels.modules import BINARY, ORDERED, F

_NOTHING, _NO_MOMENT, _EPSILON = F(1e-18), F(1e-30), F(1e-8)
_LEAST_SHARPNESS = F(1e-5)
"""Least sharpness in units of the feature, as in the authors' code."""


class Steps(NamedTuple):
    """How one step changes the weights.

    Penalties are averaged over a layer. All modules' OR nodes are one layer, unless `by_module`: then each feature's
    module is a layer of its own, the AND weights of binary features and of modules are two, and the non-empty penalty
    is averaged over the nodes that fall short alone, as in the authors' code.
    """

    rate: np.float32
    non_empty: float
    l1: float
    low: np.float32  # lowest AND weight: -1, or 0 without negation
    by_module: bool = False
    nodes: bool = True  # whether AND, OR and output weights move
    missing: bool = True  # whether the missing weights move
    biases: bool = True
    dichotomies: bool = True  # whether boundaries and sharpnesses move
    feature_units: bool = False  # whether they move in units of their feature, not in widths of an interval


@fast
def adam(weights, gradient, first, second, rate, step, low, high, epsilon):
    """One step of Adam, then the weights are clamped to their domain."""
    weights, gradient, first, second = weights.ravel(), gradient.ravel(), first.ravel(), second.ravel()
    correct_first = F(1) / (F(1) - F(0.9) ** F(step))
    correct_second = F(1) / (F(1) - F(0.999) ** F(step))
    for i in range(weights.size):
        g = gradient[i] if abs(gradient[i]) > _NOTHING else F(0)
        m, v = F(0.9) * first[i] + F(0.1) * g, F(0.999) * second[i] + F(0.001) * g * g
        first[i] = m if abs(m) > _NO_MOMENT else F(0)  # moments that fade away would become denormal numbers
        second[i] = v if v > _NO_MOMENT else F(0)
        move = rate * first[i] * correct_first / (np.sqrt(second[i] * correct_second) + epsilon)
        weights[i] = min(max(weights[i] - move, low), high)


@fast
def or_penalties(or_weights, weight_offsets, n_regular, non_empty, l1, by_module, gradient):
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
        if by_module and last > first:
            per_weight, per_node = F(l1 / (n_regular[j] * n_rules)), F(non_empty / _count_short(sums))
        for i in range(first, last):
            for r in range(n_rules):
                gradient[i, r] += per_weight - F(2) * per_node * max(F(1) - sums[r], F(0))


@compiled
def _count_short(sums):
    """Nodes whose weights sum to less than 1; at least 1, to divide by."""
    count = 0
    for total in sums:
        if total < F(1):
            count += 1
    return max(count, 1)


@fast
def pushed(w, g, push):
    """Gradient g of a weight and that of a penalty on its size, which at 0 only weakens the pull away from it."""
    if w > F(0):
        return g + push
    if w < F(0):
        return g - push
    if push > F(0):
        return max(g - push, F(0)) if g > F(0) else min(g + push, F(0))
    return g


@fast
def and_penalties(and_weights, kinds, non_empty, l1, by_module, gradient):
    """Add the gradients of the L1 and non-empty penalties of the rules' AND nodes."""
    n_features, n_rules = and_weights.shape
    sums, n_binary = np.zeros(n_rules, F), 0
    for j in range(n_features):
        n_binary += 1 if kinds[j] == BINARY else 0
        for r in range(n_rules):
            sums[r] += abs(and_weights[j, r])
    per_node = F(non_empty / (_count_short(sums) if by_module else n_rules))
    for j in range(n_features):
        same = n_binary if kinds[j] == BINARY else n_features - n_binary
        per_weight = F(l1 / ((same if by_module else n_features) * n_rules))
        for r in range(n_rules):
            push = per_weight - F(2) * per_node * max(F(1) - sums[r], F(0))
            gradient[j, r] = pushed(and_weights[j, r], gradient[j, r], push)


@fast
def output_penalties(output_weights, non_empty, l1, by_module, gradient):
    """Add the gradients of the L1 and non-empty penalties of the outputs' OR nodes."""
    n_outputs, n_rules = output_weights.shape
    sums = np.zeros(n_outputs, F)
    for k in range(n_outputs):
        for r in range(n_rules):
            sums[k] += output_weights[k, r]
    nodes = _count_short(sums) if by_module else n_outputs
    for k in range(n_outputs):
        push = F(l1 / (n_outputs * n_rules)) - F(2) * F(non_empty / nodes) * max(F(1) - sums[k], F(0))
        for r in range(n_rules):
            gradient[k, r] += push


@fast
def interval_penalties(weights, layout, non_empty, l1, by_module, gradient):
    """Add the gradients of the L1 and non-empty penalties of the intervals' AND nodes.

    `weights` is (dichotomies, OR weights). All intervals are one layer, unless `by_module`: then those of each feature.
    """
    nodes, count = 0, 0
    for j in range(layout.kinds.shape[0]):
        if layout.kinds[j] == ORDERED:
            nodes += layout.n_regular[j]
            count += layout.n_regular[j] * (layout.n_regular[j] - 1)
    for j in range(layout.kinds.shape[0]):
        n, first = layout.n_regular[j], layout.weight_offsets[j]
        if layout.kinds[j] != ORDERED or n < 2:
            continue
        sums = np.zeros(n, F)
        for d in range(n - 1):
            for m in range(n):
                sums[m] += abs(weights[d, first + m])
        per_weight = F(l1 / (n * (n - 1) if by_module else count))
        per_node = F(non_empty / (_count_short(sums) if by_module else nodes))
        for d in range(n - 1):
            for m in range(n):
                push = per_weight - F(2) * per_node * max(F(1) - sums[m], F(0))
                gradient[d, first + m] = pushed(weights[d, first + m], gradient[d, first + m], push)


@compiled
def adam_all(layout, weights, gradient, first, second, step, steps):
    """One step of Adam on all weights that may move, each clamped to its domain."""
    one, rate, eps = F(1), steps.rate, _EPSILON
    if steps.nodes:
        adam(weights.and_weights, gradient.and_weights, first.and_weights, second.and_weights, rate, step, steps.low,
             one, eps)  # fmt: skip
        adam(weights.output_weights, gradient.output_weights, first.output_weights, second.output_weights, rate, step,
             F(0), one, eps)  # fmt: skip
        adam(weights.interval_weights, gradient.interval_weights, first.interval_weights, second.interval_weights, rate,
             step, -one, one, eps)  # fmt: skip
    else:
        for j in range(layout.kinds.shape[0]):
            start = layout.weight_offsets[j]
            gradient.or_weights[start : start + layout.n_regular[j]] = F(0)
    if steps.nodes or steps.missing:
        adam(weights.or_weights, gradient.or_weights, first.or_weights, second.or_weights, rate, step, F(0), one, eps)
    if steps.biases:
        adam(weights.rule_bias, gradient.rule_bias, first.rule_bias, second.rule_bias, rate, step, F(0), one, eps)
        adam(weights.output_bias, gradient.output_bias, first.output_bias, second.output_bias, rate, step, F(0), one,
             eps)  # fmt: skip
    if steps.dichotomies:
        _move_dichotomies(layout, weights, gradient, first, second, step, steps)


@compiled
def _move_dichotomies(layout, weights, gradient, first, second, step, steps):
    """One step of Adam on boundaries and sharpnesses.

    With x = c + unit u, a step in units of the feature moves B_u by its unit-th part, and alpha_u = unit alpha_x by
    `unit` times as much; Adam's epsilon is in units of the gradient, which scales the other way round.
    """
    far, rate = F(1e6), steps.rate
    if not steps.feature_units:
        adam(weights.boundaries, gradient.boundaries, first.boundaries, second.boundaries, rate, step, -far, far,
             _EPSILON)  # fmt: skip
        adam(weights.sharpness, gradient.sharpness, first.sharpness, second.sharpness, rate, step, F(0.1), far,
             _EPSILON)  # fmt: skip
        return
    for j in range(layout.kinds.shape[0]):
        a, b, unit = layout.dichotomy_offsets[j], layout.dichotomy_offsets[j + 1], layout.units[j]
        adam(weights.boundaries[a:b], gradient.boundaries[a:b], first.boundaries[a:b], second.boundaries[a:b],
             rate / unit, step, -far, far, _EPSILON * unit)  # fmt: skip
        adam(weights.sharpness[a:b], gradient.sharpness[a:b], first.sharpness[a:b], second.sharpness[a:b],
             rate * unit, step, _LEAST_SHARPNESS * unit, far, _EPSILON / unit)  # fmt: skip
