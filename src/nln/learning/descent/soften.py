"""Retraining of the continuous parameters in closed form: boundaries move and become fuzzy, biases follow.

For each ordered feature of each rule the closed-form sums price every place and width of every boundary, so the best of
a few neighbouring places and of a ladder of widths is found without another pass over the rows. A floor under the
width, chosen on the left-out rows, keeps boundaries on small tables from becoming crisp, which would overfit.
"""

from __future__ import annotations

import numpy as np

from nln.learning.descent.boundaries import Boundaries, Shape, crisp_shape, release_sides
from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import span_shape

Shapes = dict[tuple[int, int], Shape]
"""Shape of each used ordered feature, by rule and feature."""


ROUNDS, NEAR, FAR = 2, 2, 16
"""Rounds over all rules. A boundary moves by at most `NEAR` bins or, if that is more, by one `FAR`-th of all bins."""


def soften(descent: Descent, boundaries: Boundaries, floor: int, *, briefly: bool = False) -> Shapes:
    """Move and widen the boundaries of a descent at rest, in place; return their shapes.

    `floor` is the lowest rung of the ladder of widths that a boundary may take. Softened briefly, for scores that are
    compared and forgotten, boundaries widen and hardly move, in one round.
    """
    shapes = _shapes_of(descent, boundaries, floor)
    of_rules: dict[int, dict[int, Shape]] = {}
    for (i, j), shape in shapes.items():
        of_rules.setdefault(i, {})[j] = shape
    reach = {j: NEAR if briefly else max(NEAR, len(offered.centers) // FAR) for j, offered in boundaries.items()}
    for _ in range((1 if briefly else ROUNDS) if shapes else 0):
        for i, own in sorted(of_rules.items()):
            descent.lift(i)
            for j, shape in own.items():
                descent.move_boundaries(i, j, boundaries[j], shape, floor, reach[j])
            descent.settle(i)
        descent.fit_output_biases()
    descent.fit_biases()
    release_sides(boundaries)
    return shapes


def _shapes_of(descent: Descent, boundaries: Boundaries, floor: int) -> Shapes:
    """The boundaries of all conditions of a descent that may move."""
    shapes, draft, offsets = Shapes(), descent.draft, descent.layout.offsets
    for j, offered in boundaries.items():
        parts = draft.tables[draft.n_fixed :, offsets[j] : offsets[j] + len(offered.centers)]
        if offered.is_circle:
            continue
        for i in (np.flatnonzero((parts != 1.0).any(axis=1)) + draft.n_fixed).tolist():
            span = descent.spans[i, j]
            is_span = (span >= 0).any()
            crisp = parts[i - draft.n_fixed]
            shapes[i, j] = span_shape(descent.layout, j, span, floor) if is_span else crisp_shape(crisp)
    return {(i, j): shapes[i, j] for i, j in sorted(shapes, key=lambda place: place[0])}
