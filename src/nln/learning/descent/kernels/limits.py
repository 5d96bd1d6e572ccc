"""What constraints forbid or force in one rule whose rows are out of reach. The loops are in `limits.c`.

The local descent calls them within C; here they stand for descents on rows in buckets.
"""

from __future__ import annotations

from nln.learning.descent.kernels.records import LAYOUT, LIMITS
from nln.native.binding import DOUBLES, REAL, WHOLE, kernel

is_blocked = kernel("is_blocked", LAYOUT, LIMITS, DOUBLES, WHOLE, result=int)
"""`is_blocked(layout, limits, table, j)`: whether a rule asks about a feature that must not stand beside feature j."""

must_ask = kernel("must_ask", LAYOUT, LIMITS, DOUBLES, WHOLE, result=int)
"""`must_ask(layout, limits, table, j)`: whether feature j is required and no other required feature is asked for."""

has_required = kernel("has_required", LAYOUT, LIMITS, DOUBLES, result=int)
"""`has_required(layout, limits, table)`: whether a rule asks for a required feature, or none is required."""

best_literal = kernel("best_literal", DOUBLES, DOUBLES, LAYOUT, WHOLE, REAL, WHOLE, DOUBLES, result=int)
"""`best_literal(s1, s2, layout, j, price, direction, out)`: write the best condition of one literal, if any."""

make_monotone = kernel("make_monotone", DOUBLES, WHOLE, WHOLE)
"""`make_monotone(part, n, direction)`: let the first n slots rise or fall: the mean of the closest such tables."""

cost_of = kernel("cost_of", LAYOUT, LIMITS, WHOLE, DOUBLES, DOUBLES, WHOLE, REAL, WHOLE, DOUBLES, result=float)
"""`cost_of(layout, limits, j, s1, s2, output, price, search, part)`: objective of a feature's table, given its sums.

With `search` the best table is written to `part` first.
"""
