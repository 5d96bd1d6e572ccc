"""The AND weights of one feature's intervals as a layer to be discretized.

All rules share the intervals, so that a weight changes several rules at once and the error is no longer quadratic in
it: each question evaluates the rules that use the interval, on the rows, and the outputs.
"""

from __future__ import annotations

import numpy as np

from nln.learning.paper.decisions import DecisionLayer
from nln.learning.paper.kernels.shared_intervals import (
    FEATURE,
    NETWORK,
    SharedFeature,
    WholeNetwork,
    interval_errors,
    put_interval,
)
from nln.learning.paper.network_state import NetworkState
from nln.tables.encoding import Floats


class IntervalLayer(DecisionLayer):
    """AND weights of the intervals of one feature: one node per interval over its dichotomies.

    While weights are put, the state's intervals and activations follow. Its other numbers follow with
    `NetworkState.refresh`, when the layer is done.
    """

    def __init__(self, state: NetworkState, feature: int) -> None:
        part, w = state.or_weights(feature), state.weights
        super().__init__(state, w.interval_weights[: part.stop - part.start - 1, part])
        self.feature, is_asked = feature, w.and_weights[feature] != 0
        self.array[:, ~(w.or_weights[part] != 0)[:, is_asked].any(axis=1)] = 0.0  # intervals that no rule asks for
        state.refresh_intervals(feature)
        above, values = state.shared_intervals(feature)
        others = np.array([state.others_of(i, feature) for i in range(state.n_rules)])
        others = others.reshape(state.n_rules, len(state.row_weights))
        missing = state.tables[:, state.slots(feature)][:, -1].copy()
        own = w.or_weights[part], w.and_weights[feature], state.codes[feature]
        self._feature = FEATURE.bind(SharedFeature(above, values, *own, others, missing))
        outputs = state.factors, w.output_bias, state.targets, state.row_weights
        self._network = NETWORK.bind(WholeNetwork(state.activations, *outputs))

    def put_all(self, values: Floats) -> None:
        """Set all weights."""
        self.array[:] = values.T
        for node, vector in enumerate(values):
            put_interval(np.ascontiguousarray(vector), node, self._feature, self.state.activations)

    def difference(self, node: int, column: int, sign: float) -> float:
        """Squared error with one weight at `sign` minus that with it at 0."""
        vectors = np.array([self.array[:, node]] * 2)
        vectors[:, column] = 0.0, sign
        off, on = self.node_errors(node, vectors)
        return float(on - off)

    def put(self, node: int, column: int, value: float) -> None:
        """Set one weight."""
        self.array[column, node] = value
        put_interval(self.array[:, node].copy(), node, self._feature, self.state.activations)

    def node_errors(self, node: int, vectors: Floats) -> Floats:
        """Squared error for each weight vector of an interval."""
        return interval_errors(np.ascontiguousarray(vectors), node, self._feature, self._network)
