"""Boundaries of one condition. The loops are in `shapes.c`."""

from __future__ import annotations

from nln.learning.descent.kernels.records import DRAFT, LAYOUT, ROWS, STATE
from nln.native.binding import DOUBLES, INTEGERS, WHOLE, kernel

fill_sides = kernel("fill_sides", DOUBLES, DOUBLES, DOUBLES, DOUBLES)
"""`fill_sides(centers, values, widths, out)`: membership of every bin above each boundary, (boundaries, bins)."""

improve_shape = kernel("improve_shape", DOUBLES, DOUBLES, INTEGERS, INTEGERS, WHOLE, DOUBLES, DOUBLES, WHOLE, WHOLE)
"""`improve_shape(sides, penalties, cuts, levels, starts_inside, s1, s2, floor, reach)`: move each boundary, in place.

Each gets the best of the places up to `reach` bins away and of the rungs of the ladder of widths from `floor` up.
"""

soften_feature = kernel(
    "soften_feature", ROWS, LAYOUT, DRAFT, STATE, WHOLE, WHOLE, DOUBLES, DOUBLES, INTEGERS, INTEGERS, *3 * (WHOLE,)
)
"""`soften_feature(rows, layout, draft, state, i, j, sides, penalties, cuts, levels, starts_inside, floor, reach)`.

The same for a feature of the lifted rule, whose table then follows the boundaries.
"""
