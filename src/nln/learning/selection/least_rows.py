"""The fewest rows that a rule must cover.

A rule that covers few rows may owe all its hits to chance. Let e be the probability that the label of a row is a
surprise. Among N rows there are about N places to look for n surprises in a row, and N e^n of them are found by chance:
less than one from n = log N / log 1/e on. A coin needs 10 of 1,000 rows; where one row in a hundred is a surprise, 2
are enough, be it that the rules explain all others or that the label is rare.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nln.learning.descent.descent import covered
from nln.learning.descent.layout import SlotLayout
from nln.learning.draft import DescentRows, Draft
from nln.tables.encoding import Floats, Integers


@dataclass(frozen=True)
class LeastRows:
    """How many rows of a table the rules of each output must cover."""

    rows: DescentRows  # weighed by how often they were seen
    least: Integers  # (outputs,)

    @property
    def shares(self) -> Floats:
        """The same as shares of all rows."""
        shares: Floats = self.least / self.rows.weights.sum()
        return shares

    def met(self, layout: SlotLayout, draft: Draft) -> npt.NDArray[np.bool_]:
        """Which rules of a draft cover enough rows; fixed rules always do."""
        held = covered(layout, self.rows, draft)
        enough = np.array([self.rows.weights[rows].sum() for rows in held]) >= self.least[draft.output]
        enough[: draft.n_fixed] = True
        return enough


def find_least_rows(asked: int | None, rows: DescentRows, unexplained: float) -> LeastRows:
    """Find how many rows the rules of each output must cover, if no number is asked for.

    `unexplained` is the share of the labels' variance that networks and rules leave on left-out rows. Rows are weighed
    by how often they were seen.
    """
    n_rows = float(rows.weights.sum())
    shares: Floats = rows.targets @ rows.weights / n_rows
    least = (
        surprising_rows(unexplained * shares * (1.0 - shares), n_rows) if asked is None else np.full_like(shares, asked)
    )
    return LeastRows(rows, least.astype(np.int64))


def surprising_rows(variance: Floats, n_rows: float) -> Floats:
    """Fewest rows of one label that chance would hardly put together, for labels of some variance v, (outputs,).

    They are as surprising as a coin of the same variance: e (1 - e) = v.
    """
    surprise = (1.0 - np.sqrt(np.clip(1.0 - 4.0 * variance, 0.0, 1.0))) / 2.0
    found: Floats = np.maximum(np.ceil(np.log(n_rows) / -np.log(np.clip(surprise, 1e-300, 0.5))), 1.0)
    return found
