import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nln.learning.descent.kernels.shapes import (
    WIDTHS,
    Shape,
    crisp_shape,
    improve_shape,
    make_axes,
    readable_between,
    shape_table,
)
from nln.learning.options import LanguageOptions
from nln.rules import Boundary, Feature, Interval, IntervalCondition, membership
from nln.tables import make_encoding

finite = st.floats(-1e9, 1e9, allow_nan=False)


def axis_of(numbers, **limits):
    feature = Feature("x", "continuous")
    column = np.asarray(numbers, float)
    encoding = make_encoding((feature,), {"x": column}, np.ones(len(column)))
    return make_axes(encoding, LanguageOptions(**limits))[0]


@given(finite, finite)
def test_readable_number_lies_above_the_lower_and_not_above_the_upper_end(one, other):
    low, high = sorted((one, other))
    assume(low < high)
    assert low < readable_between(low, high) <= high


def test_readable_number_is_no_longer_than_needed():
    assert readable_between(1.2345, 1.5678) == 1.4
    assert readable_between(999.0, 3001.0) == 2000.0


@given(st.lists(st.integers(-50, 50), min_size=3, max_size=30, unique=True), st.data())
def test_table_of_a_shape_is_the_membership_of_its_condition(numbers, data):
    axis = axis_of(numbers)
    n_bins = len(axis.centers)
    cuts = data.draw(st.lists(st.integers(1, n_bins - 1), min_size=1, max_size=4, unique=True).map(sorted))
    levels = data.draw(st.lists(st.integers(0, len(WIDTHS) - 1), min_size=len(cuts), max_size=len(cuts)))
    starts_inside = data.draw(st.booleans())
    shape = Shape(np.array(cuts), np.array(levels), starts_inside)
    ends = [Boundary(axis.values[c], axis.widths[c, level]) for c, level in zip(cuts, levels, strict=True)]
    ends = [None, *ends] if starts_inside else ends
    ends = [*ends, None] if len(ends) % 2 else ends
    condition = IntervalCondition("x", tuple(Interval(*pair) for pair in zip(ends[::2], ends[1::2], strict=True)))
    expected = membership(condition, axis.centers, Feature("x", "continuous"))
    np.testing.assert_allclose(shape_table(axis, shape), expected, atol=1e-12)


@given(st.lists(st.booleans(), min_size=2, max_size=12))
def test_crisp_shape_gives_its_table_back(inside):
    table = np.array(inside, float)
    assume(0 < table.sum() < len(table))
    axis = axis_of(np.arange(len(table)))
    np.testing.assert_array_equal(shape_table(axis, crisp_shape(table)), table)


@pytest.mark.parametrize("seed", range(20))
def test_improved_shape_is_the_best_of_all_neighbours(seed):
    rng = np.random.default_rng(seed)
    axis = axis_of(rng.normal(size=40), rounding=0.001)
    s1, s2 = rng.normal(size=40), rng.random(40)
    shape = crisp_shape((rng.random(40) < 0.5).astype(float))
    cuts, levels = shape.cuts.tolist(), shape.levels.tolist()

    def cost(cuts, levels):
        t = shape_table(axis, Shape(np.array(cuts), np.array(levels), shape.starts_inside))
        return s2 @ (t * t) - 2 * s1 @ t + axis.penalties[cuts].sum()

    before = cost(cuts, levels)
    for b in range(len(cuts)):
        low = max([cuts[b] - 2, 1, *(c + 1 for c in cuts[:b])])
        high = min([cuts[b] + 2, 39, *(c - 1 for c in cuts[b + 1 :])])
        tried = [
            ([*cuts[:b], cut, *cuts[b + 1 :]], [*levels[:b], level, *levels[b + 1 :]])
            for cut in range(low, high + 1)
            for level in range(len(WIDTHS))
        ]
        cuts, levels = min(tried, key=lambda pair: cost(*pair))
    improve_shape(axis.sides, axis.penalties, shape.cuts, shape.levels, shape.starts_inside, s1, s2, 0)
    assert shape.cuts.tolist() == cuts
    assert shape.levels.tolist() == levels
    assert cost(cuts, levels) <= before


def test_width_stays_local_on_a_skewed_column():
    skewed = np.concatenate([np.zeros(900), np.linspace(1000, 2000, 100)])
    axis = axis_of(skewed)
    cut = int(np.searchsorted(axis.values, 1900.0))
    assert axis.widths[cut, 1] < 250.0


def test_crisp_language_has_only_crisp_boundaries():
    assert axis_of(np.arange(9), fuzzy=False).widths.shape == (9, 1)
