"""A network whose weights are being decided: every "what if this weight were 0, 1, -1?" is answered in closed form.

The state keeps the look-up tables, the activation of each rule and the product of each output at each row, in double
precision, so that a question costs one pass over the rows and an answer that changes something another one
(`nln.learning.paper.kernels.products`). A rule may feed several outputs.

An interval of an ordered feature lies between two dichotomies (`interval_ends`); pruning removes boundaries, rule by
rule. As long as trained AND weights of intervals are soft, all rules share the intervals that these make.
"""

from __future__ import annotations

import copy

import numpy as np
import numpy.typing as npt

from nln.learning.descent.kernels.statistics import covered_sums
from nln.learning.paper.interval_ends import IntervalEnds, elementary_ends, in_order, learned_ends, tightened
from nln.learning.paper.kernels.products import (
    all_products,
    exchange_factor,
    others_of_rule,
    output_sums_of_rule,
    outside_intervals,
    rule_quadratic,
)
from nln.learning.paper.kernels.shared_intervals import interval_values, outside_values
from nln.network.kernels.modules import BINARY, ORDERED, VALUES
from nln.network.layout import Integers, Layout, TrainingRows, Weights
from nln.network.theory import fuzzy_dichotomy
from nln.tables.encoding import Floats


class NetworkState:
    """A copy of a network's weights with all that closed-form answers on some rows need.

    Without interval ends, the intervals are those of the network as it was trained.
    """

    def __init__(self, layout: Layout, weights: Weights, rows: TrainingRows, ends: IntervalEnds | None = None) -> None:
        self.layout = layout
        self.weights = Weights(*(w.astype(np.float64, order="C") for w in weights))
        self.ends = ends or elementary_ends(layout, self.n_rules)
        self.codes = np.ascontiguousarray(rows.codes.T)
        self.targets = np.ascontiguousarray(rows.targets.T, dtype=np.float64)
        self.row_weights = rows.weights.astype(np.float64)
        self.every_row = np.arange(len(self.row_weights))
        self._dichotomies = [self._padded_dichotomies(j) for j in range(len(layout.kinds))]
        self._shared: dict[int, Floats] = {}  # intervals of trained AND weights, (bins, intervals) of each feature
        if ends is None and weights.interval_weights.size:
            for j in np.flatnonzero(layout.kinds == ORDERED).tolist():
                self.refresh_intervals(j)
        self._rows_of_slots: dict[int, list[Integers]] = {}
        self.refresh()

    @property
    def n_rules(self) -> int:
        """Number of rule modules."""
        return len(self.weights.rule_bias)

    @property
    def tolerance(self) -> float:
        """Changes of the squared error below this are ties: they are rounding."""
        return 1e-10 * float(self.row_weights.sum())

    def slots(self, j: int) -> slice:
        """Slots of a feature in the tables."""
        return slice(int(self.layout.slot_offsets[j]), int(self.layout.slot_offsets[j + 1]))

    def or_weights(self, j: int) -> slice:
        """A feature's OR weights without the missing weight."""
        first = int(self.layout.weight_offsets[j])
        return slice(first, first + int(self.layout.n_regular[j]))

    def rows_of_slot(self, j: int, v: int) -> Integers:
        """Rows that have a slot of a feature."""
        if j not in self._rows_of_slots:
            n_slots = self.slots(j).stop - self.slots(j).start
            order = np.argsort(self.codes[j], kind="stable")
            ends = np.cumsum(np.bincount(self.codes[j], minlength=n_slots))
            self._rows_of_slots[j] = np.split(order, ends[:-1])
        return self._rows_of_slots[j][v]

    @property
    def has_shared_intervals(self) -> bool:
        """Whether intervals have AND weights that all rules share."""
        return bool(self._shared)

    def shared_intervals(self, j: int) -> tuple[Floats, Floats]:
        """Dichotomies and intervals of an ordered feature at its bins, (bins, dichotomies) and (bins, intervals)."""
        return np.ascontiguousarray(self._dichotomies[j][:, 1:-1]), self._shared[j]

    def refresh_intervals(self, j: int) -> None:
        """Compute the intervals of an ordered feature from their AND weights; tables stay as they are."""
        part, above = self.or_weights(j), np.ascontiguousarray(self._dichotomies[j][:, 1:-1])
        learned = self.weights.interval_weights[: part.stop - part.start - 1, part]
        columns = [interval_values(above, np.ascontiguousarray(vector)) for vector in learned.T]
        self._shared[j] = np.ascontiguousarray(np.column_stack(columns))

    def settle_intervals(self) -> None:
        """Number the dichotomies by their places, and give each rule intervals of its own between two of them."""
        ends = self.ends
        if self._shared:
            self.weights = tightened(self.layout, self.weights)
            ends, self._shared = learned_ends(self.layout, self.weights), {}
        self.weights, self.ends = in_order(self.layout, self.weights, ends)
        self._dichotomies = [self._padded_dichotomies(j) for j in range(len(self.layout.kinds))]
        self.refresh()

    def refresh(self) -> None:
        """Compute everything from the weights."""
        n_rows = len(self.row_weights)
        self.tables = np.ones((self.n_rules, int(self.layout.slot_offsets[-1])))
        self.activations = np.empty((self.n_rules, n_rows))
        for i in range(self.n_rules):
            for j in range(len(self.layout.kinds)):
                self.tables[i, self.slots(j)] = self.table(i, j)
            others_of_rule(self.codes, self.layout.slot_offsets, self.tables[i], -1, self.activations[i])
        self.factors = self.weights.output_weights * self.weights.rule_bias
        self._zeros = np.zeros(self.targets.shape, np.int32)
        self._product = np.ones(self.targets.shape)
        all_products(self.activations, self.factors, self._zeros, self._product)
        self._others, self._others_feature = np.empty((self.n_rules, n_rows)), -1
        self._has_others = np.zeros(self.n_rules, bool)

    def outputs(self) -> Floats:
        """Probability of each output, (outputs, rows)."""
        rest = np.where(self._zeros > 0, 0.0, self._product)
        return np.asarray(1.0 - (1.0 - self.weights.output_bias[:, None]) * rest)

    def membership(self, i: int, j: int, regular: Floats | None = None) -> Floats:
        """Membership of a feature's slots in a rule's module, with other OR weights if they are given."""
        kind, part = self.layout.kinds[j], self.or_weights(j)
        if kind == BINARY:
            return np.array([0.0, 1.0])
        regular = self.weights.or_weights[part, i] if regular is None else regular
        missing = self.weights.or_weights[part.stop : int(self.layout.weight_offsets[j + 1]), i]
        if kind == VALUES:
            return np.concatenate([regular, missing])
        return np.concatenate([1.0 - self.outside(i, j, regular), missing])

    def outside(self, i: int, j: int, regular: Floats, left_out: int = -1) -> Floats:
        """Share of each bin of an ordered feature that lies in none of a rule's intervals, one left out (-1: none)."""
        if self._shared:
            return np.asarray(outside_values(self._shared[j], regular, left_out))
        part = self.or_weights(j)
        ends = self.ends.lower[part, i], self.ends.upper[part, i]
        return np.asarray(outside_intervals(self._dichotomies[j], *ends, regular, left_out))

    def interval(self, i: int, j: int, column: int) -> Floats:
        """Membership of each bin of an ordered feature in one of a rule's intervals."""
        if self._shared:
            return self._shared[j][:, column]
        place, above = self.or_weights(j).start + column, self._dichotomies[j]
        lower, upper = self.ends.lower[place, i], self.ends.upper[place, i]
        return np.asarray(above[:, lower] * (1.0 - above[:, upper]))

    def table(self, i: int, j: int, weight: float | None = None, regular: Floats | None = None) -> Floats:
        """Look-up table of a rule's feature, with another AND weight or other OR weights if they are given."""
        w = self.weights.and_weights[j, i] if weight is None else weight
        m = self.membership(i, j, regular)
        return np.asarray(1.0 - max(w, 0.0) * (1.0 - m) - max(-w, 0.0) * m)

    def sums(self, i: int, j: int, rows: Integers | None = None) -> tuple[Floats, Floats]:
        """Sums s1, s2 over some rows (all): the squared error of a table t of the feature is `s2 t^2 - 2 s1 t`."""
        rows = self.every_row if rows is None else rows
        q1, q2 = self._quadratic(i, rows)
        n_slots = self.slots(j).stop - self.slots(j).start
        s1, s2 = np.empty(n_slots), np.empty(n_slots)
        others = self.others_of(i, j)[rows]
        covered_sums(self.codes[j], rows, q1 * others, q2 * others * others, s1, s2)
        return s1, s2

    def rule_error(self, i: int, table: Floats) -> float:
        """Squared error with another table of all features of a rule, up to what does not depend on the rule."""
        q1, q2 = self._quadratic(i, self.every_row)
        r = np.empty(len(self.row_weights))
        others_of_rule(self.codes, self.layout.slot_offsets, table, -1, r)
        return float(q2 @ (r * r) - 2.0 * (q1 @ r))

    def output_sums(self, k: int, i: int) -> tuple[float, float]:
        """Sums S1, S2: the squared error of an output is `S2 c^2 - 2 S1 c` in the factor c = W a of a rule."""
        state = self.activations, self.factors[k], i, self._zeros[k], self._product[k], self.weights.output_bias[k]
        first, second = output_sums_of_rule(*state, self.targets[k], self.row_weights, self.every_row)
        return float(first), float(second)

    def put_table(self, i: int, j: int, rows: Integers | None = None) -> None:
        """Take over changed weights of a feature of a rule; `rows` are those that may be concerned (all)."""
        rows = self.every_row if rows is None else rows
        others, table = self.others_of(i, j), self.table(i, j)
        self.tables[i, self.slots(j)] = table
        old = self.activations[i, rows]
        new = others[rows] * table[self.codes[j, rows]]
        self.activations[i, rows] = new
        for k in np.flatnonzero(self.factors[:, i]):
            c = self.factors[k, i]
            self._exchange(int(k), c, old, c, new, rows)

    def put_output(self, k: int, i: int, value: float) -> None:
        """Set an output weight."""
        self.weights.output_weights[k, i] = value
        before, after = self.factors[k, i], value * self.weights.rule_bias[i]
        self.factors[k, i] = after
        self._exchange(k, before, self.activations[i], after, self.activations[i], self.every_row)

    def keep_rules(self, kept: npt.NDArray[np.bool_]) -> NetworkState:
        """Return a state of some of the rules."""
        w = self.weights
        weights = w._replace(
            and_weights=np.compress(kept, w.and_weights, axis=1),
            or_weights=np.compress(kept, w.or_weights, axis=1),
            rule_bias=w.rule_bias[kept],
            output_weights=np.compress(kept, w.output_weights, axis=1),
            output_bias=w.output_bias.copy(),
        )
        state = copy.copy(self)  # rows, dichotomies and shared intervals are the same
        state.weights, state.ends = weights, IntervalEnds(self.ends.lower[:, kept], self.ends.upper[:, kept])
        state.refresh()
        return state

    def _quadratic(self, i: int, rows: Integers) -> tuple[Floats, Floats]:
        q1, q2 = np.empty(len(rows)), np.empty(len(rows))
        state = self.activations, self.factors, i, self._zeros, self._product
        rule_quadratic(*state, self.weights.output_bias, self.targets, self.row_weights, rows, q1, q2)
        return q1, q2

    def others_of(self, i: int, j: int) -> Floats:
        """Product of a rule's other features at each row; kept while questions stay with one feature."""
        if self._others_feature != j:
            self._others_feature, self._has_others[:] = j, False
        if not self._has_others[i]:
            others_of_rule(self.codes, self.layout.slot_offsets, self.tables[i], j, self._others[i])
            self._has_others[i] = True
        return np.asarray(self._others[i])

    def _exchange(self, k: int, before: float, old: Floats, after: float, new: Floats, rows: Integers) -> None:
        state = self.activations, self.factors[k]
        exchange_factor(*state, before, old, after, new, self._zeros[k], self._product[k], rows)

    def _padded_dichotomies(self, j: int) -> Floats:
        """Dichotomies at the bins of an ordered feature, 1 before the first and 0 after the last: (bins, n + 2)."""
        layout, w = self.layout, self.weights
        if layout.kinds[j] != ORDERED:
            return np.empty((0, 0))
        part = slice(int(layout.dichotomy_offsets[j]), int(layout.dichotomy_offsets[j + 1]))
        first = int(layout.slot_offsets[j])
        x = layout.positions[first : first + int(layout.n_bins[j])].astype(np.float64)
        above = fuzzy_dichotomy(x[:, None], w.boundaries[part], w.sharpness[part])
        return np.hstack([np.ones((len(x), 1)), above, np.zeros((len(x), 1))])
