"""A descent on rows in buckets takes the steps of the local one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import Limits
from nln.learning.draft import DescentRows
from nln.learning.parted.bucket import Bucket
from nln.learning.parted.descent import PartedDescent
from nln.learning.parted.rows import LocalRows
from tests.learning.oracle import cases

some = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**32 - 1)
prices = st.sampled_from([0.0, 0.05, 0.5, 2.0])


def in_buckets(rows: DescentRows, n_buckets: int, **options) -> LocalRows:
    parts = np.array_split(np.arange(rows.n_rows), n_buckets)
    return LocalRows([Bucket(rows.take(part), np.ones(len(part), np.int64)) for part in parts], **options)


class Forgetful(LocalRows):
    """Buckets that lose their state now and then, as when a machine is lost."""

    def __init__(self, buckets):
        super().__init__(buckets)
        self.rng, self.lost = np.random.default_rng(0), 0

    def run(self, request, only):
        if self.rng.random() < 0.3:
            self.desk.close(str(self.rng.integers(len(self.buckets))))
            self.lost += 1
        return super().run(request, only)


def assert_same(one, other, **tolerance):
    assert one.n_rules == other.n_rules
    np.testing.assert_array_equal(one.output, other.output)
    for part in ("tables", "bias", "output_bias"):
        np.testing.assert_allclose(getattr(one, part), getattr(other, part), **tolerance)
    np.testing.assert_array_equal(one.spans, other.spans)


def both(case, rows, price, seed):
    """Let a local descent and one on buckets run to their rest."""
    found = []
    for descent in (Descent(case.layout, case.rows, case.draft), PartedDescent(case.layout, rows, case.draft)):
        rng = np.random.default_rng(seed)
        descent.run(price, rng)
        descent.fit_biases()
        found.append(descent)
    return found


@some
@given(cases(), seeds, prices)
def test_one_bucket_gives_the_local_descent_to_the_last_bit(case, seed, price):
    local, parted = both(case, in_buckets(case.rows, 1), price, seed)
    assert_same(parted.draft, local.draft, rtol=0, atol=0)
    assert parted.error() == local.error()
    assert parted.objective(price) == local.objective(price)


@some
@given(cases(), seeds, st.integers(2, 5))
def test_several_buckets_give_the_same_sums(case, seed, n_buckets):
    local = Descent(case.layout, case.rows, case.draft)
    parted = PartedDescent(case.layout, in_buckets(case.rows, n_buckets, n_jobs=2), case.draft)
    assert parted.error() == pytest.approx(local.error(), abs=1e-9)
    for i in range(case.draft.n_rules):
        for descent in (local, parted):
            descent.lift(i)
        for j in range(len(case.rows.codes)):
            for ours, theirs in zip(parted.sums(i, j), local.sums(i, j), strict=True):
                np.testing.assert_allclose(ours, theirs, atol=1e-9)
        assert parted.settle(i) == pytest.approx(local.settle(i), abs=1e-9)


@some
@given(cases(), seeds, prices)
def test_a_thrifty_desk_computes_the_same(case, seed, price):
    local, parted = both(case, in_buckets(case.rows, 1, thrifty=True), price, seed)
    assert parted.error() == pytest.approx(local.error(), abs=1e-6)
    assert parted.draft.n_rules == local.draft.n_rules


@some
@given(cases(), seeds)
def test_buckets_that_forget_begin_anew_where_the_descent_is(case, seed):
    steady = PartedDescent(case.layout, in_buckets(case.rows, 3), case.draft)
    shaken = PartedDescent(case.layout, Forgetful(in_buckets(case.rows, 3).buckets), case.draft)
    for descent in (steady, shaken):
        descent.sweep(0.05, np.random.default_rng(seed))
    assert shaken.error() == pytest.approx(steady.error(), abs=1e-6)
    assert shaken.buckets.lost > 0
    np.testing.assert_allclose(shaken.draft.bias, steady.draft.bias, atol=1e-6)


def limited(case, rng):
    """The case with random limits on what rules may ask."""
    n, outputs = case.n_features, len(case.draft.output_bias)
    pairs = np.triu(rng.random((n, n)) < 0.2, 1)
    directions = np.where(case.layout.ordered == 1, rng.integers(-1, 2, (outputs, n)), 0)
    limits = Limits(pairs | pairs.T, rng.random(n) < 0.3, directions, rng.choice([0.5, 1.0, 2.0], n))
    shares = np.full(outputs, 0.02)
    layout = case.layout._replace(limits=limits, max_conditions=int(rng.integers(0, 3)), least_shares=shares)
    return replace(case, layout=layout)


@some
@given(cases(), seeds, prices)
def test_limits_are_kept_as_the_local_descent_keeps_them(case, seed, price):
    case = limited(case, np.random.default_rng(seed))
    local, parted = both(case, in_buckets(case.rows, 1), price, seed)
    assert_same(parted.draft, local.draft, rtol=0, atol=1e-12)
