"""Logic coordinate descent: put the optimal condition into each feature of each rule until nothing improves.

The objective is the squared error + price x literals + half a unit of evidence against each rule's bias. Rules are
visited in turn; each step is an exact minimum given everything else, so the objective falls and sweeps end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nln.learning.descent.kernels.limits import conform_rule
from nln.learning.descent.kernels.statistics import (
    activation,
    output_sums,
    replace,
    rows_within_one,
    slot_sums,
    squared_error,
)
from nln.learning.descent.kernels.visits import (
    PSEUDO_EVIDENCE,
    Given,
    Rules,
    Work,
    activate_rule,
    drop_rule,
    lift_rule,
    put_in_all,
    put_in_rule,
    rule_sizes,
    settle_rule,
    visit_rules,
)
from nln.learning.draft import DescentRows, Draft, Integers, SlotLayout
from nln.tables.encoding import Floats


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
        zeros, room = np.zeros(n, count), np.zeros(n, np.int64)
        state = np.zeros((outputs, n), np.int32), np.ones((outputs, n))
        self._work = Work(zeros, np.ones(n), np.ones(n), room, np.zeros(n), np.zeros(n), *state)
        self._given = Given(self.rows.codes, self.rows.targets, self.rows.weights)
        mass = max(float(self.rows.weights.sum()), 1e-300)
        self._absence = 1.0 - self.rows.targets @ self.rows.weights / mass
        self._refresh_outputs()

    @property
    def spans(self) -> Integers:
        """Boundaries of fuzzy conditions, (rules, features, 2)."""
        assert self.draft.spans is not None
        return self.draft.spans

    @property
    def _rules(self) -> Rules:
        draft = self.draft
        return Rules(draft.tables, self.spans, draft.bias, draft.output, draft.output_bias, draft.n_fixed)

    def _refresh_outputs(self) -> None:
        """Recompute the outputs' products: repeated division would let rounding errors grow."""
        put_in_all(self._given, self.layout, self._rules, self._work, self.alive)

    def lift(self, i: int) -> None:
        """Begin work on a rule: compute it and take it out of its output."""
        lift_rule(self._given, self.layout, self._rules, self._work, i)

    def settle(self, i: int) -> float:
        """End work on a rule: fit its bias and put it back; return what the rule is worth."""
        return float(settle_rule(self._rules, self._work, i))

    def sums(self, i: int, j: int) -> tuple[Floats, Floats]:
        """Closed-form sums s1, s2 of a feature of the lifted rule, (slots of the feature,)."""
        first, last = self.layout.offsets[j], self.layout.offsets[j + 1]
        s1, s2 = np.zeros(last - first), np.zeros(last - first)
        _, count = rows_within_one(self._work.zeros, self._work.room)
        table, bias = self.draft.tables[i, first:last], max(float(self.draft.bias[i]), 1e-3)
        state = self._work.room[:count], self._work.zeros, self._work.product
        slot_sums(self.rows.codes[j], *state, table, bias, self._work.q1, self._work.q2, s1, s2)
        return s1, s2

    def table(self, i: int, j: int) -> Floats:
        """Table of a feature in a rule, a copy."""
        table: Floats = self.draft.tables[i, self.layout.offsets[j] : self.layout.offsets[j + 1]].copy()
        return table

    def put_table(self, i: int, j: int, table: Floats) -> None:
        """Exchange a feature's table in the lifted rule."""
        replace(self.rows.codes[j], self.table(i, j), table, self._work.zeros, self._work.product)
        self.draft.tables[i, self.layout.offsets[j] : self.layout.offsets[j + 1]] = table

    def visit(self, rules: Integers, price: float, rng: np.random.Generator) -> int:
        """Improve rules and their biases, feature by feature in random order, or drop them; return the changes."""
        orders = rng.permuted(np.tile(np.arange(self.rows.codes.shape[0]), (len(rules), 1)), axis=1)
        changed = visit_rules(
            self._given, self.layout, self.layout.limits, self._rules, self._work, rules, orders, price, self.alive
        )
        return int(changed)

    def conform(self) -> None:
        """Make every rule keep to the limits, or drop it; biases stay, or a rule far from them would fade at once."""
        for i in np.flatnonzero(self.alive[self.draft.n_fixed :]) + self.draft.n_fixed:
            self.lift(int(i))
            table, bias = self.draft.tables[i], max(float(self.draft.bias[i]), 1e-3)
            work = self._work
            state = work.q1, work.q2, self.draft.output[i], work.zeros, work.product, work.room
            kept = conform_rule(self.rows.codes, self.layout, table, bias, *state)
            activation(work.zeros, work.product, work.rule)
            put_in_rule(self._rules, work, int(i))
            if not kept:
                drop_rule(self._rules, work, int(i), self.alive, False)

    def fit_fixed(self) -> None:
        """Bias of each fixed rule: the label's share of the rows it covers, with half a row as it was given.

        The best bias given all other rules would let learned rules explain a given one away.
        """
        for i, bias in enumerate(self._given_bias.tolist()):
            activate_rule(self._given, self.layout, self._rules, self._work, i)
            covered = self.rows.weights * self._work.rule
            hits = float(covered @ self.rows.targets[self.draft.output[i]].astype(np.float64))
            share = (hits + PSEUDO_EVIDENCE * bias) / (float(covered.sum()) + PSEUDO_EVIDENCE)
            self.draft.bias[i] = min(share, 1.0)
        self._refresh_outputs()

    def fit_output_biases(self) -> None:
        """Best o of each output."""
        for k in range(len(self.draft.output_bias)):
            state = self._work.output_zeros[k], self._work.output_product[k]
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

    def grow(self, rules: Integers, price: float, rng: np.random.Generator) -> None:
        """Visit a few rules until they are at rest."""
        while self.visit(rules[self.alive[rules]], price, rng):
            pass

    def sweep(self, price: float, rng: np.random.Generator) -> int:
        """Visit every rule once, in random order; return the number of changes."""
        changes = self.visit(rng.permutation(np.flatnonzero(self.alive)), price, rng) + self._drop_duplicates()
        self.fit_output_biases()
        return changes

    def _drop_duplicates(self) -> int:
        """Of rules that ask the same for the same output the first stays and takes over the others' bias."""
        first: dict[tuple[int, bytes, bytes], int] = {}
        questions, dropped = self._questions(), 0
        for i in np.flatnonzero(self.alive).tolist():
            asked = int(self.draft.output[i]), questions[i].tobytes(), self.spans[i].tobytes()
            kept = first.setdefault(asked, i)
            if kept != i and i >= self.draft.n_fixed:
                if kept >= self.draft.n_fixed:
                    self.draft.bias[kept] = 1.0 - (1.0 - self.draft.bias[kept]) * (1.0 - self.draft.bias[i])
                self.alive[i] = False
                dropped += 1
        if dropped:
            self._refresh_outputs()
        return dropped

    def _questions(self) -> Floats:
        """What the rules ask. Fuzzy boundaries count by their places: copies would only make them sharper."""
        fuzzy = np.argwhere((self.spans >= 0).any(axis=2))
        tables = self.draft.tables.copy() if len(fuzzy) else self.draft.tables
        for i, j in fuzzy:
            tables[i, self.layout.offsets[j] : self.layout.offsets[j + 1]] = 0.0
        return tables

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
        parts = zip(
            self.rows.targets, self._work.output_zeros, self._work.output_product, self.draft.output_bias, strict=True
        )
        return float(sum(squared_error(y, self.rows.weights, z, p, o) for y, z, p, o in parts))

    def probabilities(self) -> Floats:
        """Probability of each output, (outputs, rows)."""
        none = np.where(self._work.output_zeros > 0, 0.0, self._work.output_product)
        return 1.0 - (1.0 - self.draft.output_bias[:, None]) * none

    def sizes(self) -> Floats:
        """Number of literals of each rule, as the price counts them."""
        sizes: Floats = rule_sizes(self.layout, self.draft.tables, self.spans)
        return sizes
