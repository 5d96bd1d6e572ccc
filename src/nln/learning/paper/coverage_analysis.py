"""Coverage analysis: biases from what rules and outputs cover, and removal of rules included in others.

With r_i the rule without its bias, and w the rows' weights, rules first:

    a_ik = sum_(y_k = 1) w r_i / sum w r_i

Each output gets its own copy of a rule, since its bias is the share of *its* rows among those covered. A rule i is
included in a rule j of the same output if  sum w min(sqrt(r_i r_j), r_i) / sum w r_i = 1.  It is removed if a_i < a_j,
and also if a_i = a_j, unless j is included in i as well and comes later, so that one of two equal rules stays. Then the
outputs follow, with P_k the output without its bias:

    o_k = sum_(y_k = 1) w (1 - P_k) / sum w (1 - P_k)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nln.learning.paper.network_state import NetworkState
from nln.network.layout import Integers
from nln.tables.encoding import Floats

_SAME = 1e-9
"""An inclusion this close to 1 counts as 1: the rest is rounding."""


@dataclass(frozen=True)
class Covered:
    """Rules after the coverage analysis: each concludes one output."""

    rule: Integers  # the network's rule, of each copy
    output: Integers  # the output that each copy concludes
    bias: Floats  # probability a of each copy
    output_bias: Floats  # (outputs,) probability o of each output


def unadjusted(state: NetworkState) -> Covered:
    """Return a copy of each rule for each output it feeds, with the biases of the network."""
    output, rule = np.nonzero(state.weights.output_weights)
    return Covered(rule, output, state.weights.rule_bias[rule], state.weights.output_bias.copy())


def cover(state: NetworkState, *, adjust: bool = True) -> Covered:
    """Adjust the biases of a discretized network, unless they are to stay, and leave out included rules."""
    found, weights = unadjusted(state), state.row_weights
    covered = state.activations @ weights
    fires = covered[found.rule] > 0
    rule, output, bias = found.rule[fires], found.output[fires], found.bias[fires]
    if adjust:
        hits = state.activations @ (state.targets * weights).T  # (rules, outputs)
        bias = np.clip(hits[rule, output] / covered[rule], 0.0, 1.0)
        speaks = bias > 0  # a rule that covers no row of its output says nothing
        rule, output, bias = rule[speaks], output[speaks], bias[speaks]
    kept = np.array([not _is_included(x, state, rule, output, bias) for x in range(len(rule))], bool)
    rule, output, bias = rule[kept], output[kept], bias[kept]
    output_bias = found.output_bias
    if adjust:
        for k in range(len(output_bias)):
            own = output == k
            none = np.prod(1.0 - bias[own, None] * state.activations[rule[own]], axis=0)
            rest = weights @ none
            output_bias[k] = min(weights @ (none * state.targets[k]) / rest, 1.0) if rest > 0 else 0.0
    return Covered(rule, output, bias, output_bias)


def _is_included(x: int, state: NetworkState, rule: Integers, output: Integers, bias: Floats) -> bool:
    others = np.flatnonzero((output == output[x]) & (bias >= bias[x]))
    for y in others[others != x]:
        if inclusion(state, rule[x], rule[y]) >= 1.0 - _SAME and (
            bias[x] < bias[y] or y < x or inclusion(state, rule[y], rule[x]) < 1.0 - _SAME
        ):
            return True
    return False


def inclusion(state: NetworkState, i: int, j: int) -> float:
    """Share of what rule i covers that rule j covers as well: 1 if j holds wherever i does."""
    r, s, w = state.activations[i], state.activations[j], state.row_weights
    return float((w @ np.minimum(np.sqrt(r * s), r)) / (w @ r))
