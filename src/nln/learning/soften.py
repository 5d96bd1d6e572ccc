"""Retraining of the continuous parameters in closed form: boundaries move and become fuzzy, biases follow.

For each ordered feature of each rule the closed-form sums price every place and width of every boundary, so the best of a
few neighbouring places and of a ladder of widths is found without another pass over the rows. Widths are measured in the
share of training rows they reach over; a floor on that share, chosen on held-out rows, keeps small data from
preferring crisp boundaries that overfit.
"""

from __future__ import annotations

import numpy as np

from nln.learning.descent import Descent
from nln.learning.shapes import Shape, crisp_shape, local_width, shape_table
from nln.learning.statistics import is_used
from nln.tables.encoding import Encoding, Floats

WIDTHS = (0.0, 0.02, 0.08, 0.3)
"""Ladder of widths: shares of the training rows a boundary reaches over."""

Shapes = dict[tuple[int, int], Shape]
"""Shape of each used ordered feature, by rule and feature."""


def soften(descent: Descent, encoding: Encoding, floor: float, rounds: int = 2) -> Shapes:
    """Move and widen the boundaries of a crisp draft, in place; return their shapes.

    Parameters
    ----------
    descent : Descent
        A descent at rest.
    encoding : Encoding
        The features' slots.
    floor : float
        Least share of the training rows that a boundary reaches over.
    rounds : int
        Passes over all rules.
    """
    shapes: Shapes = {}
    for i, table in enumerate(descent.draft.tables):
        for j, slots in enumerate(encoding.slots):
            first = encoding.offsets[j]
            part = table[first : first + slots.n_known]
            if slots.is_ordered and is_used(part):
                shapes[i, j] = crisp_shape(part)
    for _ in range(rounds if shapes else 0):
        for i in range(descent.draft.n_rules):
            own = {j: shape for (rule, j), shape in shapes.items() if rule == i}
            if own:
                _soften_rule(descent, encoding, i, own, floor)
                shapes.update({(i, j): shape for j, shape in own.items()})
        descent.fit_output_biases()
    descent.fit_biases()
    return shapes


def _soften_rule(descent: Descent, encoding: Encoding, i: int, own: dict[int, Shape], floor: float) -> None:
    descent.lift(i)
    for j, shape in own.items():
        s1, s2 = descent.sums(i, j)
        slots = encoding.slots[j]
        known = slice(0, slots.n_known)
        best = _best_shape(encoding, j, shape, s1[known], s2[known], floor)
        own[j] = best
        table = descent.draft.tables[i, encoding.offsets[j] : encoding.offsets[j + 1]].copy()
        table[known] = shape_table(slots, best)
        if slots.has_missing and s2[-1] > 0 and table[-1] > 0:
            table[-1] = min(max(s1[-1] / s2[-1], 0.0), 1.0)
        descent.put_table(i, j, table)
    descent.settle(i)


def _best_shape(encoding: Encoding, j: int, shape: Shape, s1: Floats, s2: Floats, floor: float) -> Shape:
    slots = encoding.slots[j]

    def cost(candidate: Shape) -> float:
        t = shape_table(slots, candidate)
        return float(s2 @ (t * t) - 2.0 * (s1 @ t))

    shares = [share for share in WIDTHS if share >= floor]
    for b, cut in enumerate(shape.cuts):
        lowest = shape.cuts[b - 1] + 1 if b > 0 else 1
        highest = shape.cuts[b + 1] - 1 if b + 1 < len(shape.cuts) else slots.n_known - 1
        reach = max(1, slots.n_known // 32)
        places = {
            int(np.clip(cut + step, lowest, highest)) for step in (-2 * reach, -reach, -1, 0, 1, reach, 2 * reach)
        }
        options = [
            _with_boundary(shape, b, place, local_width(slots, place, s)) for place in sorted(places) for s in shares
        ]
        start = _with_boundary(shape, b, cut, max(shape.widths[b], local_width(slots, cut, shares[0])))
        shape = min([start, *options], key=cost)
    return shape


def _with_boundary(shape: Shape, b: int, cut: int, width: float) -> Shape:
    cuts = (*shape.cuts[:b], cut, *shape.cuts[b + 1 :])
    widths = (*shape.widths[:b], width, *shape.widths[b + 1 :])
    return Shape(cuts, widths, shape.starts_inside)
