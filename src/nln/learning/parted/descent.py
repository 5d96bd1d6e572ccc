"""The descent on rows in buckets: the steps of the local descent, with sums that others compute.

The local descent visits rules in C (`visits.c`), loops and passes over the rows alike. Here the passes run in the
buckets, and the loop around them is written once more, in Python; what a condition becomes is decided by the same
functions in C. The tests hold both to the same programs.
"""

from __future__ import annotations

import numpy as np

from nln.learning.descent.boundaries import FeatureBoundaries, Shape, shape_table
from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.best_table import table_loss
from nln.learning.descent.kernels.limits import must_ask
from nln.learning.descent.kernels.records import LAYOUT, LIMITS
from nln.learning.descent.kernels.shapes import improve_shape
from nln.learning.descent.kernels.statistics import is_used
from nln.learning.descent.kernels.visits import CHANGED, KEPT, LEAST_BIAS, improve_feature, must_change, rule_size
from nln.learning.descent.layout import LEAST_EVIDENCE, Integers, Limits, SlotLayout
from nln.learning.draft import DescentRows, Draft, no_spans
from nln.learning.parted.bucket import NO_RULE
from nln.learning.parted.limits import conform, swap
from nln.learning.parted.rows import AllRows, Conversation, Position
from nln.native.binding import Bound
from nln.tables.encoding import Floats


def descend(layout: SlotLayout, rows: DescentRows | AllRows, draft: Draft) -> Descent:
    """Begin a descent on rows of either form."""
    return PartedDescent(layout, rows, draft) if isinstance(rows, AllRows) else Descent(layout, rows, draft)


class PartedDescent(Descent):
    """A descent whose rows lie in buckets."""

    def __init__(self, layout: SlotLayout, rows: AllRows, draft: Draft) -> None:
        self.layout, self.buckets, self.draft = layout, rows, draft.copy()
        self.n_features = len(layout.n_known)
        if self.draft.spans is None:
            self.draft = self.draft._replace(spans=no_spans(draft.n_rules, self.n_features))
        self.alive = np.ones(draft.n_rules, bool)
        self._given_bias = draft.bias[: draft.n_fixed].copy()
        self._absence = 1.0 - rows.label_weights / max(rows.weight, 1e-300)
        self._c_layout, limits = LAYOUT.bind(layout), layout.limits
        self._c_limits = None if limits is None else LIMITS.bind(limits)
        self._lifted, self._talk = NO_RULE, Conversation(rows)
        self._refresh_outputs()

    def anew(self, draft: Draft) -> PartedDescent:
        """Begin a descent from another draft on the same rows."""
        return PartedDescent(self.layout, self.buckets, draft)

    @property
    def bound(self) -> tuple[Bound[SlotLayout], Bound[Limits] | None]:
        """The layout and its limits as C takes them."""
        return self._c_layout, self._c_limits

    @property
    def _position(self) -> Position:
        """Where the descent is now."""
        alive = self.alive.copy()
        if self._lifted != NO_RULE:
            alive[self._lifted] = False
        return Position(self.layout, self.draft, alive, self._lifted)

    def _ask(self, operation: str, *arguments: object) -> Floats:
        return self._talk.ask(operation, *arguments, position=self._position)

    def _refresh_outputs(self) -> None:
        self._lifted = NO_RULE
        self._talk.begin(self._position)

    def lift(self, i: int) -> None:
        """Begin work on a rule."""
        self._talk.tell("lift", i)
        self._lifted = i

    def settle(self, i: int) -> float:
        """End work on a rule: fit its bias and put it back; return what the rule is worth."""
        first, second = self._ask("worth")
        second += self.layout.evidence
        if i >= self.draft.n_fixed:
            self.draft.bias[i] = min(max(first / second, 0.0), 1.0)
        a = float(self.draft.bias[i])
        self._lifted = NO_RULE
        self._talk.tell("seat", i, a)
        return float(2 * first * a - second * a * a)

    def sums_of(self, i: int, features: Integers) -> tuple[Floats, Floats, float, float]:
        """Sums s1, s2 over the slots of some features of the lifted rule, what a new one can save, covered weight."""
        bias = max(float(self.draft.bias[i]), LEAST_BIAS)
        answer = self._ask("sums", i, features, bias)
        n = (len(answer) - 2) // 2
        return answer[:n], answer[n : 2 * n], float(answer[-2]), float(answer[-1])

    def sums(self, i: int, j: int) -> tuple[Floats, Floats]:
        """Closed-form sums s1, s2 of a feature of the lifted rule."""
        return self.sums_of(i, np.array([j], np.int64))[:2]

    def put_table(self, i: int, j: int, table: Floats) -> None:
        """Exchange a feature's table in the lifted rule."""
        self.draft.tables[i, self.layout.offsets[j] : self.layout.offsets[j + 1]] = table
        self._talk.tell("put", i, j, table.copy())

    def move_boundaries(self, i: int, j: int, offered: FeatureBoundaries, shape: Shape, floor: int, reach: int) -> None:
        """Give the boundaries of a feature of the lifted rule their best places and widths, in place."""
        (s1, s2), n_bins = self.sums(i, j), len(offered.centers)
        own = shape.cuts, shape.levels, shape.starts_inside
        improve_shape(offered.sides, offered.penalties, *own, s1[:n_bins], s2[:n_bins], floor, reach)
        table = self.table(i, j)
        table[:n_bins] = shape_table(offered, shape)
        is_partial = self.layout.partial_missing and len(table) > n_bins
        if is_partial and table[-1] > 0 and s2[-1] > 0:  # the missing slot keeps its best probability
            table[-1] = np.clip(s1[-1] / s2[-1], 0.0, 1.0)
        self.put_table(i, j, table)

    def settle_all(self) -> Floats:
        """Fit the bias of each rule in turn; return what the rules are worth, each with all others in place."""
        worth = np.empty(self.draft.n_rules)
        for i in np.flatnonzero(self.alive).tolist():
            self.lift(i)
            worth[i] = self.settle(i)
        return worth

    def visit(self, rules: Integers, price: float, rng: np.random.Generator) -> int:
        """Improve rules and their biases, feature by feature in random order, or drop them; return the changes."""
        orders = rng.permuted(np.tile(np.arange(self.n_features), (len(rules), 1)), axis=1)
        total = 0
        for i, order in zip(rules.tolist(), orders, strict=True):
            if i < self.draft.n_fixed:
                continue
            self.lift(i)
            total += self._improve(i, order, price)
            if self.layout.limits is not None:
                total += swap(self, i, price)
            size = float(rule_size(self._c_layout, self._c_limits, self.draft.tables[i], self.spans[i]))
            gain = self.settle(i)
            if size == 0 or gain <= price * size:
                self._drop(i, absorb=size == 0)
                total += 1
        return total

    def _drop(self, i: int, *, absorb: bool) -> None:
        """Drop the rule that was settled last; the bias of its output takes over a rule that asks nothing."""
        self.alive[i] = False
        self._talk.tell("unseat", i)
        if absorb:
            k, a = self.draft.output[i], self.draft.bias[i]
            self.draft.output_bias[k] = 1.0 - (1.0 - self.draft.output_bias[k]) * (1.0 - a)
            self._tell_biases()

    def _tell_biases(self) -> None:
        self._talk.tell("set_biases", self.draft.bias.copy(), self.draft.output_bias.copy())

    def _improve(self, i: int, order: Integers, price: float) -> int:
        """Give each feature of the lifted rule its best table in turn; after each change the buckets sum anew."""
        layout, changes, left = self.layout, 0, order
        least = self._least_weight(int(self.draft.output[i]))
        s1, s2, saved, before = self.sums_of(i, left)
        place, at = 0, self._starts(left)
        while place < len(left):
            j = int(left[place])
            part = slice(at[place], at[place + 1])
            found = self._choose(i, j, s1[part], s2[part], price, saved)
            place += 1
            if found is None:
                continue
            change, new, span = found
            undone, end = (self.table(i, j), self.spans[i, j].copy()), at[place]
            rest = s1[end:], s2[end:], saved
            self.put_table(i, j, new)
            self.spans[i, j] = span
            left = left[place:]
            place, at = 0, self._starts(left)
            s1, s2, saved, now = self.sums_of(i, left)
            if least > 0.0 and now < min(least, before) and not must_change(self._c_layout, j, *undone):
                self.put_table(i, j, undone[0])
                self.spans[i, j] = undone[1]
                s1, s2, saved = rest
                continue
            before = now
            changes += change == CHANGED
        return changes + (self._trim(i) if layout.max_conditions > 0 else 0)

    def _choose(
        self, i: int, j: int, s1: Floats, s2: Floats, price: float, saved: float
    ) -> tuple[int, Floats, Integers] | None:
        """Find the best table of a feature, given its sums; None if the one it has stays."""
        new, span, rule = np.empty(len(s1)), self.spans[i, j].copy(), (self._c_limits, self.draft.tables[i])
        given = span, s1, s2, saved, price, self.draft.output[i]
        change = improve_feature(self._c_layout, *rule, j, *given, new)
        return None if change == KEPT else (change, new, span)

    def _starts(self, features: Integers) -> Integers:
        """Where the slots of each feature begin among those of all given, and where the last ones end."""
        return np.concatenate([[0], np.cumsum(np.diff(self.layout.offsets)[features])])

    def _least_weight(self, output: int) -> float:
        shares = self.layout.least_shares
        return float(shares[output]) * self.buckets.weight if len(shares) else 0.0

    def _trim(self, i: int) -> int:
        """Take away the conditions that are missed least until no more are left than allowed; return how many."""
        taken = 0
        while len(used := self.used(i)) > self.layout.max_conditions and (free := self.not_forced(i, used)):
            self.take_away(i, self.least_missed(i, free))
            taken += 1
        self.spans[i, np.setdiff1d(np.arange(self.n_features), used)] = -1
        return taken

    def used(self, i: int) -> list[int]:
        """Features that a rule asks about."""
        return [j for j in range(self.n_features) if is_used(self.table(i, j))]

    def not_forced(self, i: int, features: list[int]) -> list[int]:
        """Those of some features that a rule need not ask about."""
        if self.layout.limits is None:
            return features
        return [j for j in features if not must_ask(self._c_layout, self._c_limits, self.draft.tables[i], j)]

    def least_missed(self, i: int, features: list[int]) -> int:
        """The condition of the lifted rule that is missed least, of those on the features given."""
        s1, s2, *_ = self.sums_of(i, np.array(features, np.int64))
        cuts, lost = self._starts(np.array(features))[1:-1], []
        for j, t1, t2 in zip(features, np.split(s1, cuts), np.split(s2, cuts), strict=True):
            old = self.table(i, j)
            lost.append(table_loss(np.ones(len(old)), old, t1, t2))
        return features[int(np.argmin(lost))]

    def take_away(self, i: int, j: int) -> None:
        """Let the lifted rule ask nothing of a feature."""
        self.put_table(i, j, np.ones(self.layout.offsets[j + 1] - self.layout.offsets[j]))

    def conform(self) -> None:
        """Make every rule keep to the limits, or drop it."""
        for i in (np.flatnonzero(self.alive[self.draft.n_fixed :]) + self.draft.n_fixed).tolist():
            self.lift(i)
            kept = conform(self, i)
            self._lifted = NO_RULE
            self._talk.tell("seat", i, float(self.draft.bias[i]))
            if not kept:
                self._drop(i, absorb=False)

    def fit_fixed(self) -> None:
        """Bias of each fixed rule: the label's share of the rows it covers, with half a row at the given bias."""
        found = self._ask("coverage")
        for i, bias in enumerate(self._given_bias.tolist()):
            share = (found[i, 3] + LEAST_EVIDENCE * bias) / (found[i, 2] + LEAST_EVIDENCE)
            self.draft.bias[i] = min(share, 1.0)
        self._refresh_outputs()

    def fit_output_biases(self) -> None:
        """Best o of each output."""
        first, second = self._ask("outputs").T
        absent = (first + self._absence) / (second + 1.0)
        self.draft.output_bias[:] = 1.0 - np.clip(absent, 0.0, 1.0)
        self._tell_biases()

    def _drop_narrow(self) -> int:
        shares, n_fixed = self.layout.least_shares, self.draft.n_fixed
        if not len(shares) or not self.alive[n_fixed:].any():
            return 0
        weight = self._ask("coverage")[:, 0] / self.buckets.weight
        narrow = self.alive & (weight < shares[self.draft.output] - 1e-12)
        narrow[:n_fixed] = False
        if narrow.any():
            self.alive[narrow] = False
            self._refresh_outputs()
            self.fit_output_biases()
        return int(narrow.sum())

    def missed_rows(self, most: int) -> DescentRows:
        """Take rows whose labels no rule gives, and as many others, with weights that stand for all rows."""
        missed, others = self._ask("count_missed")
        shares = min(most / max(missed, 1.0), 1.0), min(most / max(others, 1.0), 1.0)
        parts = self._talk.ask_each("take_missed", *shares, position=self._position)
        codes, targets, weights = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("codes", "targets", "weights")
        )
        return DescentRows(np.ascontiguousarray(codes.T), np.ascontiguousarray(targets.T), weights)

    def error(self) -> float:
        """Weighted squared error over all outputs."""
        return float(np.cumsum(self._ask("errors"))[-1])  # one after the other, as in C
