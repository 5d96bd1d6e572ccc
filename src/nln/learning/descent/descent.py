"""Logic coordinate descent: give each feature of each rule its optimal condition until nothing improves.

The objective is the squared error + price x literals + evidence against each rule's bias, half a row's or more. Rules
are visited in turn; each step is an exact minimum given everything else, so the objective falls and sweeps end.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nln.learning.descent.boundaries import FeatureBoundaries, Shape
from nln.learning.descent.kernels.records import DRAFT, LAYOUT, ROWS, STATE
from nln.learning.descent.kernels.shapes import soften_feature
from nln.learning.descent.kernels.statistics import activation, rule_state
from nln.learning.descent.kernels.visits import (
    LEAST_BIAS,
    DescentState,
    activate_rule,
    compute_outputs,
    conform_rule,
    descent_error,
    drop_rule,
    fit_output_biases,
    lift_rule,
    lifted_sums,
    multiply_into_output,
    put_table,
    rule_hashes,
    rule_sizes,
    settle_rule,
    settle_rules,
    visit_rules,
)
from nln.learning.descent.layout import LEAST_EVIDENCE, Integers, SlotLayout
from nln.learning.draft import DescentRows, Draft, no_spans
from nln.native.binding import Bound
from nln.tables.encoding import Floats

_BIAS_ROUNDS = 10
"""Most rounds in which the biases of rules and outputs are fitted in turn."""


def covered(layout: SlotLayout, rows: DescentRows, draft: Draft) -> npt.NDArray[np.bool_]:
    """Which rows each rule of a draft covers, (rules, rows): those that satisfy it at least by half."""
    zeros, product = np.zeros(rows.n_rows, np.min_scalar_type(len(rows.codes))), np.ones(rows.n_rows)
    found = np.empty((draft.n_rules, rows.n_rows), np.bool_)
    for i, table in enumerate(draft.tables):
        rule_state(rows.codes, layout.offsets, table, zeros, product)
        found[i] = (zeros == 0) & (product >= 0.5)
    return found


class Descent:
    """The state of a descent on one set of rows: what each rule and each output computes there.

    The draft that is given stays as it is; `draft` holds the rules as they are now. What is `scored` alone needs no
    copy of it.
    """

    def __init__(self, layout: SlotLayout, rows: DescentRows, draft: Draft, *, scored: bool = False) -> None:
        self.layout, self.rows, self.draft = layout, rows, draft if scored else draft.copy()
        n_features, n_rows, n_outputs = len(rows.codes), rows.n_rows, len(draft.output_bias)
        if self.draft.spans is None:
            self.draft = self.draft._replace(spans=no_spans(draft.n_rules, n_features))
        self.alive = np.ones(draft.n_rules, bool)
        self._given_bias = draft.bias[: draft.n_fixed].copy()
        count = np.min_scalar_type(n_features)  # a row may fail as many conditions as there are features
        rule = np.zeros(n_rows, count), np.ones(n_rows), np.ones(n_rows)
        room = np.zeros(n_rows, np.int64), np.zeros(n_rows), np.zeros(n_rows)
        outputs = np.zeros((n_outputs, n_rows), np.int32), np.ones((n_outputs, n_rows))
        self._state = DescentState(*rule, *room, *outputs, layout.evidence)
        # The kernels take these as C structures, made once: on small tables that costs as much as the sums.
        self._c_rows, self._c_layout = ROWS.bind(rows), LAYOUT.bind(layout)
        self._c_state, self._c_bound = STATE.bind(self._state), DRAFT.bind(self.draft)
        present = np.array([(target * rows.weights).sum() for target in rows.targets])  # no BLAS: the same everywhere
        self._absence = 1.0 - present / max(float(rows.weights.sum()), 1e-300)
        self._refresh_outputs()

    def anew(self, draft: Draft) -> Descent:
        """Begin a descent from another draft on the same rows."""
        return Descent(self.layout, self.rows, draft)

    @property
    def spans(self) -> Integers:
        """Boundaries of fuzzy conditions, (rules, features, 2)."""
        assert self.draft.spans is not None
        return self.draft.spans

    @property
    def _c_draft(self) -> Bound[Draft]:
        if self._c_bound.value is not self.draft:
            self._c_bound = DRAFT.bind(self.draft)
        return self._c_bound

    def _refresh_outputs(self) -> None:
        """Recompute the outputs' products: repeated division would let rounding errors grow."""
        compute_outputs(self._c_rows, self._c_layout, self._c_draft, self._c_state, self.alive)

    def lift(self, i: int) -> None:
        """Begin work on a rule: compute it and take it out of its output."""
        lift_rule(self._c_rows, self._c_layout, self._c_draft, self._c_state, i)

    def settle(self, i: int) -> float:
        """End work on a rule: fit its bias and put it back; return what the rule is worth."""
        return float(settle_rule(self._c_draft, self._c_state, i))

    def sums(self, i: int, j: int) -> tuple[Floats, Floats]:
        """Closed-form sums s1, s2 of a feature of the lifted rule, (slots of the feature,)."""
        n_slots = int(self.layout.offsets[j + 1] - self.layout.offsets[j])
        s1, s2 = np.empty(n_slots), np.empty(n_slots)
        lifted_sums(self._c_rows, self._c_layout, self._c_draft, self._c_state, i, j, s1, s2)
        return s1, s2

    def table(self, i: int, j: int) -> Floats:
        """Table of a feature in a rule, a copy."""
        table: Floats = self.draft.tables[i, self.layout.offsets[j] : self.layout.offsets[j + 1]].copy()
        return table

    def put_table(self, i: int, j: int, table: Floats) -> None:
        """Exchange a feature's table in the lifted rule."""
        put_table(self._c_rows, self._c_layout, self._c_draft, self._c_state, i, j, table)

    def move_boundaries(self, i: int, j: int, offered: FeatureBoundaries, shape: Shape, floor: int, reach: int) -> None:
        """Give the boundaries of a feature of the lifted rule their best places and widths, in place; see `soften`."""
        own = shape.cuts, shape.levels, shape.starts_inside
        arrays = self._c_rows, self._c_layout, self._c_draft, self._c_state
        soften_feature(*arrays, i, j, offered.sides, offered.penalties, *own, floor, reach)

    def settle_all(self) -> Floats:
        """Fit the bias of each rule in turn; return what the rules are worth, each with all others in place."""
        worth = np.empty(self.draft.n_rules)
        settle_rules(self._c_rows, self._c_layout, self._c_draft, self._c_state, self.alive, worth)
        return worth

    def visit(self, rules: Integers, price: float, rng: np.random.Generator) -> int:
        """Improve rules and their biases, feature by feature in random order, or drop them; return the changes."""
        orders = rng.permuted(np.tile(np.arange(len(self.rows.codes)), (len(rules), 1)), axis=1)
        arrays = self._c_rows, self._c_layout, self.layout.limits, self._c_draft, self._c_state
        return int(visit_rules(*arrays, rules, orders, price, self.alive))

    def conform(self) -> None:
        """Make every rule keep to the limits, or drop it.

        Biases stay: fitted now, that of a rule that had to change much would fall to 0 at once.
        """
        for i in np.flatnonzero(self.alive[self.draft.n_fixed :]) + self.draft.n_fixed:
            self.lift(int(i))
            table, bias, state = self.draft.tables[i], max(float(self.draft.bias[i]), LEAST_BIAS), self._state
            given = self.rows.codes, self._c_layout, self.layout.limits, table, bias, self.draft.output[i]
            kept = conform_rule(*given, self._c_state)
            activation(state.zeros, state.product, state.rule)
            multiply_into_output(self._c_draft, self._c_state, int(i))
            if not kept:
                drop_rule(self._c_draft, self._c_state, int(i), self.alive, False)

    def fit_fixed(self) -> None:
        """Bias of each fixed rule: the label's share of the rows it covers, with half a row at the given bias.

        With the best bias given all other rules, learned rules could take over all that a fixed rule explains.
        """
        for i, bias in enumerate(self._given_bias.tolist()):
            activate_rule(self._c_rows, self._c_layout, self._c_draft, self._c_state, i)
            covered = self.rows.weights * self._state.rule
            hits = float((covered * self.rows.targets[self.draft.output[i]]).sum())
            share = (hits + LEAST_EVIDENCE * bias) / (float(covered.sum()) + LEAST_EVIDENCE)
            self.draft.bias[i] = min(share, 1.0)
        self._refresh_outputs()

    def fit_output_biases(self) -> None:
        """Best o of each output, as if there were one more row, of the label's own frequency."""
        fit_output_biases(self._c_rows, self._c_draft, self._c_state, self._absence)

    def fit_biases(self) -> None:
        """Alternate the best biases of rules and outputs."""
        for _ in range(_BIAS_ROUNDS):
            before = self.draft.bias.copy()
            self.settle_all()
            self.fit_output_biases()
            if np.abs(self.draft.bias - before).max(initial=0.0) < 1e-4:
                break

    def drop_weakest(self, count: int, output: int | None = None) -> None:
        """Drop the rules (of one output, if given) that are worth least, each judged with all others in place."""
        worth = self.settle_all()
        worth[: self.draft.n_fixed] = np.inf
        if output is not None:
            worth[self.draft.output != output] = np.inf
        self.alive[np.argsort(worth, kind="stable")[:count]] = False
        self._compact()

    def keep(self, rules: npt.NDArray[np.bool_]) -> None:
        """Drop the other rules; the biases of those kept adapt."""
        self.alive[~rules] = False
        self._compact()
        self.fit_biases()

    def grow(self, rules: Integers, price: float, rng: np.random.Generator) -> None:
        """Visit a few rules until they are at rest."""
        while self.visit(rules[self.alive[rules]], price, rng):
            pass

    def sweep(self, price: float, rng: np.random.Generator, outputs: Integers | None = None) -> Integers:
        """Visit every rule of some outputs, or of all, once in random order; return the outputs that changed.

        An output depends on its own rules alone, so those that are at rest need no further visit.
        """
        outputs = np.arange(len(self.draft.output_bias)) if outputs is None else outputs
        changed = np.zeros(len(self.draft.output_bias), np.bool_)
        for k in outputs:
            own = np.flatnonzero(self.alive & (self.draft.output == k))
            changed[k] = self.visit(rng.permutation(own), price, rng) > 0
        visited = np.zeros(len(changed), np.bool_)
        visited[outputs] = True
        changed[self._drop_duplicates(self.alive & visited[self.draft.output])] = True
        self.fit_output_biases()
        return np.flatnonzero(changed)

    def merge_duplicates(self) -> None:
        """Make one rule of those that ask the same for the same output."""
        if self.draft.n_fixed:
            self.fit_fixed()
        self._drop_duplicates(self.alive)
        self._compact()

    def _drop_duplicates(self, among: npt.NDArray[np.bool_]) -> list[int]:
        """Keep the first of some rules that ask the same for the same output; return the outputs of those dropped.

        It takes over the bias of the others.
        """
        first: dict[tuple[int, int], list[int]] = {}
        hashes, dropped = np.empty(len(among), np.int64), list[int]()
        rule_hashes(self._c_layout, self.draft.tables, self.spans, among, hashes)
        for i in np.flatnonzero(among).tolist():
            output = int(self.draft.output[i])
            alike = first.setdefault((output, int(hashes[i])), [])
            kept = next((other for other in alike if self._ask_the_same(i, other)), None)
            if kept is None:
                alike.append(i)
            elif i >= self.draft.n_fixed:
                if kept >= self.draft.n_fixed:
                    self.draft.bias[kept] = 1.0 - (1.0 - self.draft.bias[kept]) * (1.0 - self.draft.bias[i])
                self.alive[i] = False
                dropped.append(output)
        if dropped:
            self._refresh_outputs()
        return dropped

    def _ask_the_same(self, i: int, other: int) -> bool:
        """Whether two rules ask the same; fuzzy boundaries count by their places, since copies would only sharpen."""
        pair = self._questions(np.array([i, other]))
        return bool((self.spans[i] == self.spans[other]).all()) and bytes(pair[0].data) == bytes(pair[1].data)

    def _questions(self, rules: Integers) -> Floats:
        """What some rules ask, as tables; in the place of fuzzy conditions, whose spans tell what they ask, is 0."""
        tables: Floats = self.draft.tables[rules]
        for i, j in np.argwhere((self.spans[rules] >= 0).any(axis=2)):
            tables[i, self.layout.offsets[j] : self.layout.offsets[j + 1]] = 0.0
        return tables

    def run(self, price: float, rng: np.random.Generator, sweeps: int = 20) -> None:
        """Sweep until nothing changes and every rule covers enough rows."""
        if self.draft.n_fixed:
            self.fit_fixed()
        if self.layout.limits is not None:
            self.conform()
        while True:
            moving = None
            for _ in range(sweeps):
                moving = self.sweep(price, rng, moving)
                if len(moving) == 0:
                    break
            if self._drop_narrow() == 0:
                break
        self._compact()

    def _drop_narrow(self) -> int:
        """Drop the rules that cover too few rows; return how many. On their way to rest, rules may be narrow."""
        shares, dropped = self.layout.least_shares, 0
        for i in np.flatnonzero(self.alive[self.draft.n_fixed :]) + self.draft.n_fixed if len(shares) else ():
            activate_rule(self._c_rows, self._c_layout, self._c_draft, self._c_state, int(i))
            share = self.rows.weights[self._state.rule >= 0.5].sum() / self.rows.weights.sum()
            if share < shares[self.draft.output[i]] - 1e-12:
                self.alive[i] = False
                dropped += 1
        if dropped:
            self._refresh_outputs()
            self.fit_output_biases()
        return dropped

    def _compact(self) -> None:
        n_fixed = self.draft.n_fixed  # these are alive and come first
        if not self.alive.all():
            self.draft = self.draft.take(self.alive)._replace(n_fixed=n_fixed)
            self.alive = np.ones(self.draft.n_rules, bool)
        self._refresh_outputs()

    def error(self) -> float:
        """Weighted squared error over all outputs."""
        return float(descent_error(self._c_rows, self._c_draft, self._c_state))

    def objective(self, price: float) -> float:
        """Squared error, the price of all literals and the evidence against each rule's bias."""
        evidence = self.layout.evidence * float((self.draft.bias * self.draft.bias).sum())
        return self.error() + price * float(self.sizes().sum()) + evidence

    def probabilities(self) -> Floats:
        """Probability of each output, (outputs, rows)."""
        none = np.where(self._state.output_zeros > 0, 0.0, self._state.output_product)
        return 1.0 - (1.0 - self.draft.output_bias[:, None]) * none

    def sizes(self) -> Floats:
        """Number of literals of each rule, as the price counts them."""
        return rule_sizes(self._c_layout, self.draft.tables, self.spans)
