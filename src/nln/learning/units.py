"""Which columns may be added, subtracted and compared: those that the user says are measured alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.kinds import Derived
from nln.rules.derived.same import Same

Units = Mapping[str, int]
"""Number of the group of comparable columns that a column is in."""


def are_comparable(derived: Derived, units: Units) -> bool:
    """Whether a calculation adds and compares only what is measured alike.

    Two products are alike if their factors are, one by one: with comparable weights and comparable distances,
    `left_weight * left_distance` may be compared with `right_weight * right_distance`. A column in no group is alike
    itself only. Counts compare nothing.
    """
    if isinstance(derived, Same):
        one, other = derived.features
        return one in units and units[one] == units.get(other)
    if isinstance(derived, Arithmetic):
        return _is_alike(derived.numerator, units) and _is_alike(derived.denominator, units)
    return True


def _is_alike(terms: tuple[tuple[tuple[str, ...], int], ...], units: Units) -> bool:
    kinds = [Counter[str | int](units.get(name, name) for name in monomial) for monomial, _ in terms]
    return all(kind == kinds[0] for kind in kinds)
