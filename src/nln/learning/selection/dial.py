"""The dial between accuracy and simplicity: the pooled rules at every price, from many to few.

Only the chosen price gets all rows and a local search; each other stage of the dial is one descent, on a sample of the
rows if the table is long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nln.learning.descent.boundaries import Boundaries
from nln.learning.descent.descent import Descent
from nln.learning.descent.join import join_rules
from nln.learning.descent.layout import SlotLayout
from nln.learning.descent.levels import Levels, change_levels
from nln.learning.descent.local_search import can_search, search_locally
from nln.learning.descent.orders import follow_orders
from nln.learning.descent.soften import Shapes, soften
from nln.learning.draft import DescentRows, Draft
from nln.learning.parted.descent import PartedDescent, descend
from nln.learning.parted.missed import explain_missed
from nln.learning.parted.rows import AllRows, PartedLeastRows
from nln.learning.selection.least_rows import LeastRows
from nln.tables.encoding import Floats, Integers


@dataclass(frozen=True)
class Stage:
    """The rules at one price, and the boundaries of their conditions on ordered features."""

    draft: Draft
    shapes: Shapes
    found: Integers | None = None  # (rules,) starts that found each rule
    members: int = 1  # of a committee: starts whose rules stand side by side

    def found_by(self, starts: Integers) -> Stage:
        """The same, with the number of starts that found each rule; a rule of a committee is of one of them."""
        return replace(self, found=np.maximum(starts, int(self.members > 1)))


@dataclass(frozen=True)
class Dial:
    """What all stages share."""

    layout: SlotLayout
    boundaries: Boundaries
    floor: int  # lowest rung of the ladder of widths that a boundary may take
    max_rules: int | None
    by_output: Mapping[int, int]  # most rules of an output
    rng: np.random.Generator
    least_rows: LeastRows | PartedLeastRows | None = None  # that a rule must cover
    orders: Mapping[int, Integers] = field(default_factory=dict)  # slots of features whose values look ordered
    levels: Levels = ()  # features that are read from one column of codes

    def run(
        self,
        rows: DescentRows | AllRows,
        sample: DescentRows,
        pools: Sequence[Draft],
        prices: Floats,
        rivals: Sequence[Draft] | None,
    ) -> list[Stage]:
        """Return the rules at each of the ascending prices.

        There is a pool of rules to choose from for each price up to the chosen one, whose pool is the last; higher
        prices go on from the rules of the chosen one. The chosen price gets all rows, the others a sample. A local
        search begins at the best of the pool and its rivals; None means no search.
        """
        chosen = len(pools) - 1
        descent = self._descend(descend(self.layout, rows, pools[chosen]), prices[chosen], rivals)
        if isinstance(descent, PartedDescent):
            descent = explain_missed(descent, self._least_price(prices), self.rng)
            self._limit_rules(descent, prices[chosen])
        best, stages = descent.draft.copy(), [self._soften(descent)]
        for price in prices[chosen + 1 :]:
            descent = self._descend(Descent(self.layout, sample, best), price)
            best = descent.draft.copy()
            stages.append(self._soften(descent))
        richer = (self._descend(Descent(self.layout, sample, pools[p]), prices[p]) for p in range(chosen))
        return [*map(self._soften, richer), *stages]

    def keep_all(self, rows: DescentRows | AllRows, draft: Draft, price: float) -> Stage:
        """Return the rules of a draft as they are, but for limits on their number, with biases that fit the rows."""
        descent = descend(self.layout, rows, draft)
        descent.merge_duplicates()
        descent.fit_biases()
        self._limit_rules(descent, price)
        follow_orders(descent, price, self.orders)
        return self._soften(descent)

    def _descend(self, descent: Descent, price: float, rivals: Sequence[Draft] | None = None) -> Descent:
        descent.run(price, self.rng)
        if rivals is not None and can_search(descent):
            others = [Descent(descent.layout, descent.rows, draft) for draft in rivals]
            for other in others:
                other.run(price, self.rng)
            descent = search_locally(descent, price, self.rng, rivals=others)
        while change_levels(descent, price, self.levels):  # each change lowers the objective
            descent.run(price, self.rng)
        descent = join_rules(descent, price, self.rng)
        self._limit_rules(descent, price)
        follow_orders(descent, price, self.orders)
        return descent

    def _least_price(self, prices: Floats) -> float:
        """Price of rules that left-out rows could not judge: a literal saves more rows than chance puts together."""
        least = 1.0 if self.least_rows is None else float(self.least_rows.least.max())
        return max(float(prices[0]), least)

    def _limit_rules(self, descent: Descent, price: float) -> None:
        """Drop the rules that are worth least until no more are left than allowed, in all and for each output.

        They are dropped a few at a time, and the others adapt.
        """
        while True:
            excess = {k: int((descent.draft.output == k).sum()) - most for k, most in self.by_output.items()}
            over = {k: count for k, count in excess.items() if count > 0}
            for k, count in over.items():
                descent.drop_weakest(max(1, count // 4), k)
            left = 0 if self.max_rules is None else descent.draft.n_rules - self.max_rules
            if not over and left <= 0:
                return
            if left > 0:
                descent.drop_weakest(max(1, left // 4))
            descent.run(price, self.rng)

    def _soften(self, descent: Descent) -> Stage:
        shapes = soften(descent, self.boundaries, self.floor)
        if self.least_rows is not None:  # boundaries have moved
            met = self.least_rows.met(self.layout, descent.draft)
            number = np.cumsum(met) - 1
            shapes = {(int(number[i]), j): shape for (i, j), shape in shapes.items() if met[i]}
            if not met.all():
                descent.keep(met)
        return Stage(descent.draft, shapes)
