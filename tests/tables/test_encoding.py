import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nln.learning.draft import descent_rows
from nln.rules.schema import Feature
from nln.tables.encoding import MAX_SLOTS, make_encoding, merge_rows, quantile_bins

X = Feature("x", "continuous")
COLOUR = Feature("colour", "categorical", ("blue", "green", "red"))
GRADE = Feature("grade", "ordinal", ("a", "b", "c", "d"))

some = settings(max_examples=100, deadline=None)
numbers = st.one_of(st.integers(-5, 5).map(float), st.floats(-1e300, 1e300), st.just(math.nan))
whole_weights = st.integers(1, 5).map(float)


def slots_of(feature, column, weights=None, max_bins=254):
    column = np.asarray(column)
    return make_encoding((feature,), {feature.name: column}, weighed(column, weights), max_bins).slots[0]


def weighed(column, weights):
    return np.ones(len(column)) if weights is None else np.asarray(weights, float)


def with_neighbours(column):
    """Numbers that lie next to each other, too: between them no cut has room."""
    known = [x for x in column if not math.isnan(x)]
    return [*column, *(float(np.nextafter(x, np.inf)) for x in known[:3])]


@some
@given(st.lists(numbers, min_size=1, max_size=30).map(with_neighbours), st.integers(1, 8))
def test_a_slot_lies_on_the_same_side_of_every_cut_as_the_rows_own_value(column, max_bins):
    slots = slots_of(X, column, max_bins=max_bins)
    codes = slots.codes(np.array(column))
    assert len(slots.cuts) == slots.n_known - 1
    for x, code in zip(column, codes, strict=True):
        if math.isnan(x):
            assert slots.has_missing
            assert code == slots.n_slots - 1
            continue
        assert slots.lows[code] <= x <= slots.highs[code]
        for end in (slots.lows[code], slots.centers[code], slots.highs[code]):
            np.testing.assert_array_equal(end >= slots.cuts, x >= slots.cuts)


@some
@given(st.lists(numbers, min_size=1, max_size=30).map(with_neighbours), st.integers(1, 8))
def test_bins_are_ascending_and_do_not_overlap(column, max_bins):
    slots = slots_of(X, column, max_bins=max_bins)
    assert 1 <= slots.n_known <= max_bins
    assert (slots.lows <= slots.centers).all()
    assert (slots.centers <= slots.highs).all()
    assert (slots.highs[:-1] < slots.lows[1:]).all()
    assert (slots.highs[:-1] < slots.cuts).all()
    assert (slots.cuts <= slots.lows[1:]).all()
    assert (np.diff(slots.positions) >= 0).all()
    assert ((slots.positions >= 0) & (slots.positions <= 1)).all()


@given(st.floats(allow_nan=False))
def test_a_number_outside_the_training_range_falls_in_the_outermost_bin(x):
    slots = slots_of(X, [1.0, 2.0, 3.0])
    (code,) = slots.codes(np.array([x]))
    assert code == sum(x >= cut for cut in (1.5, 2.5))


def test_missing_numbers_have_a_slot_only_if_the_training_rows_have_some():
    assert slots_of(X, [1.0, 2.0]).n_slots == 2
    slots = slots_of(X, [1.0, math.nan, 2.0])
    assert slots.n_slots == 3
    np.testing.assert_array_equal(slots.codes(np.array([math.nan, 2.0])), [2, 1])


def test_a_missing_value_without_a_slot_falls_in_the_first_one():
    np.testing.assert_array_equal(slots_of(X, [1.0, 2.0]).codes(np.array([math.nan, 2.0])), [0, 1])
    np.testing.assert_array_equal(slots_of(COLOUR, [0, 1, 2]).codes(np.array([-1, 2])), [0, 2])


@pytest.mark.parametrize("feature", [X, GRADE])
def test_an_ordered_column_of_missing_values_has_bins_that_no_row_falls_in(feature):
    column = np.full(3, math.nan if feature is X else -1)
    slots = slots_of(feature, column)
    assert slots.n_known >= 1
    assert slots.has_missing
    np.testing.assert_array_equal(slots.codes(column), slots.n_slots - 1)


def test_values_keep_their_order_and_unseen_ones_fall_in_the_first_slot():
    slots = slots_of(COLOUR, [2, 0, 2, -1])
    assert slots.n_slots == 4
    np.testing.assert_array_equal(slots.codes(np.array([0, 1, 2, -1, -2])), [0, 1, 2, 3, 0])


def test_the_most_frequent_of_very_many_values_keep_slots_and_the_rest_share_one():
    n_values, rng = 300, np.random.default_rng(0)
    counts = rng.permutation(n_values) // 100 + 1  # too few rows to tell more values apart
    counts[rng.permutation(n_values)[:254]] += 3
    feature = Feature("many", "categorical", tuple(f"v{i}" for i in range(n_values)))
    column = np.append(np.repeat(np.arange(n_values), counts), -1)
    slots = slots_of(feature, column)
    assert (slots.n_known, slots.n_slots, slots.has_other) == (254, 256, True)
    kept = np.sort(np.argsort(-counts, kind="stable")[:254])
    np.testing.assert_array_equal(slots.values, kept)
    codes = slots.codes(np.arange(n_values))
    np.testing.assert_array_equal(codes[kept], np.arange(254))
    assert (np.delete(codes, kept) == 254).all()
    np.testing.assert_array_equal(slots.codes(np.array([-1, -2])), [255, 254])


@pytest.mark.parametrize(("n_values", "seen", "n_known"), [(300, 5, 300), (300, 4, 254), (3000, 5, MAX_SLOTS - 2)])
def test_values_that_were_seen_often_enough_keep_slots_beyond_a_byte(n_values, seen, n_known):
    feature = Feature("many", "categorical", tuple(range(n_values)))
    column = np.append(np.repeat(np.arange(n_values), seen), -1)
    slots = slots_of(feature, column)
    assert (slots.n_known, slots.has_other) == (n_known, n_known < n_values)
    codes = slots.codes(np.append(np.arange(n_values), -1))
    assert codes.dtype == (np.uint8 if n_known == 254 else np.uint16)
    np.testing.assert_array_equal(codes[:n_known], np.arange(n_known))
    assert (codes[n_known:-1] == n_known).all() and codes[-1] == slots.n_slots - 1


@pytest.mark.parametrize(("n_values", "has_other"), [(254, False), (255, True), (256, True), (257, True)])
def test_codes_of_many_values_fit_into_a_byte(n_values, has_other):
    feature = Feature("many", "categorical", tuple(range(n_values)))
    column = np.append(np.arange(n_values), -1)
    slots = slots_of(feature, column)
    assert slots.has_other == has_other
    codes = slots.codes(column)
    assert codes.dtype == np.uint8
    assert codes[-1] == slots.n_slots - 1
    np.testing.assert_array_equal(codes[:254], np.arange(254))


def test_weights_count_when_frequent_values_are_chosen():
    feature = Feature("many", "categorical", tuple(range(300)))
    weights = np.where(np.arange(300) >= 46, 2.0, 1.0)
    np.testing.assert_array_equal(slots_of(feature, np.arange(300), weights).values, np.arange(46, 300))


def test_every_rank_of_an_ordinal_feature_has_a_slot_seen_or_not():
    slots = slots_of(GRADE, [0, 3, 3, -1])
    np.testing.assert_array_equal(slots.centers, [0.0, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(slots.codes(np.array([0, 1, 2, 3, -1])), [0, 1, 2, 3, 4])


def test_ordinal_features_with_very_many_ranks_are_binned_in_order():
    feature = Feature("rank", "ordinal", tuple(range(1000)))
    slots = slots_of(feature, np.arange(1000))
    codes = slots.codes(np.arange(1000)).astype(int)
    assert slots.n_known <= 254
    assert (np.diff(codes) >= 0).all()
    assert (slots.lows[codes] <= np.arange(1000)).all()
    assert (np.arange(1000) <= slots.highs[codes]).all()


def test_codes_of_a_table_stand_side_by_side():
    columns = {"colour": np.array([2, -1]), "x": np.array([1.0, 2.0]), "grade": np.array([1, 0])}
    encoding = make_encoding((COLOUR, X, GRADE), columns, np.ones(2))
    np.testing.assert_array_equal(encoding.codes(columns, 2), [[2, 0, 1], [3, 1, 0]])
    np.testing.assert_array_equal(encoding.offsets, [0, 4, 6, 10])
    assert encoding.n_slots == 10


@some
@given(st.lists(st.tuples(numbers, st.integers(-1, 2), whole_weights), min_size=1, max_size=30), st.integers(1, 8))
def test_a_weight_of_two_and_a_row_given_twice_are_the_same(rows, max_bins):
    x, colour, weights = (np.array(part) for part in zip(*rows, strict=True))
    index = np.repeat(np.arange(len(rows)), weights.astype(int))
    assume(len(index) > 0)
    weighted = make_encoding((X, COLOUR), {"x": x, "colour": colour}, weights, max_bins)
    columns = {"x": x[index], "colour": colour[index]}
    repeated = make_encoding((X, COLOUR), columns, np.ones(len(index)), max_bins)
    shuffled = np.random.default_rng(0).permutation(len(index))
    columns = {name: column[shuffled] for name, column in columns.items()}
    permuted = make_encoding((X, COLOUR), columns, np.ones(len(index)), max_bins)
    for other in (repeated, permuted):
        assert same_slots(weighted, other)


def same_slots(a, b):
    """Equal bins and values; centres and positions up to the rounding of a sum."""
    for s, t in zip(a.slots, b.slots, strict=True):
        assert (s.has_other, s.has_missing) == (t.has_other, t.has_missing)
        for name in ("values", "lows", "highs", "cuts"):
            np.testing.assert_array_equal(getattr(s, name), getattr(t, name))
        np.testing.assert_allclose(s.positions, t.positions, rtol=1e-12)
        spread = np.abs(s.highs).max(initial=1.0)
        np.testing.assert_allclose(s.centers, t.centers, rtol=1e-9, atol=1e-12 * spread)
    return True


masses = st.lists(
    st.one_of(st.just(0.0), st.integers(1, 100).map(float), st.floats(1e-3, 1e3)), min_size=1, max_size=40
)


@some
@given(masses, st.integers(1, 12))
def test_quantile_bins_are_consecutive_ascending_and_few(mass, max_bins):
    bins = quantile_bins(np.array(mass), max_bins)
    assert bins[0] == 0
    assert set(np.diff(bins)) <= {0, 1}
    assert bins[-1] < max_bins


@given(masses)
def test_few_values_are_each_a_bin_of_their_own(mass):
    np.testing.assert_array_equal(quantile_bins(np.array(mass), len(mass)), np.arange(len(mass)))


@some
@given(st.lists(st.floats(0.5, 1.0), min_size=30, max_size=60), st.integers(0, 29), st.integers(4, 12))
def test_a_heavy_value_is_alone_in_its_bin_and_takes_none_from_the_others(light, place, max_bins):
    mass = np.insert(np.array(light), place, 1e4)
    bins = quantile_bins(mass, max_bins)
    assert (bins == bins[place]).sum() == 1
    assert bins[-1] + 1 >= max_bins - 2


@some
@given(st.integers(20, 400), st.integers(2, 20))
def test_values_of_equal_mass_make_bins_of_about_equal_mass(n, max_bins):
    assume(n > max_bins)
    counts = np.bincount(quantile_bins(np.ones(n), max_bins))
    assert len(counts) == max_bins
    assert counts.max() - counts.min() <= 1


row = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1), st.integers(0, 4))
tables = st.lists(row, min_size=1, max_size=40)


def split(rows):
    array = np.array(rows)
    return array[:, :2].astype(np.uint8), array[:, 2:3].astype(float), array[:, 3].astype(float)


def same_rows(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("codes", "targets", "weights", "counts"))


def test_the_descent_takes_merged_rows_without_a_copy():
    merged = merge_rows(np.arange(12, dtype=np.uint8).reshape(6, 2), np.zeros((6, 1)), np.ones(6))
    assert np.shares_memory(descent_rows(merged).codes, merged.codes)


@given(tables)
def test_merged_rows_are_distinct_and_their_weights_add_up(rows):
    merged = merge_rows(*split(rows))
    expected = {}
    for *key, weight in rows:
        if weight:
            expected[tuple(key)] = np.add(expected.get(tuple(key), (0, 0)), (weight, 1)).tolist()
    keys = [(*codes, *targets) for codes, targets in zip(merged.codes.tolist(), merged.targets.tolist(), strict=True)]
    found = np.column_stack([merged.weights, merged.counts]).tolist()
    assert dict(zip(keys, found, strict=True)) == expected
    assert len(keys) == merged.n_rows == len(expected)


@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(rows, random):
    shuffled = rows.copy()
    random.shuffle(shuffled)
    assert same_rows(merge_rows(*split(rows)), merge_rows(*split(shuffled)))


@given(st.lists(st.floats(0.01, 10), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_sums_of_fractional_weights_do_not_depend_on_the_order_either(weights, random):
    shuffled = weights.copy()
    random.shuffle(shuffled)
    codes, targets = np.zeros((len(weights), 1), np.uint8), np.ones((len(weights), 1))
    a, b = merge_rows(codes, targets, np.array(weights)), merge_rows(codes, targets, np.array(shuffled))
    assert a.weights[0] == b.weights[0] == pytest.approx(sum(weights))


@given(tables)
def test_repeated_rows_weigh_as_much_as_weighted_ones_but_were_seen_more_often(rows):
    codes, targets, weights = split(rows)
    index = np.repeat(np.arange(len(rows)), weights.astype(int))
    weighted, repeated = (
        merge_rows(codes, targets, weights),
        merge_rows(codes[index], targets[index], np.ones(len(index))),
    )
    np.testing.assert_array_equal(weighted.codes, repeated.codes)
    np.testing.assert_array_equal(weighted.weights, repeated.weights)
    np.testing.assert_array_equal(repeated.counts, repeated.weights)
    assert weighted.counts.sum() == np.count_nonzero(weights)


def test_rows_taken_keep_the_order_asked_for():
    merged = merge_rows(*split([(0, 0, 0, 1), (1, 0, 1, 2), (2, 0, 0, 3)]))
    taken = merged.take(np.array([2, 0]))
    np.testing.assert_array_equal(taken.codes, merged.codes[[2, 0]])
    np.testing.assert_array_equal(taken.weights, merged.weights[[2, 0]])


def test_pieces_of_rows_that_were_seen_often_share_their_weight():
    rng = np.random.default_rng(0)
    codes, targets = rng.integers(0, 2, (300, 3)).astype(np.uint8), rng.integers(0, 2, (300, 1)).astype(float)
    rows = merge_rows(codes, targets, np.ones(300))
    pieces, parents, _ = rows.split(5)
    assert np.bincount(parents).max() == 5
    np.testing.assert_allclose(np.bincount(parents, pieces.weights), rows.weights)
    np.testing.assert_array_equal(pieces.codes, rows.codes[parents])


@given(st.lists(st.floats(0.1, 1000), min_size=1, max_size=20))
def test_a_row_seen_once_is_never_cut_whatever_it_weighs(weights):
    codes = np.arange(len(weights), dtype=np.uint8)[:, None]
    rows = merge_rows(codes, np.ones((len(weights), 1)), np.array(weights))
    pieces, parents, _ = rows.split(5)
    np.testing.assert_array_equal(parents, np.arange(len(weights)))
    np.testing.assert_array_equal(pieces.weights, rows.weights)


@given(tables, st.randoms(use_true_random=False))
def test_rows_of_different_groups_are_different_pieces_of_the_same_rows(rows, random):
    groups = [random.randrange(3) for _ in rows]
    merged, plain = merge_rows(*split(rows), np.array(groups, np.int64)), merge_rows(*split(rows))
    np.testing.assert_array_equal(merged.codes, plain.codes)
    np.testing.assert_array_equal(merged.counts, plain.counts)
    np.testing.assert_allclose(merged.weights, plain.weights)
    pieces, parents, found = merged.split(5)
    expected = {}
    for (*key, weight), group in zip(rows, groups, strict=True):
        if weight:
            expected[(*key, group)] = expected.get((*key, group), 0.0) + weight
    cells = zip(pieces.codes.tolist(), pieces.targets.tolist(), found.tolist(), strict=True)
    keys = [(*codes, *targets, group) for codes, targets, group in cells]
    assert dict(zip(keys, pieces.weights.tolist(), strict=True)) == expected
    np.testing.assert_array_equal(pieces.codes, merged.codes[parents])
