"""Pruning: a weight is removed if the loss does not get larger, pass after pass until nothing changes.

The order is that of the paper: the output weights, the rules' AND weights, then the modules feature by feature, each
node by node and input by input; changes below `NetworkState.tolerance` count as "does not get larger". In the module of
an ordered feature, first intervals are removed, then boundaries of the intervals that are left. A boundary that two
neighbouring intervals share is removed by joining them; one at a gap by opening the interval to that side, which takes
in the intervals beyond it. In the paper's network all rules share the intervals; here each rule has its own.

A rule that asks nothing holds always. It is folded into the biases of its outputs at the end of each pass, so that the
pass may first decide that it is not needed at all.
"""

from __future__ import annotations

import numpy as np

from nln.learning.paper.decisions import DecisionLayer, ModuleLayer, OutputLayer, RuleLayer, table_error
from nln.learning.paper.discretize import drop_unused
from nln.learning.paper.network_state import NetworkState
from nln.network.kernels.modules import ORDERED, VALUES
from nln.network.layout import Integers
from nln.tables.encoding import Floats

Intervals = list[tuple[int, int]]
"""Lower and upper dichotomy of each interval, lowest first."""


def prune(state: NetworkState) -> NetworkState:
    """Prune a discretized network, which is changed, to a fixed point; return the state of the rules that are left."""
    changed = True
    while changed:
        changed = _prune_layer(OutputLayer(state), state.tolerance)
        state = drop_unused(state)
        changed |= _prune_layer(RuleLayer(state), state.tolerance)
        for kind in (VALUES, ORDERED):
            for j in np.flatnonzero(state.layout.kinds == kind):
                changed |= _prune_module(state, int(j))
        state = drop_unused(state)
        n_rules = state.n_rules
        state = fold_certain(state)
        changed |= state.n_rules < n_rules
    return state


def fold_certain(state: NetworkState) -> NetworkState:
    """Fold rules that ask nothing into the biases of their outputs: they hold always."""
    asks = (state.tables != 1.0).any(axis=1)
    if asks.all():
        return state
    w = state.weights
    none = np.prod(1.0 - w.output_weights[:, ~asks] * w.rule_bias[~asks], axis=1)
    w.output_bias[:] = 1.0 - (1.0 - w.output_bias) * none
    return state.keep_rules(asks)


def _prune_layer(layer: DecisionLayer, tolerance: float) -> bool:
    changed, values = False, layer.values()
    for node, column in zip(*np.nonzero(values), strict=True):
        if layer.difference(int(node), int(column), float(values[node, column])) >= -tolerance:
            layer.put(int(node), int(column), 0.0)
            changed = True
    return changed


def _prune_module(state: NetworkState, j: int) -> bool:
    changed = _prune_layer(ModuleLayer(state, j), state.tolerance)
    if state.layout.kinds[j] == ORDERED:
        for i in np.flatnonzero(state.weights.and_weights[j]):
            changed |= _prune_boundaries(state, int(i), j)
    return changed


def _prune_boundaries(state: NetworkState, i: int, j: int) -> bool:
    changed, place = False, 0
    intervals = rule_intervals(state, i, j)
    while place < 2 * len(intervals):
        fewer = without_boundary(intervals, place, int(state.layout.n_regular[j]))
        if fewer is not None and _try_intervals(state, i, j, fewer):
            intervals, changed = fewer, True
            place = 0  # what lies below may have changed
        else:
            place += 1
    return changed


def rule_intervals(state: NetworkState, i: int, j: int) -> Intervals:
    """Return the intervals that a rule's module of an ordered feature accepts, lowest first."""
    part = state.or_weights(j)
    used = np.flatnonzero(state.weights.or_weights[part, i])
    lower, upper = state.ends.lower[part, i][used], state.ends.upper[part, i][used]
    return sorted(zip(lower.tolist(), upper.tolist(), strict=True))


def without_boundary(intervals: Intervals, place: int, n_intervals: int) -> Intervals | None:
    """Intervals without one of their ends, counted from the lowest; None if that end is open.

    The end that two neighbours share is counted as the lower end of the upper one.
    """
    at, (low, high) = place // 2, intervals[place // 2]
    below, above = intervals[:at], intervals[at + 1 :]
    if place % 2 == 0:
        if low == 0:
            return None
        touches = bool(below) and below[-1][1] == low
        return [*below[:-1], (below[-1][0], high), *above] if touches else [(0, high), *above]
    if high == n_intervals or (above and above[0][0] == high):
        return None
    return [*below, (low, n_intervals)]


def _try_intervals(state: NetworkState, i: int, j: int, intervals: Intervals) -> bool:
    """Put other intervals into a rule's module unless the loss gets larger."""
    s1, s2 = state.sums(i, j)
    old, before = state.table(i, j), [column.copy() for column in _weights_and_ends(state, i, j)]
    put_intervals(state, i, j, intervals)
    new = state.table(i, j)
    if table_error(s1, s2, new) - table_error(s1, s2, old) <= state.tolerance:
        state.put_table(i, j)
        return True
    for column, values in zip(_weights_and_ends(state, i, j), before, strict=True):
        column[:] = values
    return False


def put_intervals(state: NetworkState, i: int, j: int, intervals: Intervals) -> None:
    """Write intervals into a rule's weights and interval ends; the tables follow with `NetworkState.put_table`."""
    part = state.or_weights(j)
    columns = np.zeros((3, part.stop - part.start), np.int64)
    for m, ends in enumerate(intervals):
        columns[:, m] = 1, *ends
    for column, values in zip(_weights_and_ends(state, i, j), columns, strict=True):
        column[:] = values


def _weights_and_ends(state: NetworkState, i: int, j: int) -> tuple[Floats, Integers, Integers]:
    """Views of a module's weights, and of the lower and upper ends of its intervals."""
    part = state.or_weights(j)
    return state.weights.or_weights[part, i], state.ends.lower[part, i], state.ends.upper[part, i]
