"""One row as people hold it, a dictionary or a series, and its cells as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nln.rules.columns import is_missing
from nln.rules.language.words import spelled
from nln.rules.schema import Value


def as_row(X: Any, names: Sequence[str]) -> dict[str, Any] | None:
    """Return one row as a dictionary, or None if the input is a table.

    Parameters
    ----------
    X : mapping, series or table
        A mapping from names to scalars, or a pandas Series such as `frame.iloc[0]`, is one row.
    names : sequence of str
        The names that matter; what other names hold decides nothing unless there are none of these.

    Examples
    --------
    >>> as_row({"x": 1.5}, ["x"]), as_row({"x": [1.5, 2.5]}, ["x"])
    ({'x': 1.5}, None)
    """
    if getattr(X, "ndim", None) == 1 and hasattr(X, "to_dict"):
        X = X.to_dict()
    if not isinstance(X, Mapping):
        return None
    cells = [X[name] for name in names if name in X] or list(X.values())
    return dict(X) if all(isinstance(cell, str | bytes) or not hasattr(cell, "__len__") for cell in cells) else None


def plain_cell(cell: Any) -> Value | None:
    """Turn a cell into plain Python: None for missing, text for what is neither text nor a number.

    Examples
    --------
    >>> plain_cell(np.int64(3)), plain_cell(float("nan"))
    (3, None)
    """
    if is_missing(cell):
        return None
    plain = cell.item() if isinstance(cell, np.generic) else cell
    return plain if isinstance(plain, str | bool | int | float) else str(plain)


def cell_text(cell: Value | None) -> str:
    """Write a plain cell as the rule language does.

    Examples
    --------
    >>> cell_text(9.4), cell_text("light red"), cell_text(None)
    ('9.4', '"light red"', 'missing')
    """
    return "missing" if cell is None else spelled(cell)


def rounded(probability: float, threshold: float | None = None) -> str:
    """Write a probability in two digits, or more where two would show it as 0, as 1 or across the threshold.

    Examples
    --------
    >>> rounded(0.98123), rounded(0.99999), rounded(0.4999, 0.5), rounded(1.0)
    ('0.98', '0.99999', '0.4999', '1')
    """
    for digits in range(2, 17):
        text = f"{probability:.{digits}g}"
        shown = float(text)
        sides = (0.0, 1.0) if threshold is None else (0.0, 1.0, threshold)
        if all((shown < side, shown > side) == (probability < side, probability > side) for side in sides):
            return text
    return repr(float(probability))
