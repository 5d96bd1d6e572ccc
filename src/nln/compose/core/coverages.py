"""Sums of coverage counts."""

from __future__ import annotations

from nln.rules import Coverage


def add_coverage(one: Coverage | None, other: Coverage | None) -> Coverage | None:
    """Add the counts of two sets of rows; None, not counted, if either is.

    Examples
    --------
    >>> add_coverage(Coverage(2, 4, 1, 2), Coverage(1, 4, 1, 3))
    Coverage(rows=3, of_rows=8, hits=2, of_hits=5)
    """
    if one is None or other is None:
        return None
    return Coverage(
        one.rows + other.rows, one.of_rows + other.of_rows, one.hits + other.hits, one.of_hits + other.of_hits
    )
