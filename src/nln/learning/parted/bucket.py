"""One bucket of rows, and how it answers a descent that runs elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nln.learning.descent.kernels.records import DRAFT, LAYOUT, ROWS, STATE
from nln.learning.descent.kernels.statistics import (
    activation,
    bias_sums,
    covered_weight,
    output_sums,
    quadratic,
    remove_factor,
    rule_sums,
    squared_error,
)
from nln.learning.descent.kernels.visits import (
    DescentState,
    activate_rule,
    compute_outputs,
    lift_rule,
    multiply_into_output,
    put_table,
)
from nln.learning.descent.layout import SlotLayout
from nln.learning.draft import DescentRows, no_spans
from nln.learning.packed import PackedDraft, unpack
from nln.tables.encoding import EncodedRows, Floats, Integers

NO_RULE = -1
"""Number of the lifted rule if none is."""

Answer = Floats | EncodedRows
Operation = tuple[Any, ...]
"""Name of a method of `BucketDescent`, and its arguments."""


class Bucket(NamedTuple):
    """Distinct rows whose hashes fall in one range."""

    rows: DescentRows
    counts: Integers  # how often each was seen


class Request(NamedTuple):
    """Operations for every bucket; the last one gives the answer."""

    descent: str  # which descent asks
    version: int  # how many requests of it came before
    operations: Sequence[Operation]


class BucketDescent:
    """What a descent has computed on the rows of one bucket."""

    def __init__(self, bucket: Bucket, layout: SlotLayout, packed: PackedDraft, alive: Any, lifted: int) -> None:
        self.rows, self.counts, self.layout = bucket.rows, bucket.counts, layout
        self.draft = unpack(packed)._replace(spans=no_spans(packed.shape[0], 0))
        self.version, self.lifted, n_outputs = 0, lifted, len(packed.output_bias)
        shape = n_outputs, bucket.rows.n_rows
        self._outputs = np.zeros(shape, np.int32), np.ones(shape)
        self._c_rows, self._c_layout, self._c_draft = ROWS.bind(self.rows), LAYOUT.bind(layout), DRAFT.bind(self.draft)
        self._make_room()
        compute_outputs(self._c_rows, self._c_layout, self._c_draft, self._c_state, alive)
        if lifted != NO_RULE:
            self.hoist(lifted)

    def _make_room(self) -> None:
        """Make room for a rule on all rows, beside the outputs."""
        n, count = self.rows.n_rows, np.min_scalar_type(len(self.rows.codes))
        rule = np.zeros(n, count), np.ones(n), np.ones(n)
        room = np.zeros(n, np.int64), np.zeros(n), np.zeros(n)
        self.state = DescentState(*rule, *room, *self._outputs, self.layout.evidence)
        self._c_state = STATE.bind(self.state)

    def rest(self) -> None:
        """Give away the room for a rule, several times that of the outputs."""
        del self.state, self._c_state

    def wake(self) -> None:
        """Make room again, and compute the lifted rule anew."""
        if not hasattr(self, "state"):
            self._make_room()
            if self.lifted != NO_RULE:
                self.hoist(self.lifted)

    def lift(self, i: int) -> None:
        """Compute a rule and take it out of its output."""
        self.lifted = i
        lift_rule(self._c_rows, self._c_layout, self._c_draft, self._c_state, i)

    def hoist(self, i: int) -> None:
        """Compute a rule that is not in its output."""
        activate_rule(self._c_rows, self._c_layout, self._c_draft, self._c_state, i)
        k, state = self.draft.output[i], self.state
        outputs = state.output_zeros[k], state.output_product[k], self.draft.output_bias[k]
        quadratic(self.rows.targets[k], self.rows.weights, *outputs, state.q1, state.q2)

    def sums(self, i: int, features: Integers, bias: float) -> Floats:
        """Sums s1 and s2 of some features of the lifted rule, what any other can save, and the weight it covers."""
        n_slots = int(np.diff(self.layout.offsets)[features].sum())
        found, table = np.empty(2 * n_slots + 2), self.draft.tables[i]
        room = found[:n_slots], found[n_slots:-2]
        found[-2] = rule_sums(self.rows.codes, self._c_layout, table, bias, self._c_state, features, *room)
        found[-1] = covered_weight(self._c_state, self.rows.weights)
        return found

    def put(self, i: int, j: int, table: Floats) -> None:
        """Exchange a feature's table in the lifted rule."""
        put_table(self._c_rows, self._c_layout, self._c_draft, self._c_state, i, j, table)

    def worth(self) -> Floats:
        """Sums that give the bias of the lifted rule."""
        activation(self.state.zeros, self.state.product, self.state.rule)
        return np.array(bias_sums(self.state.rule, self.state.q1, self.state.q2))

    def seat(self, i: int, bias: float) -> None:
        """Put the lifted rule back into its output, with another bias."""
        self.draft.bias[i], self.lifted = bias, NO_RULE
        activation(self.state.zeros, self.state.product, self.state.rule)
        multiply_into_output(self._c_draft, self._c_state, i)

    def set_biases(self, bias: Floats, output_bias: Floats) -> None:
        """Take other biases; the outputs stay as they are."""
        self.draft.bias[:], self.draft.output_bias[:] = bias, output_bias

    def unseat(self, i: int) -> None:
        """Drop the rule that was seated last."""
        k = self.draft.output[i]
        remove_factor(self.state.rule, self.draft.bias[i], self.state.output_zeros[k], self.state.output_product[k])

    def outputs(self) -> Floats:
        """Sums that give the bias of each output, (outputs, 2)."""
        state = zip(self.rows.targets, self.state.output_zeros, self.state.output_product, strict=True)
        return np.array([output_sums(y, self.rows.weights, zeros, product) for y, zeros, product in state])

    def errors(self) -> Floats:
        """Squared error of each output."""
        state = self.state.output_zeros, self.state.output_product, self.draft.output_bias
        parts = zip(self.rows.targets, *state, strict=True)
        return np.array([squared_error(y, self.rows.weights, *part) for y, *part in parts])

    def missed(self) -> npt.NDArray[np.bool_]:
        """Rows that have a label which no rule gives them."""
        zeros, product = self.state.output_zeros, self.state.output_product
        absent = (1.0 - self.draft.output_bias[:, None]) * np.where(zeros > 0, 0.0, product)
        return np.asarray(((self.rows.targets > 0.5) & (absent > 0.5)).any(axis=0))

    def count_missed(self) -> Floats:
        """Number of these rows, and of the others."""
        missed = int(self.missed().sum())
        return np.array([missed, self.rows.n_rows - missed], np.float64)

    def take_missed(self, share: float, other_share: float) -> EncodedRows:
        """Take a share of these rows and one of the others, evenly spread; each stands for those not taken."""
        missed, weights, chosen = self.missed(), self.rows.weights.copy(), []
        for rows, part in ((np.flatnonzero(missed), share), (np.flatnonzero(~missed), other_share)):
            place = np.arange(len(rows))
            some = rows[np.floor((place + 1) * part) > np.floor(place * part)]
            weights[some] *= len(rows) / max(len(some), 1)
            chosen.append(some)
        taken = np.sort(np.concatenate(chosen))
        codes = np.ascontiguousarray(self.rows.codes[:, taken].T)
        return EncodedRows(codes, self.rows.targets[:, taken].T, weights[taken], self.counts[taken])

    def coverage(self) -> Floats:
        """Weight and number of the rows that each rule covers, and soft sums of weights and hits, (rules, 4)."""
        found = np.empty((self.draft.n_rules, 4))
        for i in range(self.draft.n_rules):
            activate_rule(self._c_rows, self._c_layout, self._c_draft, self._c_state, i)
            inside, soft = self.state.rule >= 0.5, self.rows.weights * self.state.rule
            hits = (soft * self.rows.targets[self.draft.output[i]]).sum()  # no BLAS: the same everywhere
            found[i] = self.rows.weights[inside].sum(), self.counts[inside].sum(), soft.sum(), hits
        return found


class Desk:
    """Where a bucket keeps the state of the descent that asked last: one state for each bucket is enough.

    A thrifty desk keeps the outputs alone between two requests, and computes the lifted rule anew for each.
    """

    def __init__(self, *, thrifty: bool = False) -> None:
        self._open: dict[str, tuple[str, BucketDescent]] = {}
        self.thrifty = thrifty

    def answer(self, name: str, bucket: Bucket, request: Request) -> Answer | None:
        """Work on a request; None if the state that it goes on from is not here."""
        operations = list(request.operations)
        if operations[0][0] == "begin":
            self._open[name] = request.descent, BucketDescent(bucket, *operations.pop(0)[1:])
        else:
            descent, here = self._open.get(name, ("", None))
            if descent != request.descent or here is None or here.version != request.version:
                return None
        here, answer = self._open[name][1], None
        here.version = -1  # a request that fails half-way leaves no state to go on from
        here.wake()
        for operation, *arguments in operations:
            answer = getattr(here, operation)(*arguments)
        here.version = request.version + 1
        if self.thrifty:
            here.rest()
        return np.empty(0) if answer is None else answer

    def close(self, fit: str) -> None:
        """Forget the buckets of a fit, whose names begin with its own."""
        for name in [name for name in self._open if name.startswith(fit)]:
            del self._open[name]
