"""Closed forms over bags of children. The loops are in `bags.c`, with their formulas."""

from __future__ import annotations

import numpy as np

from nln.native.binding import BYTES, DOUBLES, INTEGERS, REAL, WHOLE, kernel
from nln.tables.encoding import Codes, Floats, Integers

_order_sums = kernel("order_sums", INTEGERS, BYTES, BYTES, DOUBLES, DOUBLES, WHOLE, WHOLE, DOUBLES)
_value_sums = kernel("value_sums", INTEGERS, BYTES, BYTES, BYTES, DOUBLES, DOUBLES, WHOLE, WHOLE, DOUBLES)
_count_sums = kernel("count_sums", INTEGERS, BYTES, DOUBLES, DOUBLES, WHOLE, DOUBLES)
_pair_gains = kernel("pair_gains", INTEGERS, BYTES, INTEGERS, DOUBLES, DOUBLES, REAL, REAL, DOUBLES, DOUBLES)


def order_sums(
    first: Integers, codes: Codes, alive: Codes, mass: Floats, hits: Floats, n_bins: int, most: int
) -> Floats:
    """Mass and hits by the k-th smallest and the k-th largest code of the alive children, (2, most, bins, 2).

    Codes from `n_bins` on are missing and count nowhere; neither do rows with fewer than k alive children.
    """
    sums = np.zeros((2 * most, n_bins, 2))
    _order_sums(first, codes, alive, mass, hits, n_bins, most, sums)
    return sums.reshape(2, most, n_bins, 2)


def value_sums(
    first: Integers, codes: Codes, alive: Codes, inside: Codes, mass: Floats, hits: Floats, n_values: int, most: int
) -> Floats:
    """Mass and hits of the rows with at least k alive children in a set of values, (3, values, most, 2).

    The sets are: `inside` with one value taken in or out, one value alone, and all values but one. Codes from
    `n_values` on are missing and in no set.
    """
    sums = np.zeros((3 * n_values, most, 2))
    _value_sums(first, codes, alive, np.ascontiguousarray(inside), mass, hits, n_values, most, sums)
    return sums.reshape(3, n_values, most, 2)


def count_sums(first: Integers, alive: Codes, mass: Floats, hits: Floats, most: int) -> Floats:
    """Mass and hits of the rows with at least k alive children, (most, 2)."""
    sums = np.zeros((most, 2))
    _count_sums(first, alive, mass, hits, most, sums)
    return sums


def pair_gains(
    first: Integers,
    literals: Codes,
    owners: Integers,
    mass: Floats,
    hits: Floats,
    total: float,
    price: float,
    costs: Floats,
) -> Floats:
    """What `at least k children with both literals`, or fewer, saves at best beyond its price, (literals, literals).

    The `costs` are the literals that each k costs. On the diagonal stand single literals; below it, nothing. Two
    literals of one owner, which cannot both hold, are left out.
    """
    gains = np.zeros((len(literals), len(literals)))
    _pair_gains(first, literals, owners, mass, hits, total, price, costs, gains)
    return gains
