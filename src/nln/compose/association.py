"""How closely two columns go together, from 0 (not at all) to 1 (one gives the other away)."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nln.rules import Feature
from nln.rules.columns import Column

Measure = Literal["Cramér's V", "correlation ratio", "Spearman"]
Floats = NDArray[np.float64]


def association(one: Column, feature: Feature, other: Column, other_feature: Feature) -> tuple[Measure, float]:
    """Measure the association of two columns, by the measure that their kinds call for.

    Cramér's V for two columns of values, the correlation ratio for numbers and values, the absolute rank correlation of
    Spearman for two columns of numbers. A missing value is a value among values, and left out among numbers.

    Parameters
    ----------
    one, other : array of shape (rows,)
        Columns, as `nln.rules.read_columns` gives them.
    feature, other_feature : Feature
        Their features.

    Examples
    --------
    >>> colour, x = Feature("colour", "categorical", ("blue", "red")), Feature("x", "continuous")
    >>> association(np.array([0, 0, 1, 1]), colour, np.array([1.0, 1.0, 5.0, 5.0]), x)
    ('correlation ratio', 1.0)
    """
    if feature.is_numeric and other_feature.is_numeric:
        return "Spearman", abs(spearman(one, other))
    if feature.is_numeric:
        return "correlation ratio", correlation_ratio(other, one)
    if other_feature.is_numeric:
        return "correlation ratio", correlation_ratio(one, other)
    return "Cramér's V", cramers_v(one, other)


def cramers_v(one: Column, other: Column) -> float:
    """Cramér's V, `sqrt(chi2 / n / min(r - 1, c - 1))`; 0 if a column has one value only.

    Examples
    --------
    >>> cramers_v(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    rows, r = _numbered(one)
    columns, c = _numbered(other)
    if min(r, c) < 2:
        return 0.0
    counts = np.bincount(rows * c + columns, minlength=r * c).reshape(r, c).astype(np.float64)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / len(rows)
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    return min(1.0, math.sqrt(chi2 / len(rows) / (min(r, c) - 1)))


def correlation_ratio(values: Column, numbers: Column) -> float:
    """Square root of the share of the numbers' variance that lies between the values.

    Examples
    --------
    >>> correlation_ratio(np.array([0, 0, 1, 1]), np.array([1.0, 3.0, 1.0, 3.0]))
    0.0
    """
    known = np.isfinite(numbers)
    if not known.any():
        return 0.0
    groups, n_groups = _numbered(values[known])
    x = numbers[known].astype(np.float64)
    x = x - x.mean()
    total = float(x @ x)
    if total == 0.0:
        return 0.0
    sums = np.bincount(groups, weights=x, minlength=n_groups)
    between = float((sums**2 / np.bincount(groups, minlength=n_groups)).sum())
    return min(1.0, math.sqrt(between / total))


def spearman(one: Column, other: Column) -> float:
    """Correlation of the ranks, ties sharing their mean rank; 0 if a column does not vary.

    Examples
    --------
    >>> spearman(np.array([1.0, 2.0, 30.0]), np.array([9.0, 4.0, 1.0]))
    -1.0
    """
    known = np.isfinite(one) & np.isfinite(other)
    x, y = (_centred_ranks(column[known]) for column in (one, other))
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return 0.0 if scale == 0.0 else max(-1.0, min(1.0, float(x @ y) / scale))


def _centred_ranks(column: Column) -> Floats:
    numbers, counts = _numbered(column)[0], np.unique(column, return_counts=True)[1]
    mean_rank = np.cumsum(counts) - (counts + 1) / 2
    centred: Floats = mean_rank[numbers] - (len(column) - 1) / 2
    return centred


def _numbered(column: Column) -> tuple[NDArray[np.intp], int]:
    """Number the values from 0."""
    values, numbers = np.unique(column, return_inverse=True)
    return numbers.reshape(-1), len(values)
