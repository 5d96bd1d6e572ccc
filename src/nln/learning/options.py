"""What the rules may say: limits on the language that learning keeps to."""

from __future__ import annotations

import numbers
from dataclasses import dataclass


@dataclass(frozen=True)
class LanguageOptions:
    """Limits on rules and conditions.

    Parameters
    ----------
    max_rules : int or None
        Most rules of the program; those worth least go, and the others adapt.
    max_conditions : int or None
        Most conditions of a rule, each on a feature of its own.
    negation : bool
        Whether conditions may list exceptions: `!=` and `not in`.
    unions : bool
        Whether a condition may be a union of intervals: `x < 3 or 5 <= x < 8`.
    fuzzy : bool
        Whether boundaries may be fuzzy: `x < 14.9 ± 0.3`. False gives crisp boundaries only.
    rounding : float
        Squared error, in rows, that a boundary may cost for each digit by which it becomes shorter. 0 leaves boundaries
        where the rows want them.

    Examples
    --------
    >>> LanguageOptions(max_rules=5, negation=False).unions
    True
    """

    max_rules: int | None = None
    max_conditions: int | None = None
    negation: bool = True
    unions: bool = True
    fuzzy: bool = True
    rounding: float = 0.05

    def __post_init__(self) -> None:
        for name in ("max_rules", "max_conditions"):
            limit = getattr(self, name)
            if limit is not None and not (isinstance(limit, numbers.Integral) and int(limit) >= 1):
                raise ValueError(f"LanguageOptions: {name} must be an integer of at least 1 or None, not {limit!r}.")
        if not 0 <= self.rounding < float("inf"):
            raise ValueError(f"LanguageOptions: rounding must be a number of at least 0, not {self.rounding!r}.")
