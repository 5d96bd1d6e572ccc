"""Soft conditions on bags of children, and their gradients. The loops are in `soft_bags.c`, with their formulas."""

from __future__ import annotations

import numpy as np

from nln.native.binding import CODES, DOUBLES, INTEGERS, WHOLE, kernel
from nln.tables.encoding import Codes, Floats, Integers

_soft_counts = kernel("soft_counts", INTEGERS, CODES, INTEGERS, DOUBLES, WHOLE, DOUBLES, DOUBLES)
_gradients = kernel("soft_count_gradients", INTEGERS, CODES, INTEGERS, DOUBLES, WHOLE, DOUBLES, DOUBLES, DOUBLES)


def soft_counts(first: Integers, codes: Codes, offsets: Integers, tables: Floats, least: int) -> tuple[Floats, Floats]:
    """Chance that at least so many children of a row satisfy each conjunction, (rows, units), and each child does.

    Row x owns the children first[x] to first[x + 1]; `codes` are (children, features), and `tables` the probabilities
    of the slots, (slots, units), those of each feature from its offset on.
    """
    held, found = np.empty((len(codes), tables.shape[1])), np.empty((len(first) - 1, tables.shape[1]))
    _soft_counts(first, codes, offsets, tables, least, held, found)
    return found, held


def soft_count_gradients(
    first: Integers, codes: Codes, offsets: Integers, tables: Floats, least: int, held: Floats, slopes: Floats
) -> Floats:
    """Gradient of the tables, given the slopes of what `soft_counts` found, (rows, units)."""
    gradient = np.zeros_like(tables)
    _gradients(first, codes, offsets, tables, least, held, slopes, gradient)
    return gradient
