"""Results of arithmetic in 11 significant digits, so that 0.3 - 0.1 is 0.2.

Rounding never changes the order of two numbers. So `rounded >= b` holds from one number on, which `least_above` finds:
programs in other languages compare the result as it is with that number, and need not round.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

DIGITS = 11

_LARGEST = 290  # powers of ten beyond 1e+-290 are left alone: scaling could overflow
_LEAST = 10.0**-_LARGEST
_MOST = float(np.finfo(np.float64).max)
_POWERS = np.array([float(f"1e{k}") for k in range(_LARGEST + DIGITS + 1)])


def in_digits(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to 11 significant digits; what is not finite becomes missing (NaN), and -0 becomes 0."""
    with np.errstate(all="ignore"):
        size = np.fmax(np.abs(numbers), _LEAST)
        places = np.maximum(DIGITS - 1 - np.floor(np.log10(size)), -len(_POWERS) + 1.0).astype(np.int64)
        # One of the two is 1, so that the other is an exact power of ten.
        up, down = _POWERS[np.maximum(places, 0)], _POWERS[np.maximum(-places, 0)]
        found: NDArray[np.float64] = np.rint(numbers * up / down) / up * down
        found += numbers - numbers  # NaN where a number is not finite, else 0
    extreme = np.abs(places) > _LARGEST
    if extreme.any():
        kept = np.where(np.isfinite(numbers), numbers, np.nan) + 0.0
        found[extreme] = kept[extreme]
    return found


def least_above(boundary: float) -> float:
    """Return the least number that rounds to the boundary or above it."""
    if boundary == 0 or not math.isfinite(boundary):
        return boundary
    low, high = np.clip(sorted((boundary * (1 - 1e-9), boundary * (1 + 1e-9))), -_MOST, _MOST).tolist()
    outside, inside = _order(low) - (low == -_MOST), _order(high)
    while inside - outside > 1:
        middle = (outside + inside) // 2
        rounded = in_digits(np.array([_number(middle)]))[0]
        outside, inside = (outside, middle) if rounded >= boundary else (middle, inside)
    return _number(inside)


def just_after(number: float) -> float:
    """Return the next number: `x >= just_after(3)` is `x > 3`."""
    return math.nextafter(number, math.inf)


def _order(number: float) -> int:
    """Return a whole number for each float, in their order."""
    bits = int(np.float64(number).view(np.int64))
    return bits if bits >= 0 else -(bits & 0x7FFF_FFFF_FFFF_FFFF)


def _number(order: int) -> float:
    return math.copysign(float(np.int64(abs(order)).view(np.float64)), order)
