import numpy as np
import pytest

from nln.learning.descent.boundaries import WIDTHS, Shape, crisp_shape, shape_table
from nln.learning.descent.kernels.shapes import improve_shape
from tests.learning.tables import boundaries_of


@pytest.mark.parametrize("seed", range(20))
def test_improved_shape_is_the_best_of_all_neighbours(seed):
    rng = np.random.default_rng(seed)
    offered = boundaries_of(rng.normal(size=40), rounding=0.001)
    s1, s2 = rng.normal(size=40), rng.random(40)
    shape = crisp_shape((rng.random(40) < 0.5).astype(float))
    cuts, levels = shape.cuts.tolist(), shape.levels.tolist()

    def cost(cuts, levels):
        t = shape_table(offered, Shape(np.array(cuts), np.array(levels), shape.starts_inside))
        return s2 @ (t * t) - 2 * s1 @ t + offered.penalties[cuts, levels].sum()

    before = cost(cuts, levels)
    for b in range(len(cuts)):
        low = max([cuts[b] - 2, 1, *(c + 1 for c in cuts[:b])])
        high = min([cuts[b] + 2, 39, *(c - 1 for c in cuts[b + 1 :])])
        tried = [
            ([*cuts[:b], cut, *cuts[b + 1 :]], [*levels[:b], level, *levels[b + 1 :]])
            for cut in range(low, high + 1)
            for level in range(len(WIDTHS))
        ]
        here = cuts[b]
        cuts, levels = min(tried, key=lambda pair: cost(*pair) + 1e-9 * abs(pair[0][b] - here))
    improve_shape(offered.sides, offered.penalties, shape.cuts, shape.levels, shape.starts_inside, s1, s2, 0, 2)
    assert shape.cuts.tolist() == cuts
    assert shape.levels.tolist() == levels
    assert cost(cuts, levels) <= before
