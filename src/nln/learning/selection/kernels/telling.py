"""What a rule would save if it asked one condition more. The loop is in `telling.c`, with its formulas."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nln.native.binding import CODES, DOUBLES, INTEGERS, REAL, kernel
from nln.tables.encoding import Codes, Floats, Integers

_parts = CODES, INTEGERS, INTEGERS, DOUBLES, INTEGERS, INTEGERS, DOUBLES, DOUBLES, DOUBLES, REAL, REAL, DOUBLES
_context_savings = kernel("context_savings", *_parts)


def context_savings(
    codes: Codes,
    n_slots: Integers,
    n_bins: Integers,
    mass: Floats,
    hits: Floats,
    contexts: Sequence[Integers],
    chance: Floats,
    total: float,
    evidence: float,
) -> Floats:
    """What the best condition on each column saves, alone with each context, (contexts, columns).

    A context is the numbers of its rows, and `chance` what each value of a bag saves there by chance. `n_bins` is 0 for
    a bag of values, and `total` the mass of all rows that a rule may cover.
    """
    saved = np.empty((len(contexts), len(codes)))
    first, rows = np.cumsum([0, *map(len, contexts)], dtype=np.int64), np.concatenate(contexts)
    _context_savings(codes, n_slots, n_bins, mass, rows, first, mass[rows], hits[rows], chance, evidence, total, saved)
    return saved
