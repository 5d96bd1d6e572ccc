"""The dial between accuracy and simplicity: the pooled rules at every price, from many to few.

The chosen price gets the whole treatment (all rows, local search); the other stages of the dial are one descent each,
on a sample of a long table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.shapes import Axis
from nln.learning.descent.local_search import may_polish, polish
from nln.learning.descent.soften import Shapes, soften
from nln.learning.draft import DescentRows, Draft, SlotLayout
from nln.learning.prior import keep_most
from nln.tables.encoding import Floats


@dataclass(frozen=True)
class Stage:
    """Rules at one price.

    Parameters
    ----------
    draft : Draft
        The rules on the encoding's slots.
    shapes : dict
        Boundaries of each used ordered feature, by rule and feature.
    """

    draft: Draft
    shapes: Shapes


@dataclass(frozen=True)
class Dial:
    """What all stages share.

    Parameters
    ----------
    layout : SlotLayout
        The encoding's slots, and the boundaries that the descent may take.
    axes : dict of int to Axis
        Boundaries that the ordered features offer.
    level : int
        Floor under the widths of boundaries.
    max_rules : int or None
        Most rules.
    by_output : mapping of int to int
        Most rules of an output.
    rng : Generator
        Order of the visits.
    """

    layout: SlotLayout
    axes: dict[int, Axis]
    level: int
    max_rules: int | None
    by_output: Mapping[int, int]
    rng: np.random.Generator

    def run(
        self,
        rows: DescentRows,
        few: DescentRows,
        pools: Sequence[Draft],
        prices: Floats,
        rivals: Sequence[Draft] | None,
    ) -> list[Stage]:
        """Rules at each price; the last pool belongs to the chosen price, and dearer ones go on from its rules.

        Parameters
        ----------
        rows, few : DescentRows
            Rows for the chosen price, and for the others.
        pools : sequence of Draft
            Rules to choose from, at each price up to the chosen one.
        prices : ndarray
            Ascending prices.
        rivals : sequence of Draft, or None
            Other rules for the chosen price: a local search begins at the best; None is for no search.
        """
        chosen = len(pools) - 1
        descent = self._descend(Descent(self.layout, rows, pools[chosen]), prices[chosen], rivals)
        best, stages = descent.draft.copy(), [self._soften(descent)]
        for price in prices[chosen + 1 :]:
            descent = self._descend(Descent(self.layout, few, best), price)
            best = descent.draft.copy()
            stages.append(self._soften(descent))
        richer = zip(pools[:chosen], prices[:chosen], strict=True)
        return [*(self._soften(self._descend(Descent(self.layout, few, d), p)) for d, p in richer), *stages]

    def _descend(self, descent: Descent, price: float, rivals: Sequence[Draft] | None = None) -> Descent:
        descent.run(price, self.rng)
        if rivals is not None and may_polish(descent):
            others = [Descent(descent.layout, descent.rows, draft) for draft in rivals]
            for other in others:
                other.run(price, self.rng)
            descent = polish(descent, price, self.rng, rivals=others)
        keep_most(descent, self.max_rules, self.by_output, price, self.rng)
        return descent

    def _soften(self, descent: Descent) -> Stage:
        shapes = soften(descent, self.axes, self.level)
        return Stage(descent.draft, shapes)
