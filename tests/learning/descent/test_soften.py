import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.descent.boundaries import WIDTHS, crisp_shape, shape_table
from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.shapes import improve_shape
from nln.learning.descent.layout import span_shape
from nln.learning.descent.soften import soften
from tests.learning.descent.kernels.test_spans import fuzzy_descent

seeds = st.integers(0, 2**32 - 1)


def plain_softening(descent: Descent, boundaries: dict, floor: int, rounds: int = 2) -> dict:
    """What `soften` does, step by step."""
    shapes = {}
    for i, table in enumerate(descent.draft.tables):
        for j, offered in boundaries.items():
            part, span = table[descent.layout.offsets[j] :][: len(offered.centers)], descent.spans[i, j]
            if not offered.is_circle and (part != 1.0).any():
                is_span = (span >= 0).any()
                shapes[i, j] = span_shape(descent.layout, j, span, floor) if is_span else crisp_shape(part)
    for _ in range(rounds):
        for i in sorted({i for i, _ in shapes}):
            descent.lift(i)
            for j, shape in ((j, shape) for (rule, j), shape in shapes.items() if rule == i):
                move(descent, i, j, boundaries[j], shape, floor)
            descent.settle(i)
        descent.fit_output_biases()
    for _ in range(10):
        before = descent.draft.bias.copy()
        for i in range(descent.draft.n_rules):
            descent.lift(i)
            descent.settle(i)
        descent.fit_output_biases()
        if np.abs(descent.draft.bias - before).max(initial=0.0) < 1e-4:
            break
    return shapes


def move(descent, i, j, offered, shape, floor):
    (s1, s2), n_bins, table = descent.sums(i, j), len(offered.centers), descent.table(i, j)
    own = shape.cuts, shape.levels, shape.starts_inside
    improve_shape(offered.sides, offered.penalties, *own, s1[:n_bins], s2[:n_bins], floor, max(2, n_bins // 16))
    table[:n_bins] = shape_table(offered, shape)
    if len(table) > n_bins and table[-1] > 0 and s2[-1] > 0:
        table[-1] = np.clip(s1[-1] / s2[-1], 0.0, 1.0)
    descent.put_table(i, j, table)


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from(range(1, len(WIDTHS))), st.booleans())
def test_softening_gives_what_its_steps_give_one_by_one_to_the_last_bit(seed, level, at_rest):
    found = []
    for way in (soften, plain_softening):
        descent, boundaries = fuzzy_descent(seed, level)
        if at_rest:
            descent.run(0.05, np.random.default_rng(seed))
        shapes = way(descent, boundaries, level)
        moved = [(place, s.cuts.tolist(), s.levels.tolist(), s.starts_inside) for place, s in shapes.items()]
        found.append((moved, descent.draft.tables.tolist(), descent.draft.bias.tolist(), descent.error()))
    assert found[0] == found[1]
