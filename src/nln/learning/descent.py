"""Logic coordinate descent: put the optimal condition into each feature of each rule until nothing improves.

The objective is the squared error + price x literals + half a unit of evidence against each rule's bias. Rules are
visited in turn; each step is an exact minimum given everything else, so the objective falls and sweeps end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nln.compiled import compiled
from nln.learning.best_table import CHANCE, best_table, is_soft, literals, table_cost
from nln.learning.draft import DescentRows, Draft, Integers, SlotLayout
from nln.learning.limits import (
    best_literal,
    conform_rule,
    count_conditions,
    is_blocked,
    must_ask,
    swap_conditions,
    trim_rule,
)
from nln.learning.spans import best_fuzzy_table, is_fuzzy, span_literals
from nln.learning.statistics import (
    activation,
    add_factor,
    bias_sums,
    is_used,
    output_sums,
    quadratic,
    remove_factor,
    replace,
    rows_within_one,
    rule_state,
    slot_sums,
    squared_error,
)
from nln.tables.encoding import Floats

KEPT, MOVED, CHANGED = 0, 1, 2
"""What became of a table: nothing, another probability of missing values, another condition."""
PSEUDO_EVIDENCE = 0.5
"""Weight of the evidence against every rule: keeps rules that cover next to nothing out."""


@compiled
def improve_rule(codes, layout, limits, table, spans, bias, q1, q2, price, order, output, zeros, product, active):
    """Put the best table into each feature of one rule of an output in turn; return the number of changes.

    `zeros` and `product` hold the rule's state, are kept true, and `active` is room for row numbers.
    """
    count = rows_within_one(zeros, active)
    changes = 0
    for j in order:
        first, last = layout.offsets[j], layout.offsets[j + 1]
        old, new = table[first:last].copy(), np.ones(last - first)
        if not is_used(old):
            if layout.max_conditions > 0 and count_conditions(layout, table) >= layout.max_conditions:
                continue
        s1, s2 = np.zeros(last - first), np.zeros(last - first)
        slot_sums(codes[j], active[:count], zeros, product, old, bias, q1, q2, s1, s2)
        if is_fuzzy(layout, j):
            change = _improve_span(layout, j, old, spans[j], s1, s2, price, new)
        else:
            change = _improve_table(layout, limits, j, table, old, s1, s2, price, output, new)
        if change == KEPT:
            continue
        changes += change == CHANGED
        table[first:last] = new
        replace(codes[j], old, new, zeros, product)
        count = rows_within_one(zeros, active)
    if layout.max_conditions > 0:
        changes += trim_rule(codes, layout, limits, table, bias, q1, q2, zeros, product, active)
        for j in order:
            if not is_used(table[layout.offsets[j] : layout.offsets[j + 1]]):
                spans[j, :] = -1
    return changes


@compiled
def _improve_table(layout, limits, j, table, old, s1, s2, price, output, new):
    """Write the best crisp table of a feature to `new`; return whether it is better than the old one."""
    kind = (layout.n_known[j], layout.has_other[j], layout.has_missing[j], layout.ordered[j])
    n_crisp = kind[0] + kind[1]  # a missing value keeps a probability
    direction, paid, forced = 0, price, False
    if limits is not None:
        if not is_used(old) and is_blocked(layout, table, j):
            return KEPT
        direction, paid = limits.direction[output, j], price * limits.factors[j]
        forced = must_ask(layout, table, j)
    axis = layout.axis[layout.offsets[j] : layout.offsets[j + 1]]
    best_table(s1, s2, *kind, paid, layout.negation, layout.unions, axis, new, direction)
    if limits is not None:
        if forced and not is_used(new[:n_crisp]):
            if not best_literal(s1, s2, layout, j, paid, direction, new):
                return KEPT
    if (new == old).all():
        return KEPT
    if kind[3] != CHANCE and not is_soft(old, n_crisp):
        after = table_cost(new, s1, s2, *kind, paid, layout.negation)
        if after >= table_cost(old, s1, s2, *kind, paid, layout.negation) - 1e-9:
            return KEPT
    # Probabilities of missing values move with the biases, for ever a little.
    return CHANGED if (new[:n_crisp] != old[:n_crisp]).any() else MOVED


@compiled
def _improve_span(layout, j, old, span, s1, s2, price, new):
    """Write the best fuzzy table to `new`, its boundaries to `span`; return whether it is better than the old one."""
    best = np.empty(2, np.int64)
    cost = best_fuzzy_table(layout, j, s1, s2, price, best, new)
    kept = not is_used(old) or span[0] >= 0 or span[1] >= 0  # a crisp or a soft table gives way
    if (new == old).all() or (kept and cost >= _span_cost(layout, j, old, span, s1, s2, price) - 1e-9):
        return KEPT
    change = CHANGED if span[0] != best[0] or span[1] != best[1] else MOVED
    span[:] = best
    return change


@compiled
def _span_cost(layout, j, table, span, s1, s2, price):
    """Objective of a fuzzy table: squared error, the price of its literals, the digits of its boundaries."""
    total = price * span_literals(table, layout.n_known[j], span)
    for place in span:
        total += layout.place_penalties[layout.place_offsets[j] + place] if place >= 0 else 0.0
    for v in range(table.shape[0]):
        total += s2[v] * table[v] * table[v] - 2.0 * s1[v] * table[v]
    return total


@compiled
def rule_size(layout, table, spans, factors):
    """Number of literals of a rule, as the price counts them, times the factors of their features if there are any."""
    total = 0.0
    for j in range(layout.n_known.shape[0]):
        part = table[layout.offsets[j] : layout.offsets[j + 1]]
        if is_fuzzy(layout, j):
            total += span_literals(part, layout.n_known[j], spans[j])
            continue
        kind = (layout.n_known[j], layout.has_other[j], layout.has_missing[j], layout.ordered[j])
        count = literals(part, kind[0], kind[1], kind[2], kind[3], layout.negation)
        if factors is not None:
            count *= factors[j]
        total += count
    return total


@dataclass
class Descent:
    """The state of a descent on one set of rows: what each rule and each output computes there.

    Parameters
    ----------
    layout : SlotLayout
        The encoding's slots.
    rows : DescentRows
        Rows to fit.
    draft : Draft
        Starting rules; not changed.
    """

    layout: SlotLayout
    rows: DescentRows
    draft: Draft

    def __post_init__(self) -> None:
        n, outputs = self.rows.n_rows, len(self.draft.output_bias)
        self.draft = self.draft.copy()
        if self.draft.spans is None:
            self.draft.spans = np.full((self.draft.n_rules, self.rows.codes.shape[0], 2), -1, np.int64)
        self._given_bias = self.draft.bias[: self.draft.n_fixed].copy()
        self.alive = np.ones(self.draft.n_rules, bool)
        count = np.min_scalar_type(self.rows.codes.shape[0])  # a row may fail as many conditions as there are features
        self._zeros, self._product, self._rule = np.zeros(n, count), np.ones(n), np.ones(n)
        self._room = np.zeros(n, np.int64)
        self._q1, self._q2 = np.zeros(n), np.zeros(n)
        self._output_zeros, self._output_product = np.zeros((outputs, n), np.int32), np.ones((outputs, n))
        mass = max(float(self.rows.weights.sum()), 1e-300)
        self._absence = 1.0 - self.rows.targets @ self.rows.weights / mass
        self._refresh_outputs()

    @property
    def spans(self) -> Integers:
        """Boundaries of fuzzy conditions, (rules, features, 2)."""
        assert self.draft.spans is not None
        return self.draft.spans

    def _refresh_outputs(self) -> None:
        """Recompute the outputs' products: repeated division would let rounding errors grow."""
        self._output_zeros[:] = 0
        self._output_product[:] = 1.0
        for i in np.flatnonzero(self.alive):
            self._activate(int(i))
            self._put_in(int(i))

    def _activate(self, i: int) -> None:
        """Compute what rule i gives on every row."""
        rule_state(self.rows.codes, self.layout.offsets, self.draft.tables[i], self._zeros, self._product)
        activation(self._zeros, self._product, self._rule)

    def _take_out(self, i: int) -> None:
        """Take an activated rule out of its output and find the quadratic of what is left."""
        k, state = self.draft.output[i], self._output_state(i)
        remove_factor(self._rule, self.draft.bias[i], *state)
        quadratic(self.rows.targets[k], self.rows.weights, *state, self.draft.output_bias[k], self._q1, self._q2)

    def _put_in(self, i: int) -> None:
        add_factor(self._rule, self.draft.bias[i], *self._output_state(i))

    def _output_state(self, i: int) -> tuple[npt.NDArray[np.int32], Floats]:
        k = self.draft.output[i]
        return self._output_zeros[k], self._output_product[k]

    def lift(self, i: int) -> None:
        """Begin work on a rule: compute it and take it out of its output."""
        self._activate(i)
        self._take_out(i)

    def settle(self, i: int) -> float:
        """End work on a rule: fit its bias and put it back; return what the rule is worth."""
        activation(self._zeros, self._product, self._rule)
        gain = self._fit_bias(i)
        self._put_in(i)
        return gain

    def sums(self, i: int, j: int) -> tuple[Floats, Floats]:
        """Closed-form sums s1, s2 of a feature of the lifted rule, (slots of the feature,)."""
        first, last = self.layout.offsets[j], self.layout.offsets[j + 1]
        s1, s2 = np.zeros(last - first), np.zeros(last - first)
        count = rows_within_one(self._zeros, self._room)
        table, bias = self.draft.tables[i, first:last], max(float(self.draft.bias[i]), 1e-3)
        state = self._room[:count], self._zeros, self._product
        slot_sums(self.rows.codes[j], *state, table, bias, self._q1, self._q2, s1, s2)
        return s1, s2

    def table(self, i: int, j: int) -> Floats:
        """Table of a feature in a rule, a copy."""
        table: Floats = self.draft.tables[i, self.layout.offsets[j] : self.layout.offsets[j + 1]].copy()
        return table

    def put_table(self, i: int, j: int, table: Floats) -> None:
        """Exchange a feature's table in the lifted rule."""
        replace(self.rows.codes[j], self.table(i, j), table, self._zeros, self._product)
        self.draft.tables[i, self.layout.offsets[j] : self.layout.offsets[j + 1]] = table

    def improve(self, i: int, price: float, order: Integers) -> int:
        """Improve one rule and its bias, or drop it; return the number of changes."""
        if i < self.draft.n_fixed:
            return 0
        self.lift(i)
        table, bias = self.draft.tables[i], max(float(self.draft.bias[i]), 1e-3)
        spans = self.spans[i]
        work = self.draft.output[i], self._zeros, self._product, self._room
        layout, limits, sums = self.layout, self.layout.limits, (self._q1, self._q2)
        changes = improve_rule(self.rows.codes, layout, limits, table, spans, bias, *sums, price, order, *work)
        if limits is not None:
            changes += swap_conditions(self.rows.codes, layout, table, bias, *sums, price, *work)
        gain, size = self.settle(i), rule_size(layout, table, spans, None if limits is None else limits.factors)
        if size == 0 or gain <= price * size:
            self._drop(i, absorb=size == 0)
            return int(changes) + 1
        return int(changes)

    def conform(self) -> None:
        """Make every rule keep to the limits, or drop it; biases stay, or a rule far from them would fade at once."""
        for i in np.flatnonzero(self.alive[self.draft.n_fixed :]) + self.draft.n_fixed:
            self.lift(int(i))
            table, bias = self.draft.tables[i], max(float(self.draft.bias[i]), 1e-3)
            work = self.draft.output[i], self._zeros, self._product, self._room
            kept = conform_rule(self.rows.codes, self.layout, table, bias, self._q1, self._q2, *work)
            activation(self._zeros, self._product, self._rule)
            self._put_in(int(i))
            if not kept:
                self._drop(int(i), absorb=False)

    def fit_fixed(self) -> None:
        """Bias of each fixed rule: the label's share of the rows it covers, with half a row as it was given.

        The best bias given all other rules would let learned rules explain a given one away.
        """
        for i, bias in enumerate(self._given_bias.tolist()):
            self._activate(i)
            covered = self.rows.weights * self._rule
            hits = float(covered @ self.rows.targets[self.draft.output[i]].astype(np.float64))
            share = (hits + PSEUDO_EVIDENCE * bias) / (float(covered.sum()) + PSEUDO_EVIDENCE)
            self.draft.bias[i] = min(share, 1.0)
        self._refresh_outputs()

    def _drop(self, i: int, absorb: bool) -> None:
        """Drop a settled rule; one that asks nothing is absorbed by its output's bias, which can say the same."""
        k, a = self.draft.output[i], self.draft.bias[i]
        remove_factor(self._rule, a, *self._output_state(i))
        self.alive[i] = False
        if absorb:
            self.draft.output_bias[k] = 1.0 - (1.0 - self.draft.output_bias[k]) * (1.0 - a)

    def _fit_bias(self, i: int) -> float:
        """Best bias of a rule that has been taken out; return what the rule is worth."""
        first, second = bias_sums(self._rule, self._q1, self._q2)
        second += PSEUDO_EVIDENCE
        a = min(max(first / second, 0.0), 1.0) if i >= self.draft.n_fixed else float(self.draft.bias[i])
        self.draft.bias[i] = a
        return float(2 * first * a - second * a * a)

    def fit_output_biases(self) -> None:
        """Best o of each output."""
        for k in range(len(self.draft.output_bias)):
            state = self._output_zeros[k], self._output_product[k]
            first, second = output_sums(self.rows.targets[k], self.rows.weights, *state)
            absent = (first + self._absence[k]) / (second + 1.0)  # one more row, of the label's own frequency
            self.draft.output_bias[k] = 1.0 - min(max(absent, 0.0), 1.0)

    def fit_biases(self, rounds: int = 10) -> None:
        """Alternate the best biases of rules and outputs."""
        for _ in range(rounds):
            before = self.draft.bias.copy()
            for i in np.flatnonzero(self.alive):
                self.lift(int(i))
                self.settle(int(i))
            self.fit_output_biases()
            if np.abs(self.draft.bias - before).max(initial=0.0) < 1e-4:
                break

    def drop_weakest(self, count: int, output: int | None = None) -> None:
        """Drop the rules, of one output if it is named, that are worth least, each judged with all others in place."""
        worth = np.empty(self.draft.n_rules)
        for i in range(self.draft.n_rules):
            self.lift(i)
            worth[i] = self.settle(i)
        worth[: self.draft.n_fixed] = np.inf
        if output is not None:
            worth[self.draft.output != output] = np.inf
        self.alive[np.argsort(worth, kind="stable")[:count]] = False
        self._compact()

    def sweep(self, price: float, rng: np.random.Generator) -> int:
        """Visit every rule once, in random order; return the number of changes."""
        alive = np.flatnonzero(self.alive)
        n_features = self.rows.codes.shape[0]
        changes = sum(self.improve(int(i), price, rng.permutation(n_features)) for i in rng.permutation(alive))
        changes += self._drop_duplicates()
        self.fit_output_biases()
        return changes

    def _drop_duplicates(self) -> int:
        """Of rules that ask the same for the same output the first stays and takes over the others' bias."""
        first: dict[tuple[int, bytes], int] = {}
        dropped = 0
        for i in np.flatnonzero(self.alive).tolist():
            kept = first.setdefault((int(self.draft.output[i]), self._question(i)), i)
            if kept != i and i >= self.draft.n_fixed:
                if kept >= self.draft.n_fixed:
                    self.draft.bias[kept] = 1.0 - (1.0 - self.draft.bias[kept]) * (1.0 - self.draft.bias[i])
                self.alive[i] = False
                dropped += 1
        if dropped:
            self._refresh_outputs()
        return dropped

    def _question(self, i: int) -> bytes:
        """What a rule asks. Fuzzy boundaries count by their places: copies of a rule would only make them sharper."""
        table = self.draft.tables[i].copy()
        for j in np.flatnonzero((self.spans[i] >= 0).any(axis=1)):
            table[self.layout.offsets[j] : self.layout.offsets[j + 1]] = 0.0
        return bytes(table.tobytes() + self.spans[i].tobytes())

    def run(self, price: float, rng: np.random.Generator, sweeps: int = 20) -> None:
        """Sweep until nothing changes."""
        if self.draft.n_fixed:
            self.fit_fixed()
        if self.layout.limits is not None:
            self.conform()
        for _ in range(sweeps):
            if self.sweep(price, rng) == 0:
                break
        self._compact()

    def _compact(self) -> None:
        n_fixed = self.draft.n_fixed  # these are alive and come first
        self.draft = self.draft.take(self.alive)
        self.draft.n_fixed = n_fixed
        self.alive = np.ones(self.draft.n_rules, bool)
        self._refresh_outputs()

    def error(self) -> float:
        """Weighted squared error over all outputs."""
        parts = zip(self.rows.targets, self._output_zeros, self._output_product, self.draft.output_bias, strict=True)
        return float(sum(squared_error(y, self.rows.weights, z, p, o) for y, z, p, o in parts))

    def probabilities(self) -> Floats:
        """Probability of each output, (outputs, rows)."""
        none = np.where(self._output_zeros > 0, 0.0, self._output_product)
        return 1.0 - (1.0 - self.draft.output_bias[:, None]) * none

    def sizes(self) -> Floats:
        """Number of literals of each rule, as the price counts them."""
        rules = zip(self.draft.tables, self.spans, strict=True)
        return np.array([rule_size(self.layout, table, spans, None) for table, spans in rules], np.float64)
