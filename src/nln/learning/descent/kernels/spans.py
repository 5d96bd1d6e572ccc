"""The best fuzzy interval of an ordered feature, given the closed-form sums. The loops are in `spans.c`.

A *span* is the pair of a lower and an upper boundary, each the number of a place (`fuzzy_layout`) or -1 for none.
"""

from __future__ import annotations

from nln.learning.descent.kernels.records import LAYOUT
from nln.native.binding import DOUBLES, INTEGERS, REAL, WHOLE, kernel

span_literals = kernel("span_literals", DOUBLES, WHOLE, INTEGERS, result=float)
"""`span_literals(table, n_bins, span)`: literals of a fuzzy condition."""

most_saved = kernel("most_saved", DOUBLES, DOUBLES, WHOLE, result=float)
"""`most_saved(s1, s2, n_bins)`: upper bound of the squared error that a fuzzy condition can save where none is yet."""

best_span = kernel("best_span", DOUBLES, DOUBLES, DOUBLES, DOUBLES, REAL, INTEGERS, result=float)
"""`best_span(upper, penalties, s1, s2, price, span)`: write the best boundaries; return their cost."""

best_fuzzy_table = kernel("best_fuzzy_table", LAYOUT, WHOLE, DOUBLES, DOUBLES, REAL, INTEGERS, DOUBLES, result=float)
"""`best_fuzzy_table(layout, j, s1, s2, price, span, out)`: write the best condition and its span; return its cost."""
