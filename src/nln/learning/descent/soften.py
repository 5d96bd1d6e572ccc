"""Retraining of the continuous parameters in closed form: boundaries move and become fuzzy, biases follow.

For each ordered feature of each rule the closed-form sums price every place and width of every boundary, so the best of
a few neighbouring places and of a ladder of widths is found without another pass over the rows. A floor under the
width, chosen on the left-out rows, keeps boundaries on small tables from becoming crisp, which would overfit.
"""

from __future__ import annotations

import numpy as np

from nln.learning.descent.boundaries import Boundaries, Shape, crisp_shape, shape_table
from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.shapes import improve_shape
from nln.learning.descent.kernels.statistics import is_used
from nln.learning.descent.layout import span_shape

Shapes = dict[tuple[int, int], Shape]
"""Shape of each used ordered feature, by rule and feature."""


def soften(descent: Descent, boundaries: Boundaries, floor: int, rounds: int = 2) -> Shapes:
    """Move and widen the boundaries of a descent at rest, in place; return their shapes.

    `floor` is the lowest rung of the ladder of widths that a boundary may take.
    """
    shapes: Shapes = {}
    for i, table in enumerate(descent.draft.tables):
        for j, offered in boundaries.items():
            part = table[descent.layout.offsets[j] :][: len(offered.centers)]
            if i >= descent.draft.n_fixed and is_used(part) and not offered.is_circle:
                span = descent.spans[i, j]
                is_span = (span >= 0).any()
                shapes[i, j] = span_shape(descent.layout, j, span, floor) if is_span else crisp_shape(part)
    for _ in range(rounds if shapes else 0):
        for i in range(descent.draft.n_rules):
            own = {j: shape for (rule, j), shape in shapes.items() if rule == i}
            if own:
                _soften_rule(descent, boundaries, i, own, floor)
        descent.fit_output_biases()
    descent.fit_biases()
    return shapes


def _soften_rule(descent: Descent, boundaries: Boundaries, i: int, own: dict[int, Shape], floor: int) -> None:
    descent.lift(i)
    for j, shape in own.items():
        s1, s2 = descent.sums(i, j)
        offered, n_bins = boundaries[j], len(boundaries[j].centers)
        own_sums, own_shape = (s1[:n_bins], s2[:n_bins]), (shape.cuts, shape.levels, shape.starts_inside)
        improve_shape(offered.sides, offered.penalties, *own_shape, *own_sums, floor)
        table = descent.table(i, j)
        table[:n_bins] = shape_table(offered, shape)
        is_partial = descent.layout.partial_missing and len(table) > n_bins
        if is_partial and table[-1] > 0 and s2[-1] > 0:  # the missing slot keeps its best probability
            table[-1] = np.clip(s1[-1] / s2[-1], 0.0, 1.0)
        descent.put_table(i, j, table)
    descent.settle(i)
