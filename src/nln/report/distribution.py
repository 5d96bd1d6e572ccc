"""How the values of a feature are spread over a table: counts only, no rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nln.export.wording import spelling
from nln.rules.columns import MISSING, UNSEEN, Column
from nln.rules.language.words import spelled
from nln.rules.schema import Feature

BINS = 24
EDGES = (0.02, 0.98)
"""Quantiles between which the axis of numbers runs; what lies outside counts to the outermost bins."""

LARGEST = 1e300
"""Ends of an axis at most, so that a page can compute with their distance."""


def describe_feature(feature: Feature, column: Column, truth: NDArray[np.bool_]) -> dict[str, Any]:
    """Count the values of a feature, in all rows and in those of each output.

    Parameters
    ----------
    feature : Feature
        The feature.
    column : array of shape (rows,)
        As `read_columns` gives it.
    truth : array of bool, (rows, outputs)
        What holds.

    Returns
    -------
    dict
        `name`, `spelled` (as the rule language writes it), `kind`, `missing`, `counts` (per value or bin), `by_output`
        and `typical`; for numbers also `low` and `high`, the ends of the bins, else `values`, `codes` (as the rule
        language writes them) and `unseen`.

    Examples
    --------
    >>> colour = Feature("colour", "categorical", ("blue", "red"))
    >>> found = describe_feature(colour, np.array([1, 1, -1]), np.array([[True], [False], [True]]))
    >>> found["counts"], found["by_output"], found["missing"], found["typical"]
    ([0, 2], [[0, 1]], 1, 1)
    """
    start = {"name": feature.name, "spelled": spelled(feature.name), "kind": feature.kind}
    more = _numbers(column) if feature.is_numeric else _values(feature, column)
    places, size = more.pop("places"), more.pop("size")
    present = places >= 0
    counts = np.bincount(places[present], minlength=size)
    by_output = [np.bincount(places[present & holds], minlength=size).tolist() for holds in truth.T]
    most = int(counts.argmax()) if counts.any() else None
    return {**start, "typical": most, **more, "counts": counts.tolist(), "by_output": by_output}


def _values(feature: Feature, column: NDArray[Any]) -> dict[str, Any]:
    return {
        "places": column,
        "size": len(feature.values),
        "values": [spelling(value) for value in feature.values],
        "codes": [spelled(value) for value in feature.values],
        "missing": int(np.count_nonzero(column == MISSING)),
        "unseen": int(np.count_nonzero(column == UNSEEN)),
    }


def _numbers(column: NDArray[Any]) -> dict[str, Any]:
    missing = np.isnan(column)
    finite = column[np.isfinite(column)] / 4  # quarters: sums and differences of finite numbers may be infinite
    low, high = _axis(finite)
    share = (np.clip(column, low, high) - low) / (high - low)
    with np.errstate(invalid="ignore"):
        places = np.where(missing, MISSING, np.minimum(share * BINS, BINS - 1)).astype(np.intp)
    return {
        "places": places,
        "size": BINS,
        "low": low,
        "high": high,
        "missing": int(np.count_nonzero(missing)),
        "typical": plain_number(float(f"{4 * np.median(finite):.4g}")) if len(finite) else None,
    }


def _axis(quarters: NDArray[Any]) -> tuple[float, float]:
    """Choose the ends of the axis, far enough apart to divide by their distance."""
    low, high = np.quantile(quarters, EDGES).tolist() if len(quarters) else (0.0, 0.25)
    low, high = (min(max(4 * end, -LARGEST), LARGEST) for end in (low, high))
    least = max(abs(low), abs(high)) * 1e-9
    if not high - low > least:
        low, high = low - max(least, 0.5), high + max(least, 0.5)
    return low, high


def plain_number(value: float) -> float | int | None:
    """Shorten a number for JSON: no `.0`, None for missing, the largest float for infinity.

    Examples
    --------
    >>> plain_number(39.0), plain_number(0.5), plain_number(float("nan"))
    (39, 0.5, None)
    """
    if np.isnan(value):
        return None
    value = float(np.nan_to_num(value))
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
