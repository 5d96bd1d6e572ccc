"""Cells and probabilities as people read them."""

from __future__ import annotations

from typing import Any

from nln.rules.cells import is_missing, plain_value
from nln.rules.language.words import spelled
from nln.rules.schema import Value


def plain_cell(cell: Any) -> Value | None:
    """Turn a cell into plain Python: None for missing, text for what is neither text nor a number."""
    if is_missing(cell):
        return None
    plain = plain_value(cell)
    return str(cell) if plain is None else plain


def cell_text(cell: Value | None) -> str:
    """Write a plain cell as the rule language does."""
    return "missing" if cell is None else spelled(cell)


def rounded(probability: float, threshold: float | None = None) -> str:
    """Write a probability in two digits, or more where two would show it as 0, as 1 or across the threshold."""
    for digits in range(2, 17):
        text = f"{probability:.{digits}g}"
        shown = float(text)
        sides = (0.0, 1.0) if threshold is None else (0.0, 1.0, threshold)
        if all((shown < side, shown > side) == (probability < side, probability > side) for side in sides):
            return text
    return repr(float(probability))
