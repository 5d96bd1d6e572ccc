"""The layers of a network as discretizers and pruning see them: weights, and what each change does to the error.

A layer has nodes and inputs. `difference(node, input, sign)` is the squared error with the weight at its sign (1 or -1)
minus that with the weight at 0, everything else as it stands; `node_errors` compares whole weight vectors of a node.
Both are closed-form answers of `NetworkState`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from nln.learning.paper.network_state import NetworkState
from nln.network.kernels.modules import VALUES
from nln.tables.encoding import Floats


class DecisionLayer(ABC):
    """Weights of one layer: some rows (`index`) of an array of shape (inputs, nodes)."""

    def __init__(self, state: NetworkState, array: Floats, index: Any = slice(None)) -> None:
        self.state, self.array, self.index = state, array, index

    def values(self) -> Floats:
        """Return the weights, (nodes, inputs)."""
        return np.array(self.array[self.index].T, order="C")

    def put_all(self, values: Floats) -> None:
        """Set all weights."""
        self.array[self.index] = values.T
        self.state.refresh()

    @abstractmethod
    def difference(self, node: int, column: int, sign: float) -> float:
        """Squared error with one weight at `sign` minus that with it at 0."""

    @abstractmethod
    def put(self, node: int, column: int, value: float) -> None:
        """Set one weight."""

    @abstractmethod
    def node_errors(self, node: int, vectors: Floats) -> Floats:
        """Squared error for each weight vector of a node, (vectors,), up to a constant."""


class OutputLayer(DecisionLayer):
    """Output weights: one OR node per output over the rules."""

    def __init__(self, state: NetworkState) -> None:
        super().__init__(state, state.weights.output_weights.T)

    def difference(self, node: int, column: int, sign: float) -> float:
        """Squared error with one weight at `sign` minus that with it at 0."""
        first, second = self.state.output_sums(node, column)
        c = sign * self.state.weights.rule_bias[column]
        return float(second * c * c - 2.0 * first * c)

    def put(self, node: int, column: int, value: float) -> None:
        """Set one weight."""
        self.state.put_output(node, column, value)

    def node_errors(self, node: int, vectors: Floats) -> Floats:
        """Squared error of the output for each weight vector."""
        state, active = self.state, self.state.activations * self.state.weights.rule_bias[:, None]
        errors = []
        for vector in vectors:
            used = np.flatnonzero(vector)
            none = np.prod(1.0 - vector[used, None] * active[used], axis=0)
            miss = 1.0 - (1.0 - state.weights.output_bias[node]) * none - state.targets[node]
            errors.append(float(state.row_weights @ (miss * miss)))
        return np.array(errors)


class RuleLayer(DecisionLayer):
    """AND weights: one AND node per rule over the features, first binary, then categorical, then ordered ones."""

    def __init__(self, state: NetworkState) -> None:
        self.features = np.argsort(state.layout.kinds, kind="stable")
        super().__init__(state, state.weights.and_weights, self.features)

    def difference(self, node: int, column: int, sign: float) -> float:
        """Squared error with one weight at `sign` minus that with it at 0."""
        j = int(self.features[column])
        s1, s2 = self.state.sums(node, j)
        return table_error(s1, s2, self.state.table(node, j, sign)) - float(s2.sum() - 2.0 * s1.sum())

    def put(self, node: int, column: int, value: float) -> None:
        """Set one weight."""
        j = int(self.features[column])
        self.state.weights.and_weights[j, node] = value
        self.state.put_table(node, j)

    def node_errors(self, node: int, vectors: Floats) -> Floats:
        """Squared error for each weight vector of a rule."""
        state = self.state
        table, errors = state.tables[node].copy(), []
        for vector in vectors:
            for j, w in zip(self.features.tolist(), vector, strict=True):
                table[state.slots(j)] = state.table(node, j, w)
            errors.append(state.rule_error(node, table))
        return np.array(errors)


class ModuleLayer(DecisionLayer):
    """OR weights of one feature: one OR node per rule over its values or intervals; missing weights are not touched."""

    def __init__(self, state: NetworkState, feature: int) -> None:
        self.feature, self.part = feature, state.or_weights(feature)
        super().__init__(state, state.weights.or_weights, self.part)

    def difference(self, node: int, column: int, sign: float) -> float:
        """Squared error with one weight at `sign` minus that with it at 0."""
        w = float(self.state.weights.and_weights[self.feature, node])
        if w == 0.0:
            return 0.0
        s1, s2 = self.state.sums(node, self.feature, self._rows(column))
        if self._rows(column) is not None:  # a value: only its own slot changes, from 0 to 1
            without, within = 1.0 - max(w, 0.0), 1.0 - max(-w, 0.0)
            rise, square = within - without, within * within - without * without
            return float(s2[column] * square - 2.0 * s1[column] * rise)
        regular = self.state.weights.or_weights[self.part, node]
        outside = self.state.outside(node, self.feature, regular, column)
        inside = self.state.interval(node, self.feature, column)
        off, on = (
            1.0 - max(w, 0.0) * rest - max(-w, 0.0) * (1.0 - rest) for rest in (outside, outside * (1.0 - inside))
        )
        n = len(outside)  # the missing slot stays as it is
        return table_error(s1[:n], s2[:n], on) - table_error(s1[:n], s2[:n], off)

    def put(self, node: int, column: int, value: float) -> None:
        """Set one weight."""
        self.state.weights.or_weights[self.part.start + column, node] = value
        self.state.put_table(node, self.feature, self._rows(column))

    def node_errors(self, node: int, vectors: Floats) -> Floats:
        """Squared error for each weight vector of a rule's module."""
        s1, s2 = self.state.sums(node, self.feature)
        tables = (self.state.table(node, self.feature, regular=vector) for vector in vectors)
        return np.array([table_error(s1, s2, table) for table in tables])

    def _rows(self, column: int) -> np.ndarray | None:
        """Rows that a weight concerns: those of its value; all for an interval."""
        is_value = self.state.layout.kinds[self.feature] == VALUES
        return self.state.rows_of_slot(self.feature, column) if is_value else None


def table_error(s1: Floats, s2: Floats, table: Floats) -> float:
    """Squared error of a feature's table, up to a constant, from the sums of `NetworkState.sums`."""
    return float((s2 * table - 2.0 * s1) @ table)
