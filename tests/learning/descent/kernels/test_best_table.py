from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.descent.kernels.best_arcs import best_arc, best_arcs
from nln.learning.descent.kernels.best_table import (
    CHANCE,
    CIRCLE,
    best_interval,
    best_intervals,
    best_missing,
    best_table,
    best_values,
    is_soft,
    literals,
    table_cost,
)
from tests.learning.oracle import NEGATION, condition_length, random_table, table_objective

some = settings(max_examples=150, deadline=None)
seeds = st.integers(0, 2**32 - 1)
flags = st.booleans()
prices = st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0])
KINDS = [(5, 0, 0, False), (4, 1, 0, False), (4, 0, 1, False), (3, 1, 1, False), (5, 0, 0, True), (5, 0, 1, True)]
kinds = st.one_of(
    st.tuples(st.integers(1, 5), st.integers(0, 1), st.integers(0, 1), st.just(False)),
    st.tuples(st.integers(1, 6), st.just(0), st.integers(0, 1), st.just(True)),
    st.tuples(st.integers(2, 6), st.just(0), st.integers(0, 1), st.sampled_from([CIRCLE, CHANCE])),
)


def random_sums(seed, n):
    """Sums with slots without evidence, and, half the time, many ties."""
    rng = np.random.default_rng(seed)
    s1, s2 = rng.normal(size=n), rng.exponential(size=n)
    if rng.random() < 0.5:
        s1, s2 = np.round(2 * s1) / 4, np.round(2 * s2) / 2
    s1[s2 == 0] = 0.0
    none = rng.random(n) < 0.3
    s1[none] = s2[none] = 0.0
    return s1, s2


def all_tables(kind, s1, s2):
    """Every table of crisp known slots, a missing value being out, in, or in with its best probability."""
    n_known, has_other, has_missing, ordered = kind
    missing = [()]
    if has_missing:
        best = min(max(s1[-1] / s2[-1], 0.0), 1.0) if s2[-1] > 0 else 0.0
        missing = [(p,) for p in {0.0, 1.0, float(best)}]
    tables = product([0.0, 1.0], repeat=n_known + has_other)
    if ordered == CHANCE:
        p = chances(n_known)
        tables = [p, 1 - p, np.zeros(n_known), np.ones(n_known)]
    for known in tables:
        for p in missing:
            yield np.array([*known, *p])


def chances(n_known):
    """Probabilities of the bins of a probability, some of them certain."""
    return np.linspace(0.0, 1.0, n_known)


def best_of(kind, s1, s2, price, axis=None):
    out = np.full(len(s1), 0.5)
    if kind[3] == CHANCE:
        axis = np.append(chances(kind[0]), np.zeros(len(s1) - kind[0]))
    best_table(s1, s2, *kind, price, NEGATION, True, np.arange(len(s1), dtype=float) if axis is None else axis, out)
    return out


@some
@given(kinds, seeds, prices)
def test_no_table_has_a_smaller_objective_than_the_best_one(kind, seed, price):
    s1, s2 = random_sums(seed, sum(kind[:3]))
    found = best_of(kind, s1, s2, price)
    least = min(table_objective(t, s1, s2, kind, price) for t in all_tables(kind, s1, s2))
    assert table_objective(found, s1, s2, kind, price) == pytest.approx(least, abs=1e-9)


@some
@given(kinds, seeds, prices)
def test_asking_nothing_wins_ties(kind, seed, price):
    s1, s2 = random_sums(seed, sum(kind[:3]))
    least = min(table_objective(t, s1, s2, kind, price) for t in all_tables(kind, s1, s2))
    nothing = np.ones(len(s1))
    if table_objective(nothing, s1, s2, kind, price) == least:
        np.testing.assert_array_equal(best_of(kind, s1, s2, price), nothing)


@some
@given(kinds, seeds)
def test_the_length_of_a_table_is_that_of_its_shortest_condition(kind, seed):
    zeros = np.zeros(sum(kind[:3]))
    for table in all_tables(kind, zeros, zeros):
        assert literals(table, *kind, NEGATION) == condition_length(table, *kind)
    s1, s2 = random_sums(seed, len(zeros))
    soft = random_table(np.random.default_rng(seed), len(zeros), "soft")
    crisp = (soft > 0.5).astype(float)
    assert table_cost(crisp, s1, s2, *kind, 0.7, NEGATION) == pytest.approx(table_objective(crisp, s1, s2, kind, 0.7))
    assert literals(soft, *kind, NEGATION) >= 1


@pytest.mark.parametrize(
    ("table", "kind", "length"),
    [
        ([1, 1, 1], (3, 0, 0, False), 0),
        ([1, 0, 0], (3, 0, 0, False), 1),
        ([1, 1, 0], (3, 0, 0, False), 1.5),
        ([1, 0], (2, 0, 0, False), 1),
        ([1, 1, 0, 0], (3, 1, 0, False), 2),
        ([1, 1, 0, 1], (3, 1, 0, False), 1.5),
        ([1, 1, 1, 0], (3, 1, 0, False), 3),
        ([0, 0, 0, 1], (3, 1, 0, False), 3.5),
        ([0, 1, 1, 0, 1], (5, 0, 0, True), 3),
        ([0, 0, 1], (3, 0, 0, True), 1),
        ([1, 1, 1, 0], (3, 0, 1, True), 1),
        ([1, 1, 1, 0.4], (3, 0, 1, True), 2),
        ([1, 1, 1, 1], (3, 0, 1, True), 0),
        ([0, 0, 0, 1], (3, 0, 1, True), 1),
        ([0, 0, 0, 0], (3, 0, 1, False), 0),
        ([0, 1, 0, 0.3], (3, 0, 1, False), 2),
        ([0.6, 0.7, 1], (3, 0, 0, True), 1),
        ([1, 0, 0, 1], (4, 0, 0, CIRCLE), 2),
        ([0, 1, 0, 1], (4, 0, 0, CIRCLE), 4),
        ([0, 0, 1, 0.5], (3, 0, 1, CIRCLE), 3),
        ([0.1, 0.4, 0.9], (3, 0, 0, CHANCE), 1),
        ([0.1, 0.4, 0.9, 0.3], (3, 0, 1, CHANCE), 2),
        ([1, 1, 1, 0], (3, 0, 1, CHANCE), 1),
    ],
)
def test_literals_are_counted_as_they_are_written(table, kind, length):
    assert literals(np.array(table, float), *kind, NEGATION) == length


@some
@given(st.integers(1, 6), flags, seeds, prices)
def test_value_sets_are_optimal_and_their_cost_is_told(n_known, has_other, seed, price):
    s1, s2 = random_sums(seed, n_known + has_other)
    kind, out = (n_known, int(has_other), 1, False), np.full(len(s1), 0.5)
    told = best_values(2 * s1 - s2, n_known, int(has_other), price, NEGATION, out)
    assert told == pytest.approx(cost_without_missing(out, s1, s2, kind, price), abs=1e-9)
    known = product([0.0, 1.0], repeat=len(s1))
    assert told == pytest.approx(min(cost_without_missing(t, s1, s2, kind, price) for t in known), abs=1e-9)


@some
@given(st.integers(1, 7), seeds, prices)
def test_unions_of_intervals_are_optimal_and_their_cost_is_told(n_bins, seed, price):
    s1, s2 = random_sums(seed, n_bins)
    kind, out = (n_bins, 0, 1, True), np.full(n_bins, 0.5)
    told = best_intervals(2 * s1 - s2, n_bins, price, np.arange(n_bins, dtype=float), out)
    assert told == pytest.approx(cost_without_missing(out, s1, s2, kind, price), abs=1e-9)
    known = product([0.0, 1.0], repeat=n_bins)
    assert told == pytest.approx(min(cost_without_missing(t, s1, s2, kind, price) for t in known), abs=1e-9)


def cost_without_missing(known, s1, s2, kind, price):
    """Objective of a table that no missing value satisfies."""
    return table_objective(np.append(known, 0.0), np.append(s1, 0.0), np.append(s2, 0.0), kind, price)


@some
@given(st.floats(-5, 5), st.floats(0, 5), prices)
def test_a_missing_value_gets_its_best_probability_if_that_earns_its_price(s1, s2, price):
    p, cost = best_missing(s1, s2, price)
    assert 0 <= p <= 1
    assert cost == pytest.approx(s2 * p * p - 2 * s1 * p + price * (p > 0), abs=1e-12)
    if s2 > 0:
        for other in np.linspace(0, 1, 21):
            assert cost <= s2 * other**2 - 2 * s1 * other + price * (other > 0) + 1e-12


@some
@given(st.integers(3, 6), flags, seeds, prices)
def test_values_without_evidence_fall_on_the_side_of_the_shorter_condition(n_known, has_other, seed, price):
    s1, s2 = random_sums(seed, n_known + has_other)
    if has_other:
        s1[-1] = s2[-1] = 0.0
    gain = 2 * s1 - s2
    found = best_of((n_known, int(has_other), 0, False), s1, s2, price)[:n_known]
    if (found == 1).all() or (found == 0).all():
        return
    no_evidence = (s1 == 0) & (s2 == 0)
    listed = price * found.sum() - gain[:n_known] @ found
    excluded = price * ((1 - found).sum() + NEGATION) - gain[:n_known] @ found
    if listed != excluded:
        assert (found[no_evidence[:n_known]] == float(excluded < listed)).all()


def test_the_shorter_of_members_and_exceptions_is_taken():
    gain = np.array([9.0, -9.0, 0.0, 0.0, 9.0])
    out = np.empty(5)
    best_values(gain, 5, 0, 1.0, NEGATION, out)
    np.testing.assert_array_equal(out, [1, 0, 1, 1, 1])
    best_values(-gain, 5, 0, 1.0, NEGATION, out)
    np.testing.assert_array_equal(out, [0, 1, 0, 0, 0])


def test_without_a_price_values_without_evidence_are_in_where_exceptions_are_listed():
    out = np.empty(4)
    best_values(np.array([0.0, -3.0, 5.0, 1.0]), 3, 1, 0.0, NEGATION, out)
    np.testing.assert_array_equal(out, [1, 0, 1, 1])


def test_rare_values_are_in_only_where_exceptions_are_listed():
    s1, s2 = np.array([3.0, 3.0, -3.0, 0.0]), np.array([1.0, 1.0, 1.0, 0.0])
    np.testing.assert_array_equal(best_of((3, 1, 0, False), s1, s2, 0.5), [1, 1, 0, 1])
    s1[3], s2[3] = -9.0, 1.0
    np.testing.assert_array_equal(best_of((3, 1, 0, False), s1, s2, 0.5), [1, 1, 0, 0])


@pytest.mark.parametrize(
    ("axis", "lowest_in"),
    [([0, 1, 2, 3, 4, 5], 3), ([0, 1, 2, 3, 4, 9], 4), ([0, 7, 7.5, 8, 9, 10], 1), ([0, 1, 1.2, 1.4, 1.6, 10], 5)],
)
def test_a_boundary_lies_in_the_middle_of_its_flat_zone(axis, lowest_in):
    gain, out = np.array([-5.0, 0.0, 0.0, 0.0, 0.0, 5.0]), np.empty(6)
    best_intervals(gain, 6, 1.0, np.array(axis, float), out)
    np.testing.assert_array_equal(out, np.arange(6) >= lowest_in)
    best_intervals(-gain, 6, 1.0, np.array(axis, float), out)
    np.testing.assert_array_equal(out, np.arange(6) < lowest_in)


def test_each_of_several_boundaries_lies_in_the_middle_of_its_own_flat_zone():
    gain = np.array([-5.0, 0, 0, 5, 0, 0, 0, 0, -5, 0, 5, 0])
    out = np.empty(12)
    best_intervals(gain, 12, 1.0, np.arange(12.0), out)
    np.testing.assert_array_equal(np.flatnonzero(np.diff(out)) + 1, [2, 6, 9])


@some
@given(st.integers(2, 8), seeds, prices)
def test_centring_keeps_the_number_of_boundaries(n_bins, seed, price):
    s1, s2 = random_sums(seed, n_bins)
    out, axis = np.empty(n_bins), np.sort(np.random.default_rng(seed).normal(size=n_bins))
    kind = (n_bins, 0, 1, True)
    told = best_intervals(2 * s1 - s2, n_bins, price, axis, out)
    assert told == pytest.approx(cost_without_missing(out, s1, s2, kind, price), abs=1e-9)


@pytest.mark.parametrize(("table", "soft"), [([0, 1, 1], False), ([0.2, 1, 1], True), ([1, 0.999, 0], True)])
def test_a_table_is_soft_if_a_known_slot_is_neither_in_nor_out(table, soft):
    assert is_soft(np.array([*table, 0.5], float), 3) == soft


@some
@given(seeds, st.integers(1, 7), prices)
def test_best_interval_is_the_cheapest_single_interval(seed, n_bins, price):
    gain = np.random.default_rng(seed).integers(-4, 5, n_bins).astype(float)
    out = np.empty(n_bins)
    told = best_interval(gain, n_bins, price, np.arange(n_bins, dtype=float), out)
    costs = {(): 0.0}
    for first in range(n_bins):
        for last in range(first + 1, n_bins + 1):
            boundaries = (first > 0) + (last < n_bins)
            costs[first, last] = price * max(boundaries, 1) - gain[first:last].sum()
    assert told == pytest.approx(min(costs.values()))
    inside = np.flatnonzero(out)
    key = (inside[0], inside[-1] + 1) if len(inside) else ()
    assert (np.diff(inside) == 1).all()
    assert costs[key] == pytest.approx(told)


@some
@given(seeds, kinds.filter(lambda kind: not kind[3]), prices)
def test_forbidden_negation_never_lists_exceptions(seed, kind, price):
    s1, s2 = random_sums(seed, kind[0] + kind[1] + kind[2])
    out = np.empty(len(s1))
    best_table(s1, s2, *kind, price, np.inf, True, np.zeros(len(s1)), out)
    known, other = out[: kind[0]], out[kind[0]] if kind[1] else 0.0
    if not (known == 1.0).all():
        assert other == 0.0


@some
@given(st.integers(2, 7), seeds, prices)
def test_no_single_arc_is_better_than_the_best_one(n, seed, price):
    s1, s2 = random_sums(seed, n)
    gain, found = 2 * s1 - s2, np.empty(n)
    cost = best_arc(gain, n, price, found)

    def objective(table):
        boundaries = (table != np.roll(table, 1)).sum()
        return price * (boundaries or table.all()) - gain @ table

    arcs = [np.roll(np.arange(n) < size, turn).astype(float) for size in range(n + 1) for turn in range(n)]
    least = min(map(objective, arcs))
    assert cost == pytest.approx(least, abs=1e-9)
    assert objective(found) == pytest.approx(least, abs=1e-9)
    assert (found != np.roll(found, 1)).sum() <= 2


@some
@given(st.integers(2, 7), st.integers(0, 6), seeds, prices)
def test_arcs_do_not_depend_on_where_the_circle_is_cut(n, turn, seed, price):
    s1, s2 = random_sums(seed, n)
    gain = 2 * s1 - s2
    here, there = np.empty(n), np.empty(n)
    assert best_arcs(np.roll(gain, turn), n, price, there) == pytest.approx(best_arcs(gain, n, price, here), abs=1e-9)


def test_boundaries_of_arcs_lie_in_the_middle_of_the_bins_without_evidence():
    gain = np.array([0.0, 0.0, -9.0, 0.0, 9.0, 0.0, 0.0, 0.0])
    for turn in range(8):
        found = np.empty(8)
        best_arcs(np.roll(gain, turn), 8, 1.0, found)
        inside = np.roll(found, -turn)
        assert inside[2] == 0 and inside[4] == 1
        assert 3 <= inside.sum() <= 5  # five bins beyond the one inside: about half of them go with it
