"""Candidates on a sample of the rows: their bins, and what their best regions save in a context.

Nothing here has seen a target before it is asked, so that all starts share what is cached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from nln.learning.derived.contexts import Context
from nln.learning.derived.kernels.regions import region_gains
from nln.learning.units import Units, are_comparable
from nln.rules.cells import Column
from nln.rules.derived.arithmetic import Arithmetic, Operator
from nln.rules.derived.same import Same
from nln.rules.schema import Feature
from nln.tables.encoding import Codes, Floats, Integers

SCREEN_ROWS, SCREEN_BINS = 4096, 48
"""Most rows and bins on which candidates are compared."""
LIKE_SPREADS = 5.0
"""Columns are added and subtracted if the ranges of their middle 80 % differ by this factor at most, unless the user
says which ones are measured alike."""

Candidate = Arithmetic | Same


class Screen:
    """Candidates that are calculated from the columns of a sample of the rows."""

    def __init__(
        self,
        features: Mapping[str, Feature],
        columns: Mapping[str, Column],
        most_mentions: int,
        units: Units | None = None,
    ) -> None:
        self.features, self.columns, self.most_mentions, self.units = features, columns, most_mentions, units
        self.bins = cache(self._bins)
        self.column = cache(Arithmetic.column)
        self.join = cache(self._join)
        self._ends = cache(self._find_ends)

    def allows(self, candidate: Candidate) -> bool:
        """Whether the user lets the columns of a candidate be added and compared."""
        return self.units is None or are_comparable(candidate, self.units)

    def gains(
        self, candidates: Sequence[Candidate], rows: Integers, contexts: Sequence[Context], price: float
    ) -> Floats:
        """What the best region of each candidate saves in each context on some rows, (candidates, contexts)."""
        if not candidates or not contexts:
            return np.zeros((len(candidates), len(contexts)))
        binned = [self.bins(candidate) for candidate in candidates]
        codes, n_bins = np.stack([codes[rows] for codes, _ in binned]), np.array([n for _, n in binned], np.int64)
        mass, hits = np.stack([c.mass for c in contexts]), np.stack([c.hits for c in contexts])
        extra = np.array([candidate.extra for candidate in candidates], np.float64)
        found: Floats = region_gains(codes, n_bins, mass, hits, contexts[0].total, price, extra)
        return found

    def _bins(self, candidate: Candidate) -> tuple[Codes, int]:
        values = candidate.evaluate(self.columns, self.features)
        if isinstance(candidate, Same):
            return np.where(values < 0, 2, values).astype(np.uint8), 2
        return screen_bins(values.astype(np.float64, copy=False))

    def _find_ends(self, expression: Arithmetic) -> tuple[float, float]:
        """Least number of an expression, and the range of its middle 80 %."""
        values = expression.evaluate(self.columns)
        known = values[~np.isnan(values)]
        if not len(known):
            return -np.inf, 0.0
        low, high = np.quantile(known, [0.1, 0.9])
        return float(known.min()), float(high - low)

    def _join(self, a: Arithmetic, b: Arithmetic) -> tuple[Arithmetic, ...]:
        """Sane combinations: sums and differences of like spreads, products, ratios by what is positive."""
        (low_a, spread_a), (low_b, spread_b) = self._ends(a), self._ends(b)
        wanted: list[tuple[Arithmetic, Operator, Arithmetic]] = [(a, "*", b)]
        is_alike = spread_a <= LIKE_SPREADS * spread_b and spread_b <= LIKE_SPREADS * spread_a
        if is_alike or self.units is not None:
            wanted += [(a, "-", b), (a, "+", b)]
        if max(low_a, low_b) > 0:
            wanted.append((a, "/", b) if low_b > 0 else (b, "/", a))
        found: dict[Arithmetic, None] = {}
        for one, operator, other in wanted:
            joined = _joined(one, operator, other, positive=min(low_a, low_b) > 0)
            if joined is not None and 2 <= len(joined.mentions) <= self.most_mentions and self.allows(joined):
                found[joined] = None
        return tuple(found)


def _joined(one: Arithmetic, operator: Operator, other: Arithmetic, *, positive: bool) -> Arithmetic | None:
    """The combination that stands for all that ask the same; None if there is none."""
    try:
        joined = one.join(operator, other)
        if not positive:
            return joined.canonical()[0]
        reduced = joined.reduced()
        return None if reduced is None else _upright(reduced)
    except ValueError:  # the terms cancel out, or have different units
        return None


def _upright(fraction: Arithmetic) -> Arithmetic:
    """Of a fraction of two products and its inverse, the one with fewer factors above: weight / height / height."""
    above, below = fraction.numerator, fraction.denominator
    if len(above) == len(below) == 1 and 0 < len(below[0][0]) < len(above[0][0]):
        return Arithmetic(below, above)
    return fraction


def screen_bins(values: npt.NDArray[np.float64]) -> tuple[Codes, int]:
    """Codes of a column in few bins, equal values in one, and the number of bins; missing values get one more."""
    known = ~np.isnan(values)
    ranked = np.sort(values[known])
    starts = _different(ranked)
    if len(starts) > SCREEN_BINS:
        shares = np.linspace(0.0, 1.0, SCREEN_BINS, endpoint=False)
        starts = _different(ranked[np.floor((len(ranked) - 1) * shares).astype(np.int64)])
    codes = np.clip(np.searchsorted(starts, values, side="right") - 1, 0, max(len(starts) - 1, 0))
    return np.where(known, codes, len(starts)).astype(np.uint8), len(starts)


def _different(ranked: Floats) -> Floats:
    """The different ones of ascending numbers."""
    return ranked[np.concatenate([[True], ranked[1:] != ranked[:-1]])] if len(ranked) else ranked
