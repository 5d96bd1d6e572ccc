import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nln.learning.descent.boundaries import WIDTHS, Shape, crisp_shape, readable_between, release_sides, shape_table
from nln.learning.selection.path import width_floors
from nln.rules import Boundary, Feature, Interval, IntervalCondition, membership
from tests.learning.tables import boundaries_of

finite = st.floats(-1e9, 1e9, allow_nan=False)


@given(finite, finite)
def test_readable_number_lies_above_the_lower_and_not_above_the_upper_end(one, other):
    low, high = sorted((one, other))
    assume(low < high)
    assert low < readable_between(low, high) <= high


def test_readable_number_is_no_longer_than_needed():
    assert readable_between(1.2345, 1.5678) == 1.4
    assert readable_between(999.0, 3001.0) == 2000.0
    assert [readable_between(*gap) for gap in ((14.87, 14.96), (3.0, 4.0), (120.0, 177.0))] == [14.9, 4.0, 150.0]


@given(st.lists(st.integers(-50, 50), min_size=3, max_size=30, unique=True), st.data())
def test_table_of_a_shape_is_the_membership_of_its_condition(numbers, data):
    offered = boundaries_of(numbers)
    n_bins = len(offered.centers)
    cuts = data.draw(st.lists(st.integers(1, n_bins - 1), min_size=1, max_size=4, unique=True).map(sorted))
    levels = data.draw(st.lists(st.integers(0, len(WIDTHS) - 1), min_size=len(cuts), max_size=len(cuts)))
    starts_inside = data.draw(st.booleans())
    shape = Shape(np.array(cuts), np.array(levels), starts_inside)
    ends = [Boundary(offered.values[c, level], offered.widths[c, level]) for c, level in zip(cuts, levels, strict=True)]
    ends = [None, *ends] if starts_inside else ends
    ends = [*ends, None] if len(ends) % 2 else ends
    condition = IntervalCondition("x", tuple(Interval(*pair) for pair in zip(ends[::2], ends[1::2], strict=True)))
    expected = membership(condition, offered.centers, Feature("x", "continuous"))
    np.testing.assert_allclose(shape_table(offered, shape), expected, atol=1e-12)


@given(st.lists(st.booleans(), min_size=2, max_size=12))
def test_crisp_shape_gives_its_table_back(inside):
    table = np.array(inside, float)
    assume(0 < table.sum() < len(table))
    offered = boundaries_of(np.arange(len(table)))
    np.testing.assert_array_equal(shape_table(offered, crisp_shape(table)), table)


def test_sides_that_take_much_memory_are_computed_anew():
    boundaries = {j: boundaries_of(range(10 * (j + 1))) for j in range(3)}
    before = [boundaries[j].sides.copy() for j in (0, 2)]
    taken = sum(sides.nbytes for sides in before)
    release_sides(boundaries, taken)
    assert [j for j, offered in boundaries.items() if "sides" in vars(offered)] == [0, 2]
    release_sides(boundaries, taken - 1)
    assert not any("sides" in vars(offered) for offered in boundaries.values())
    for j, sides in zip((0, 2), before, strict=True):
        np.testing.assert_array_equal(boundaries[j].sides, sides)


def test_width_stays_local_on_a_skewed_column():
    skewed = np.concatenate([np.zeros(900), np.linspace(1000, 2000, 100)])
    offered = boundaries_of(skewed)
    cut = int(np.searchsorted(offered.values[:, 0], 1900.0))
    assert offered.widths[cut, 1] < 250.0


def test_crisp_language_has_only_crisp_boundaries():
    assert boundaries_of(np.arange(9), fuzzy=False).widths.shape == (9, 1)


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6))
def test_between_whole_numbers_the_readable_number_is_whole(low, gap):
    found = readable_between(low, low + gap, whole=True)
    assert found == int(found)
    assert low < found <= low + gap


@pytest.mark.parametrize(
    ("gap", "chosen"),
    [((38.9, 40.2), 40), ((41, 48), 45), ((12.3, 12.9), 12.5), ((-0.5, 10), 0), ((0.0, 10.5), 10), ((95, 105), 100)],
)
def test_readable_number_is_the_one_that_a_person_would_choose(gap, chosen):
    assert readable_between(*gap) == chosen


def test_boundaries_of_whole_numbers_are_whole_and_crisp_if_these_are_few():
    few, many = boundaries_of([0, 1, 2, 5, 9], whole=True), boundaries_of(np.arange(0, 300, 3), whole=True)
    assert few.values[1:, 0].tolist() == [1, 2, 4, 8]
    assert not few.widths.any()
    assert width_floors({0: few}) == (0,)
    assert len(width_floors({0: few, 1: many})) > 1
    assert (many.values == np.round(many.values)).all()
    assert (many.widths == np.round(many.widths)).all()
    assert (many.widths[2:-1, 1:] > 0).all()


def test_fuzzy_boundaries_lie_at_short_numbers_nearby_in_ascending_order():
    numbers = np.random.default_rng(0).normal(size=300)
    offered = boundaries_of(numbers)
    for crisp, moved, width in zip(offered.values[:, :1], offered.values[:, 1:], offered.widths[:, 1:], strict=True):
        assert (np.abs(moved - crisp) <= width / 8 + 1e-12).all()
    assert (np.diff(offered.values, axis=0) >= 0).all()
    assert (offered.penalties[:, 3] <= offered.penalties[:, 0]).all()
    assert offered.penalties[1:, 3].mean() < 0.05 * 1.7
