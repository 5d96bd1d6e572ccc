"""The best region of counts that grow by one literal. The loop is in `regions.c`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nln.native.binding import BYTES, DOUBLES, FLAGS, REAL, WHOLE, kernel
from nln.tables.encoding import Codes, Floats

_count_gains = kernel("count_gains", BYTES, BYTES, DOUBLES, DOUBLES, REAL, REAL, DOUBLES, WHOLE, DOUBLES, FLAGS)


def count_gains(
    base: Codes,
    held: Codes,
    row_mass: Floats,
    row_hits: Floats,
    total: float,
    price: float,
    extra: Floats,
    size: int,
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """What the best region of the count `base + literal` saves for each literal, and whether it is a true count.

    `size` is the number of members with the literal. A region that is "all" or "any" is an AND or an OR, no count.
    """
    gains, is_true = np.empty(len(held)), np.empty(len(held), np.bool_)
    _count_gains(base, held, row_mass, row_hits, total, price, extra, size, gains, is_true)
    return gains, is_true
