"""What a user can say about columns beyond the name of a kind: a period, levels, and columns that belong together."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from nln.rules.cells import Array
from nln.rules.language.words import counted


@dataclass(frozen=True, slots=True)
class Periodic:
    """A column of numbers on a circle: hours, weekdays, angles.

    Parameters
    ----------
    period : float
        Where the numbers start again: 24 for hours, 7 for weekdays, 360 for degrees.

    Examples
    --------
    >>> from nln import NLNClassifier
    >>> model = NLNClassifier(feature_types={"hour": Periodic(24)})
    """

    period: float

    def __post_init__(self) -> None:
        if isinstance(self.period, bool) or not isinstance(self.period, numbers.Real):
            raise TypeError(f"A period is a number, not {self.period!r}. Give for example Periodic(24) for hours.")
        if not (math.isfinite(self.period) and self.period > 0):
            raise ValueError(
                f"A period is a finite number above 0, not {self.period!r}. Give for example Periodic(24)."
            )
        object.__setattr__(self, "period", float(self.period))


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A column of codes whose first characters say the group: diagnoses, postal codes, occupations, products.

    Rules ask about the first characters, `icd_first_3 = I21`, and not about the forty codes that begin so. Codes that
    were never seen belong to the groups of their first characters, too. Each length makes a categorical feature.

    Parameters
    ----------
    lengths : tuple of int
        How many characters each level keeps, in increasing order. A code that is shorter stays whole, so the last
        length can be that of the longest code; rules ask about nothing beyond it.

    Examples
    --------
    >>> from nln import NLNClassifier
    >>> model = NLNClassifier(feature_types={"icd": Hierarchy(lengths=(1, 3, 5))})
    """

    lengths: tuple[int, ...]

    def __post_init__(self) -> None:
        lengths = self.lengths
        if not isinstance(lengths, Iterable) or isinstance(lengths, str):
            raise TypeError(f"The lengths of a hierarchy are whole numbers such as (1, 3, 5), not {lengths!r}.")
        lengths = tuple(lengths)
        if any(isinstance(length, bool) or not isinstance(length, numbers.Integral) for length in lengths):
            raise TypeError(f"The lengths of a hierarchy are whole numbers such as (1, 3, 5), not {lengths!r}.")
        lengths = tuple(map(int, lengths))
        if not lengths or lengths[0] < 1 or any(one >= other for one, other in pairwise(lengths)):
            raise ValueError(
                f"The lengths of a hierarchy are at least 1 and increase, as in (1, 3, 5), not {lengths!r}."
            )
        object.__setattr__(self, "lengths", lengths)


@dataclass(frozen=True, slots=True)
class Distribution:
    """Columns that give the probabilities of the values of one category, which sum to 1 in each row.

    Each column becomes a probability feature with its own name.

    Parameters
    ----------
    columns : list of str
        Names of the columns, at least two.

    Examples
    --------
    >>> from nln import NLNClassifier
    >>> model = NLNClassifier(feature_types={"weather": Distribution(["p_sun", "p_rain", "p_snow"])})
    """

    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        columns = self.columns
        is_list = isinstance(columns, Iterable) and not isinstance(columns, str)
        if not is_list or not all(isinstance(column, str) for column in columns):
            raise TypeError(f"A distribution is a list of column names, not {columns!r}.")
        object.__setattr__(self, "columns", tuple(columns))
        if len(self.columns) < 2 or len(set(self.columns)) != len(self.columns):
            raise ValueError(f"A distribution has at least two columns, each named once, not {self.columns!r}.")


@dataclass(frozen=True, slots=True)
class Calculated:
    """A column that is calculated from others, under the name that `feature_types` gives it.

    Rules ask about it as about any column, and the model holds the calculation: tables to decide need not have the
    column. A missing operand, a zero divisor and an overflow make it missing.

    Parameters
    ----------
    expression : str
        Sums, differences, products and ratios of columns of numbers, `a is b` for columns of values, or
        `count of {temp > 38; pulse > 90}`; of columns of X or of those that were calculated before.

    Examples
    --------
    >>> from nln import NLNClassifier
    >>> model = NLNClassifier(feature_types={"bmi": Calculated("weight / height / height")})
    """

    expression: str

    def __post_init__(self) -> None:
        if not isinstance(self.expression, str):
            raise TypeError(f"A calculation is a text such as 'weight / height / height', not {self.expression!r}.")


def check_sums(name: str, columns: dict[str, Array]) -> None:
    """Raise if the probabilities of a distribution do not sum to 1 in every row where none is missing."""
    total = np.sum(list(columns.values()), axis=0)
    wrong = np.abs(total - 1.0) > 1e-6  # a row with a missing value has no sum to check
    if count := int(np.count_nonzero(wrong)):
        row = int(wrong.argmax())
        found = ", ".join(f"{column!r} {values[row]:.6g}" for column, values in columns.items())
        raise ValueError(
            f"The distribution {name!r} does not sum to 1 in {counted(count, 'row')} (first row {row}: {found} sum to "
            f"{total[row]:.6g}). Divide each row by its sum, add the column that is left out, or say 'probability' for "
            "each column instead."
        )
