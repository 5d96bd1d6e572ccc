"""The best union of arcs of a periodic feature. The loops are in `best_arcs.c`."""

from __future__ import annotations

from nln.native.binding import DOUBLES, REAL, WHOLE, kernel

best_arcs = kernel("best_arcs", DOUBLES, WHOLE, REAL, DOUBLES, result=float)
"""`best_arcs(gain, n_bins, price, out)`: write the best union of arcs; return its cost."""

best_arc = kernel("best_arc", DOUBLES, WHOLE, REAL, DOUBLES, result=float)
"""`best_arc(gain, n_bins, price, out)`: write the best single arc; return its cost."""
