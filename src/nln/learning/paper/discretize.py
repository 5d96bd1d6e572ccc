"""Weights of a trained network become -1, 0 or 1: the paper's discretizers, decided in closed form.

Layers are taken in the paper's order: the output weights, the rules' AND weights, then one feature's OR weights at a
time, categories before ordered features, and after the OR weights of an ordered feature the AND weights of its
intervals, if they were trained. Between layers, rules that no output uses any more are dropped, and modules
of features that a rule does not ask about get weights of 0. Missing weights stay probabilities. The loss is the squared
error over all rows given. Differences below `NetworkState.tolerance` are ties.

threshold
    A weight becomes its sign if its size is at least 0.5, else 0.
descending, ascending
    From the soft layer, weights are visited from the largest (smallest) size: a weight becomes its sign if that gives a
    smaller loss than 0 does, else 0; the weights not visited yet stay soft. A tie gives 0.
subtractive
    All weights become their signs at once; then, from the smallest, a weight becomes 0 unless the loss gets larger.
additive
    All weights become 0 at once; then, from the largest, a weight becomes its sign unless the loss gets larger.
stochastic
    Node by node, weight vectors are drawn, each weight its sign with the probability of its size; the first vector with
    the smallest loss stays.
quantile
    Node by node, weights are cut at each of their sizes in turn; the first cut with the smallest loss stays.

Weights of 0 are never visited. Weights of equal size are visited by node, and within a node by input (binary features,
categories, ordered features). The tests compare every decision with an evaluation of the whole network.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from nln.learning.paper.decisions import DecisionLayer, ModuleLayer, OutputLayer, RuleLayer
from nln.learning.paper.interval_layer import IntervalLayer
from nln.learning.paper.network_state import NetworkState
from nln.network.kernels.modules import ORDERED, VALUES
from nln.tables.encoding import Floats

THRESHOLD = 0.5
DRAWS_PER_INPUT = 2
"""Weight vectors that "stochastic" draws for a node, per input."""


def discretize(state: NetworkState, method: str, rng: np.random.Generator) -> NetworkState:
    """Discretize all layers of a trained network, which is changed; return the state of the rules that are left."""
    if method not in DISCRETIZERS:
        raise ValueError(f"A network can be discretized by {', '.join(DISCRETIZERS)}; not by {method!r}.")
    run = DISCRETIZERS[method]
    run(OutputLayer(state), state.tolerance, rng)
    state = drop_unused(state)
    run(RuleLayer(state), state.tolerance, rng)
    for kind in (VALUES, ORDERED):
        for j in np.flatnonzero(state.layout.kinds == kind).tolist():
            layer = ModuleLayer(state, j)
            state.weights.or_weights[layer.part, state.weights.and_weights[j] == 0] = 0.0  # modules not asked for
            run(layer, state.tolerance, rng)
            if kind == ORDERED and state.has_shared_intervals:
                run(IntervalLayer(state, j), state.tolerance, rng)
                state.refresh()
    return drop_unused(state)


def drop_unused(state: NetworkState) -> NetworkState:
    """Leave out rules that no output uses, that have a probability of 0, or whose table is 0 everywhere."""
    used = (state.weights.output_weights != 0).any(axis=0) & (state.weights.rule_bias > 0)
    for j in range(len(state.layout.kinds)):
        used &= (state.tables[:, state.slots(j)] > 0).any(axis=1)
    return state if used.all() else state.keep_rules(used)


def _threshold(layer: DecisionLayer, tolerance: float, rng: np.random.Generator) -> None:
    values = layer.values()
    layer.put_all(np.where(np.abs(values) >= THRESHOLD, np.sign(values), 0.0))


def _select(layer: DecisionLayer, tolerance: float, rng: np.random.Generator, *, descending: bool) -> None:
    values = layer.values()
    for node, column in _visits(values, descending=descending):
        sign = float(np.sign(values[node, column]))
        is_better = layer.difference(node, column, sign) < -tolerance
        layer.put(node, column, sign if is_better else 0.0)


def _subtractive(layer: DecisionLayer, tolerance: float, rng: np.random.Generator) -> None:
    values = layer.values()
    signs = np.sign(values)
    layer.put_all(signs)
    for node, column in _visits(values, descending=False):
        if layer.difference(node, column, float(signs[node, column])) >= -tolerance:
            layer.put(node, column, 0.0)


def _additive(layer: DecisionLayer, tolerance: float, rng: np.random.Generator) -> None:
    values = layer.values()
    layer.put_all(np.zeros_like(values))
    for node, column in _visits(values, descending=True):
        sign = float(np.sign(values[node, column]))
        if layer.difference(node, column, sign) <= tolerance:
            layer.put(node, column, sign)


def _visits(values: Floats, *, descending: bool) -> list[tuple[int, int]]:
    """Nodes and inputs of the weights other than 0 in the order of their size; equal ones row by row."""
    sizes = np.abs(values).ravel()
    order = np.argsort(-sizes if descending else sizes, kind="stable")
    return [(int(x) // values.shape[1], int(x) % values.shape[1]) for x in order if sizes[x] > 0]


def _stochastic(layer: DecisionLayer, tolerance: float, rng: np.random.Generator) -> None:
    def draw(vector: Floats) -> Floats:
        drawn = rng.random((DRAWS_PER_INPUT * len(vector), len(vector))) < np.abs(vector)
        vectors = np.where(drawn, np.sign(vector), 0.0)
        _, first = np.unique(vectors, axis=0, return_index=True)
        return np.asarray(vectors[np.sort(first)])

    _best_of_nodes(layer, tolerance, draw)


def _quantile(layer: DecisionLayer, tolerance: float, rng: np.random.Generator) -> None:
    def cut(vector: Floats) -> Floats:
        sizes = np.unique(np.abs(vector)[vector != 0])
        return np.where(np.abs(vector) >= sizes[:, None], np.sign(vector), 0.0)

    _best_of_nodes(layer, tolerance, cut)


def _best_of_nodes(layer: DecisionLayer, tolerance: float, candidates: Callable[[Floats], Floats]) -> None:
    values = layer.values()
    for node, vector in enumerate(values):
        if not vector.any():
            continue
        vectors = candidates(vector)
        errors = layer.node_errors(node, vectors)
        best = vectors[np.flatnonzero(errors <= errors.min() + tolerance)[0]]
        for column in np.flatnonzero(best != vector):
            layer.put(node, int(column), float(best[column]))


Discretizer = Callable[[DecisionLayer, float, np.random.Generator], None]

DISCRETIZERS: dict[str, Discretizer] = {
    "threshold": _threshold,
    "descending": partial(_select, descending=True),
    "ascending": partial(_select, descending=False),
    "subtractive": _subtractive,
    "additive": _additive,
    "stochastic": _stochastic,
    "quantile": _quantile,
}
"""The paper's discretizers by name; each works on one layer."""
