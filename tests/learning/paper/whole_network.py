"""Decisions about a network's weights by brute force: the whole network is evaluated anew for every question."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nln.learning.paper.interval_ends import IntervalEnds, elementary_ends
from nln.learning.paper.network_state import NetworkState
from nln.network.kernels.modules import ORDERED, VALUES
from nln.network.layout import Layout, TrainingRows, Weights
from nln.network.theory import and_node, fuzzy_dichotomy, interval_nodes, or_node

Index = tuple[str, tuple[int, int]]
"""Name of a weight array and a place in it."""


def error_of(state: NetworkState) -> float:
    """Weighted squared error of a state over rows and outputs."""
    return float((state.row_weights * (state.outputs() - state.targets) ** 2).sum())


class WholeNetwork:
    """A network in plain NumPy that can be asked for its squared error."""

    def __init__(self, layout: Layout, weights: Weights, rows: TrainingRows, ends: IntervalEnds | None = None):
        self.layout, self.rows = layout, rows
        self.weights = Weights(*(w.astype(np.float64) for w in weights))
        self.ends = ends or elementary_ends(layout, len(weights.rule_bias))
        self.shares_intervals = ends is None and weights.interval_weights.size > 0

    @property
    def tolerance(self) -> float:
        return 1e-10 * float(self.rows.weights.astype(np.float64).sum())

    def module(self, j: int) -> np.ndarray:
        """What feature j hands to each rule, (rules, rows)."""
        layout, w, code = self.layout, self.weights, self.rows.codes[:, j].astype(int)
        first, n = layout.weight_offsets[j], layout.n_regular[j]
        n_rules = len(w.rule_bias)
        if n == 0:
            return np.repeat(code[None].astype(float), n_rules, axis=0)
        if layout.kinds[j] == VALUES:
            inputs = np.array([(code == v).astype(float) for v in range(n)])
            out = np.array([or_node(inputs, w.or_weights[first : first + n, i]) for i in range(n_rules)])
            missing_code = n
        else:
            out = np.array([or_node(self.intervals(j, i), w.or_weights[first : first + n, i]) for i in range(n_rules)])
            missing_code = layout.n_bins[j]
        if layout.weight_offsets[j + 1] > first + n:
            is_missing = code == missing_code
            out[:, is_missing] = w.or_weights[first + n][:, None]
        return out

    def intervals(self, j: int, i: int) -> np.ndarray:
        """Fuzzy intervals of feature j in rule i, (intervals, rows)."""
        layout, w = self.layout, self.weights
        part = slice(layout.dichotomy_offsets[j], layout.dichotomy_offsets[j + 1])
        x = layout.positions[layout.slot_offsets[j] + self.rows.codes[:, j].astype(int)].astype(float)
        if self.shares_intervals:
            first, n = layout.weight_offsets[j], layout.n_regular[j]
            learned = w.interval_weights[: n - 1, first : first + n]
            return np.array(interval_nodes(x, w.boundaries[part], w.sharpness[part], learned))
        above = [np.ones_like(x)]
        above += [fuzzy_dichotomy(x, b, s) for b, s in zip(w.boundaries[part], w.sharpness[part], strict=True)]
        above += [np.zeros_like(x)]
        weights = range(layout.weight_offsets[j], layout.weight_offsets[j] + layout.n_regular[j])
        return np.array(
            [and_node([above[self.ends.lower[m, i]], above[self.ends.upper[m, i]]], [1.0, -1.0]) for m in weights]
        )

    def activations(self) -> np.ndarray:
        """Rules without biases, (rules, rows)."""
        if len(self.weights.rule_bias) == 0:
            return np.empty((0, len(self.rows.weights)))
        modules = [self.module(j) for j in range(len(self.layout.kinds))]
        return and_node(modules, self.weights.and_weights[:, :, None])

    def outputs(self) -> np.ndarray:
        w = self.weights
        rules = self.activations() * w.rule_bias[:, None]
        outputs = [or_node(rules, o, bias) for o, bias in zip(w.output_weights, w.output_bias, strict=True)]
        return np.array([np.broadcast_to(output, len(self.rows.weights)) for output in outputs])

    def error(self) -> float:
        miss = self.outputs() - self.rows.targets.T.astype(float)
        return float((self.rows.weights.astype(float) * miss**2).sum())

    def error_with(self, index: Index, value: float) -> float:
        name, place = index
        array = getattr(self.weights, name)
        before, array[place] = array[place], value
        error = self.error()
        array[place] = before
        return error

    def put(self, index: Index, value: float) -> None:
        getattr(self.weights, index[0])[index[1]] = value

    def get(self, index: Index) -> float:
        return float(getattr(self.weights, index[0])[index[1]])

    def drop_unused(self) -> WholeNetwork:
        """Without rules that no output uses, that have a probability of 0 or that no value can satisfy."""
        w = self.weights
        used = (w.output_weights != 0).any(axis=0) & (w.rule_bias > 0)
        ends = None if self.shares_intervals else self.ends
        tables = NetworkState(self.layout, w, self.rows, ends).tables
        for j in range(len(self.layout.kinds)):
            used &= tables[:, self.layout.slot_offsets[j] : self.layout.slot_offsets[j + 1]].any(axis=1)
        parts = {
            name: getattr(w, name)[..., used] for name in ("and_weights", "or_weights", "rule_bias", "output_weights")
        }
        spans = None if ends is None else IntervalEnds(ends.lower[:, used], ends.upper[:, used])
        return WholeNetwork(self.layout, w._replace(**parts), self.rows, spans)

    def output_layer(self) -> list[list[Index]]:
        n_outputs, n_rules = self.weights.output_weights.shape
        return [[("output_weights", (k, i)) for i in range(n_rules)] for k in range(n_outputs)]

    def rule_layer(self) -> list[list[Index]]:
        features = sorted(range(len(self.layout.kinds)), key=lambda j: self.layout.kinds[j])
        return [[("and_weights", (j, i)) for j in features] for i in range(len(self.weights.rule_bias))]

    def module_layer(self, j: int) -> list[list[Index]]:
        first, n = int(self.layout.weight_offsets[j]), int(self.layout.n_regular[j])
        return [[("or_weights", (first + m, i)) for m in range(n)] for i in range(len(self.weights.rule_bias))]

    def interval_layer(self, j: int) -> list[list[Index]]:
        first, n = int(self.layout.weight_offsets[j]), int(self.layout.n_regular[j])
        return [[("interval_weights", (d, first + m)) for d in range(n - 1)] for m in range(n)]

    def module_features(self) -> Iterator[int]:
        for kind in (VALUES, ORDERED):
            yield from (int(j) for j in np.flatnonzero(self.layout.kinds == kind))


def by_size(network: WholeNetwork, layer: list[list[Index]], descending: bool) -> list[Index]:
    visits = [index for node in layer for index in node if network.get(index) != 0]
    return sorted(visits, key=lambda index: abs(network.get(index)), reverse=descending)


def select(network: WholeNetwork, layer: list[list[Index]], descending: bool) -> None:
    for index in by_size(network, layer, descending):
        sign = np.sign(network.get(index))
        better = network.error_with(index, sign) < network.error_with(index, 0.0) - network.tolerance
        network.put(index, sign if better else 0.0)


def subtract(network: WholeNetwork, layer: list[list[Index]]) -> None:
    visits = by_size(network, layer, descending=False)
    for index in visits:
        network.put(index, np.sign(network.get(index)))
    for index in visits:
        if network.error_with(index, 0.0) <= network.error() + network.tolerance:
            network.put(index, 0.0)


def add(network: WholeNetwork, layer: list[list[Index]]) -> None:
    visits = by_size(network, layer, descending=True)
    signs = [np.sign(network.get(index)) for index in visits]
    for index in visits:
        network.put(index, 0.0)
    for index, sign in zip(visits, signs, strict=True):
        if network.error_with(index, sign) <= network.error() + network.tolerance:
            network.put(index, sign)


def threshold(network: WholeNetwork, layer: list[list[Index]]) -> None:
    for index in (index for node in layer for index in node):
        w = network.get(index)
        network.put(index, np.sign(w) if abs(w) >= 0.5 else 0.0)


def quantiles(network: WholeNetwork, layer: list[list[Index]]) -> None:
    for node in layer:
        before = np.array([network.get(index) for index in node])
        sizes = sorted({abs(w) for w in before if w})
        best, least = before, np.inf
        for size in sizes:
            vector = np.where(np.abs(before) >= size, np.sign(before), 0.0)
            for index, w in zip(node, vector, strict=True):
                network.put(index, w)
            if (error := network.error()) < least - network.tolerance:
                best, least = vector, error
        for index, w in zip(node, best, strict=True):
            network.put(index, w)


METHODS = {
    "threshold": threshold,
    "descending": lambda network, layer: select(network, layer, descending=True),
    "ascending": lambda network, layer: select(network, layer, descending=False),
    "subtractive": subtract,
    "additive": add,
    "quantile": quantiles,
}


def discretize_whole(network: WholeNetwork, method: str) -> WholeNetwork:
    run = METHODS[method]
    run(network, network.output_layer())
    network = network.drop_unused()
    run(network, network.rule_layer())
    for j in network.module_features():
        unused = network.weights.and_weights[j] == 0
        first, n = network.layout.weight_offsets[j], network.layout.n_regular[j]
        network.weights.or_weights[first : first + n, unused] = 0.0
        run(network, network.module_layer(j))
        if network.layout.kinds[j] == ORDERED and network.shares_intervals:
            asked = network.weights.or_weights[first : first + n, ~unused].any(axis=1)
            network.weights.interval_weights[:, first : first + n][:, ~asked] = 0.0
            run(network, network.interval_layer(j))
    return network.drop_unused()
