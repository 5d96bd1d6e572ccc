"""The best region of a column, against all regions tried one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.derived.kernels.regions import best_region, histogram, region_gains
from nln.learning.derived.screen import screen_bins


def saved(mass, hits, total):
    return max(hits, 0.0) ** 2 / (mass + 0.5) / (1.0 - mass / (total + 0.5))


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from([0.0, 0.001, 0.1]))
def test_no_interval_and_no_complement_saves_more(seed, alone, price):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    mass, hits, extra = rng.random(n), rng.normal(size=n), float(rng.integers(0, 3))
    total = float(mass.sum()) if alone else np.inf
    gain, low, high, inside = best_region(mass, hits, n, total, price, extra)
    tried = {}
    for first in range(n):
        for last in range(first, n):
            ends = (first > 0) + (last < n - 1)
            within = (np.arange(n) >= first) & (np.arange(n) <= last)
            for side in (True, False) if ends else ():
                chosen = within == side
                worth = saved(mass[chosen].sum(), hits[chosen].sum(), total)
                tried[first, last, side] = worth - price * (ends + extra)
    assert gain == pytest.approx(max(0.0, *tried.values()))
    if gain > 0:
        assert tried[low, high, bool(inside)] == pytest.approx(gain)


def test_gains_are_those_of_histograms():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, (3, 50)).astype(np.uint8)  # the last of 4 + 1 slots is missing
    mass, hits = rng.random((2, 50)), rng.normal(size=(2, 50))
    found = region_gains(codes, np.full(3, 4), mass, hits, np.inf, 0.05, np.zeros(3))
    for c in range(3):
        for k in range(2):
            sums = histogram(codes[c], 5, mass[k], hits[k])
            assert found[c, k] == best_region(*sums, 4, np.inf, 0.05, 0.0)[0]


@given(st.lists(st.floats(-5, 5) | st.just(float("nan")), min_size=1, max_size=300))
def test_screening_bins_keep_the_order_and_equal_values_together(values):
    column = np.array(values)
    codes, n_bins = screen_bins(column)
    known = ~np.isnan(column)
    assert (codes[~known] == n_bins).all()
    assert n_bins <= 48
    order = np.argsort(column[known], kind="stable")
    assert (np.diff(codes[known][order].astype(int)) >= 0).all()
    for value in np.unique(column[known])[:20]:
        assert len(np.unique(codes[column == value])) == 1


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=300), st.integers(0, 4))
def test_screening_bins_begin_at_different_values_or_at_their_quantiles(values, digits):
    column = np.array(values).round(digits)
    starts = np.unique(column)
    if len(starts) > 48:
        starts = np.unique(np.quantile(column, np.linspace(0.0, 1.0, 48, endpoint=False), method="lower"))
    codes, n_bins = screen_bins(column)
    assert n_bins == len(starts)
    np.testing.assert_array_equal(codes, np.searchsorted(starts, column, side="right") - 1)
