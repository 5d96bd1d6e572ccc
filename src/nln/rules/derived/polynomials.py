"""Sums of products of columns with whole coefficients: `{("x", "y"): 1, ("z", "z"): -1}` is x * y - z * z."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Monomial: TypeAlias = tuple[str, ...]
"""The factors of a product, sorted; a column stands in it as often as it is a factor."""

Polynomial: TypeAlias = dict[Monomial, int]

ONE: Polynomial = {(): 1}


def plus(a: Mapping[Monomial, int], b: Mapping[Monomial, int], sign: int = 1) -> Polynomial:
    """Return a + sign * b."""
    found = dict(a)
    for monomial, coefficient in b.items():
        found[monomial] = found.get(monomial, 0) + sign * coefficient
    return {monomial: coefficient for monomial, coefficient in found.items() if coefficient}


def times(a: Mapping[Monomial, int], b: Mapping[Monomial, int]) -> Polynomial:
    """Return a * b."""
    found: Polynomial = {}
    for one, p in a.items():
        for other, q in b.items():
            monomial = tuple(sorted(one + other))
            found[monomial] = found.get(monomial, 0) + p * q
    return {monomial: coefficient for monomial, coefficient in found.items() if coefficient}


def cancelled(numerator: Polynomial, denominator: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Divide both parts of a fraction by the columns that are a factor of every term, and by -1 if both ask for it."""
    common = sorted({name for monomial in denominator for name in monomial})
    for name in common:
        while all(name in monomial for monomial in (*numerator, *denominator)):
            numerator, denominator = _divided(numerator, name), _divided(denominator, name)
    sign = denominator[min(denominator)]
    return (numerator, denominator) if sign > 0 else (_negated(numerator), _negated(denominator))


def _divided(polynomial: Polynomial, name: str) -> Polynomial:
    found: Polynomial = {}
    for monomial, coefficient in polynomial.items():
        place = monomial.index(name)
        found[monomial[:place] + monomial[place + 1 :]] = coefficient
    return found


def _negated(polynomial: Polynomial) -> Polynomial:
    return {monomial: -coefficient for monomial, coefficient in polynomial.items()}
