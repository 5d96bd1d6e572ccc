"""Where the result of arithmetic changes sides if one of its columns changes and the others keep the row's numbers.

A result a(x) / b(x) crosses a boundary c where a(x) - c b(x) = 0, a polynomial in the one column x. Of a place with at
most eight digits it differs on which side it lies itself, so that a second cut follows close above it, which people
read as `more than` and `or less`. Any other place lies in the gap between two numbers of eight digits, which are the
cuts; no number in the gap is proposed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from nln.rules.condition import Boundary
from nln.rules.derived.arithmetic import Arithmetic, Term
from nln.rules.derived.regions import shown

_DIGITS = 8
_CLOSE = 9  # decimal places, from the first digit of a number on, to the cut that follows it


def arithmetic_cuts(
    expression: Arithmetic, name: str, row: Mapping[str, Any], boundaries: Iterable[float]
) -> list[float]:
    """Return the numbers of a column at which the result crosses one of the boundaries, or has no value."""
    cells = {each: float(row[each][0]) for each in expression.features if each != name}
    if not all(map(math.isfinite, cells.values())):
        return []
    above, below = (_coefficients(terms, name, cells) for terms in (expression.numerator, expression.denominator))
    size = max(len(above), len(below))
    above, below = (np.pad(part, (size - len(part), 0)) for part in (above, below))
    places = [_roots(below), *(_roots(above - boundary * below) for boundary in boundaries)]
    return sorted({cut for found in places for root in found for cut in _around(root)})


def after(place: float) -> float:
    """Return the cut that follows a place."""
    scale = math.floor(math.log10(abs(place))) if place else 0
    return float(f"{place + 10.0 ** (scale - _CLOSE):.12g}")


def is_gap(low: float | None, high: float | None) -> bool:
    """Tell whether a region is the gap around a place that eight digits cannot say."""
    if low is None or high is None or not low or not high:
        return False
    step = 10.0 ** (math.floor(math.log10(max(abs(low), abs(high)))) - _DIGITS + 1)
    return all(float(f"{end:.{_DIGITS}g}") == end for end in (low, high)) and high - low < 1.5 * step


def place_before(cut: float) -> float | None:
    """Return the place that a cut follows, as the boundary of `x > 3` follows 3; None if it is a place itself."""
    value, is_before = shown(Boundary(cut))
    if is_before:
        return value
    place = 0.0 if cut == after(0.0) else float(f"{cut:.{_DIGITS}g}")
    return place if place < cut and after(place) == cut else None


def _coefficients(terms: tuple[Term, ...], name: str, cells: Mapping[str, float]) -> Any:
    """Return the coefficients of a sum as a polynomial in one column, the highest power first."""
    powers = [monomial.count(name) for monomial, _ in terms]
    found = np.zeros(max(powers) + 1)
    for (monomial, sign), power in zip(terms, powers, strict=True):
        found[-1 - power] += sign * math.prod(cells[other] for other in monomial if other != name)
    return found


def _roots(coefficients: Any) -> list[float]:
    if not np.isfinite(coefficients).all() or not coefficients[:-1].any():
        return []
    roots = np.roots(coefficients)
    real = roots.real[np.abs(roots.imag) <= 1e-9 * np.maximum(1.0, np.abs(roots.real))]
    return [root for root in real.tolist() if math.isfinite(root)]


def _around(root: float) -> tuple[float, float]:
    """Return the cuts of a place: itself and the one after it, or the ends of the gap that it lies in."""
    place = float(f"{root:.{_DIGITS}g}")
    if abs(root - place) <= 1e-11 * abs(place):
        return place, after(place)
    step = 10.0 ** (math.floor(math.log10(abs(root))) - _DIGITS + 1)
    other = float(f"{place + math.copysign(step, root - place):.{_DIGITS}g}")
    return min(place, other), max(place, other)
