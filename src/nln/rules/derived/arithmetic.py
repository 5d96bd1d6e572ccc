"""Arithmetic of columns: a fraction of two sums of products, in a normal form.

Two spellings of one fraction are one value: terms and factors are sorted, a column that is a factor of every term
cancels out, and the first term of a divisor is added. The terms of a sum have equally many factors, since lengths are
not added to areas, and coefficients are 1 or -1.

`x - y` and `y - x` are one column of a program: `canonical` says which, and a condition on the other one is mirrored,
which changes no decision. `x / y` and `y / x` remain two, and so do `(x + y) / x` and `y / x`: they ask the same only
where the divisors are positive, and their results are rounded differently. A search that looks at one of them need not
look at the other, and `reduced` says which one to look at. For the same reason `x / y > 1` is not written `x > y`.

A sum of products may miss 0 by the rounding of its products, 0.1 * 3 - 0.3 * 1 for example. So a sum that is less than
`TOLERANCE` of what its terms come to, each without its sign, is 0. Differences of two columns need no such care.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nln.rules.derived.polynomials import ONE, Monomial, Polynomial, cancelled, plus, times
from nln.rules.derived.rounding import in_digits
from nln.rules.language.words import spelled

if TYPE_CHECKING:
    from nln.rules.cells import Column
    from nln.rules.schema import Feature, FeatureKind

TOLERANCE = 1e-14
MOST_MENTIONS = 16
"""The most mentions of columns in one expression; a learner takes far fewer."""

CHUNK = 16_384
"""Rows calculated at a time, so that what is in between stays in the processor's cache."""

Term: TypeAlias = tuple[Monomial, int]
Operator: TypeAlias = Literal["+", "-", "*", "/"]


@dataclass(frozen=True)
class Arithmetic:
    """A fraction of two sums of products of columns, in normal form; `column` and `join` make them.

    Parameters
    ----------
    numerator : tuple of ((column, ...), 1 or -1)
        The terms, those that are added first.
    denominator : tuple of ((column, ...), 1 or -1), default=(((), 1),)
        The terms that divide it; the default is 1.

    Examples
    --------
    >>> weight, height = Arithmetic.column("weight"), Arithmetic.column("height")
    >>> weight.join("/", height).join("/", height).text
    'weight / height / height'
    >>> import numpy as np
    >>> columns = {"weight": np.array([80.0, 70.0, np.nan]), "height": np.array([1.6, 0.0, 1.8])}
    >>> weight.join("/", height).evaluate(columns)
    array([50., nan, nan])
    """

    whole: ClassVar[bool] = False
    numerator: tuple[Term, ...]
    denominator: tuple[Term, ...] = (((), 1),)

    def __post_init__(self) -> None:
        for name in ("numerator", "denominator"):
            object.__setattr__(self, name, tuple((tuple(m), int(c)) for m, c in getattr(self, name)))
        if (self.numerator, self.denominator) != _normal(dict(self.numerator), dict(self.denominator)):
            raise ValueError(f"{self.text!r} is not in normal form: make expressions with Arithmetic.column and join.")

    @staticmethod
    @lru_cache(maxsize=4096)
    def column(name: str) -> Arithmetic:
        """Return the expression that is one column."""
        return Arithmetic((((name,), 1),))

    def join(self, operator: Operator, other: Arithmetic) -> Arithmetic:
        """Return the normal form of `self operator other`; a ValueError says why there is none."""
        a, b, c, d = map(dict, (self.numerator, self.denominator, other.numerator, other.denominator))
        if operator == "*":
            return Arithmetic(*_normal(times(a, c), times(b, d)))
        if operator == "/":
            return Arithmetic(*_normal(times(a, d), times(b, c)))
        sign = 1 if operator == "+" else -1
        if b == d:
            return Arithmetic(*_normal(plus(a, c, sign), b))
        return Arithmetic(*_normal(plus(times(a, d), times(c, b), sign), times(b, d)))

    @cached_property
    def features(self) -> tuple[str, ...]:
        """The columns that it needs, each once, in the order of the text."""
        return tuple(dict.fromkeys(self.mentions))

    @cached_property
    def mentions(self) -> tuple[str, ...]:
        """The columns as often as the text names them."""
        return tuple(name for monomial, _ in (*self.numerator, *self.denominator) for name in monomial)

    @property
    def extra(self) -> int:
        """What it costs beside its boundaries, in literals: a condition on one column names it at no extra cost."""
        return len(self.mentions) - 1

    @property
    def kind(self) -> FeatureKind:
        """The kind of the feature that holds its results."""
        return "continuous"

    @property
    def values(self) -> tuple[bool | int, ...]:
        """The values of the feature that holds its results: any numbers."""
        return ()

    @property
    def is_difference(self) -> bool:
        """Whether it is a plain sum with terms of both signs, so that a comparison with 0 compares two sides."""
        return self.denominator == tuple(ONE.items()) and len({sign for _, sign in self.numerator}) == 2

    @property
    def landmark(self) -> float | None:
        """The boundary to prefer where rows cannot tell: 0 for a difference, 1 for a ratio of equally many factors."""
        if self.is_difference:
            return 0.0
        degrees = {len(monomial) for monomial, _ in (*self.numerator, *self.denominator)}
        return 1.0 if len(degrees) == 1 else None

    @cached_property
    def text(self) -> str:
        """The expression as the rule language writes it."""
        if self.denominator == tuple(ONE.items()):
            return sum_text(self.numerator)
        above = sum_text(self.numerator)
        above = f"({above})" if len(self.numerator) > 1 else above
        if len(self.denominator) > 1:
            return f"{above} / ({sum_text(self.denominator)})"
        return " / ".join([above, *map(spelled, self.denominator[0][0])])

    @property
    def sides(self) -> tuple[str, str]:
        """What a difference compares: the terms that are added, and those that are subtracted."""
        left = tuple(term for term in self.numerator if term[1] > 0)
        right = tuple((monomial, 1) for monomial, sign in self.numerator if sign < 0)
        return sum_text(left), sum_text(right)

    def mirrored(self) -> Arithmetic:
        """Return the same with the other sign: y - x for x - y."""
        return Arithmetic(_terms({monomial: -sign for monomial, sign in self.numerator}), self.denominator)

    def canonical(self) -> tuple[Arithmetic, int]:
        """Return the column of a program that holds this or its negative, and 1 or -1: whether it is the negative."""
        first = dict(self.numerator)[min(monomial for monomial, _ in self.numerator)]
        return (self, 1) if first > 0 else (self.mirrored(), -1)

    def reduced(self) -> Arithmetic | None:
        """Return the simplest expression that asks the same of positive columns; None if no expression is left.

        Of x / y and y / x it is the first in the order of the names; (x + y) / x is y / x.
        """
        above, below = dict(self.numerator), dict(self.denominator)
        if len(below) == 1:
            (shared,) = below
            above = {monomial: sign for monomial, sign in above.items() if monomial != shared or shared == ()}
        elif len(below) == 2 and set(above) == set(below):  # (x - y) / (x + y) rises with x / y
            above, below = ({monomial: 1} for monomial in sorted(below))
        if not above:
            return None
        above, below = cancelled(above, below)
        if len(above) == len(below) == 1 and () not in below and (min(below) < min(above) or () in above):
            above, below = below, above
        return Arithmetic(*_normal(above, below)).canonical()[0]

    def evaluate(self, columns: Mapping[str, Column], features: Mapping[str, Feature] | None = None) -> Column:
        """Calculate the expression for each row.

        Parameters
        ----------
        columns : mapping of str to array
            Columns of numbers, NaN for missing, as `read_columns` gives them.
        features : mapping of str to Feature, default=None
            Not needed: numbers stand for themselves.

        Returns
        -------
        array of shape (rows,)
            Numbers of 11 significant digits. A missing operand, a zero divisor and an overflow give NaN.
        """
        rows = len(columns[self.features[0]])
        result = np.empty(rows)
        for start in range(0, rows, CHUNK):
            part = {name: columns[name][start : start + CHUNK] for name in self.features}
            result[start : start + CHUNK] = in_digits(self._quotient(part))
        return result

    def check(self, features: Mapping[str, Feature]) -> None:
        """Check that the columns it needs are numbers of the schema."""
        for name in self.features:
            kind = features[name].kind
            if kind != "continuous" or features[name].derived is not None:
                what = "is calculated itself" if features[name].derived is not None else f"is {kind}"
                raise ValueError(
                    f"Arithmetic takes columns of numbers, but {name!r} in {self.text!r} {what}. "
                    "Make it a continuous feature if its values are numbers."
                )

    def _quotient(self, columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        with np.errstate(all="ignore"):
            above: NDArray[Any] = _sum(self.numerator, columns)
            if self.denominator == tuple(ONE.items()):
                return above
            if len(self.denominator) > 1:
                above = above / _sum(self.denominator, columns)
                return above
            for name in self.denominator[0][0]:
                above = above / columns[name]
            return above


def needs_care(terms: tuple[Term, ...]) -> bool:
    """Tell whether a sum may miss 0 by rounding: not a single term, nor the difference of two columns."""
    return len(terms) > 2 or (len(terms) == 2 and any(len(monomial) > 1 for monomial, _ in terms))


def sum_text(terms: Iterable[Term]) -> str:
    """Write a sum of products."""
    text = "".join((" + " if sign > 0 else " - ") + " * ".join(map(spelled, monomial)) for monomial, sign in terms)
    return text[3:] if text.startswith(" + ") else text.strip()


def _sum(terms: tuple[Term, ...], columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    total: Any = 0.0
    size: Any = 0.0
    careful = needs_care(terms)
    for monomial, sign in terms:
        product = columns[monomial[0]]
        for name in monomial[1:]:
            product = product * columns[name]
        total = total + product if sign > 0 else total - product
        size = size + np.abs(product) if careful else size
    return np.asarray(np.where(np.abs(total) < TOLERANCE * size, 0.0, total) if careful else total)


def _normal(above: Polynomial, below: Polynomial) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """Return the terms of a fraction in normal form; a ValueError says why there is none."""
    if not above:
        raise ValueError("The expression is always 0: its terms cancel out.")
    above, below = cancelled(above, below)
    if any(abs(coefficient) > 1 for coefficient in (*above.values(), *below.values())):
        raise ValueError("A product occurs twice in a sum. Each may be added or subtracted once.")
    if () in above:
        raise ValueError("No column is left above the fraction line: ask about the divisor itself.")
    for polynomial in (above, below):
        degrees = sorted({len(monomial) for monomial in polynomial})
        if len(degrees) > 1:
            raise ValueError(
                f"Terms of {degrees[0]} and of {degrees[-1]} factors are added. Add and subtract only what has one "
                "unit: products of equally many columns."
            )
    if sum(map(len, (*above, *below))) > MOST_MENTIONS:
        raise ValueError(f"The expression mentions columns more than {MOST_MENTIONS} times. Take a shorter one.")
    return _terms(above), _terms(below)


def _terms(polynomial: Mapping[Monomial, int]) -> tuple[Term, ...]:
    """Sort the terms: those that are added first, each side by names."""
    terms = ((tuple(sorted(monomial)), sign) for monomial, sign in polynomial.items())
    return tuple(sorted(terms, key=lambda term: (-term[1], term[0])))
