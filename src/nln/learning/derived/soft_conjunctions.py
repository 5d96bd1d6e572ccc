"""A soft network over bags: conjunctions that gradients train, from which the search of conjunctions goes on.

A unit is an AND node over the columns of a child, T_j[v] = 1 - A_j (1 - m_j[v]), under a quantifier. E is the chance
that at least k children satisfy it, and r is E or, for `no` and `fewer than`, 1 - E. What a rule r saves in a context
has a closed form, as for crisp conjunctions, so that neither biases nor output weights need be trained:

    S = h |h| / (m + 1/2)        h = sum_x hits(x) r(x)        m = sum_x mass(x) r(x)^2

Adam climbs S. A unit begins around one child, with conditions on all columns, and gives up those that do not matter.
So it finds conjunctions of three conditions or more of which no pair tells anything.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nln.learning.derived.conjunctions import BagRows, Conjunction
from nln.learning.derived.contexts import Context
from nln.learning.derived.kernels.regions import PSEUDO_MASS
from nln.learning.derived.kernels.soft_bags import soft_count_gradients, soft_counts
from nln.learning.derived.soft_children import NetworkSlots, SoftChildren
from nln.tables.encoding import Encoding, Floats

UNITS = {1: 16, 2: 8, 3: 4}
"""How many units ask for at least so many children."""
NEGATED_SHARE = 0.25
STEPS, RATE, FIRST, SECOND = 30, 0.1, 0.9, 0.99
"""Steps of Adam, their size, and how much of its moments stays."""
LOW, HIGH, TRIALS = 0.2, 0.5, 12
"""Conditions begin weaker or stronger until E is between these on average: what holds in all bags, or in none, has no
gradient."""
NEAR, OTHER = 0.95, 0.5
"""Membership of what the first child has, and the highest of anything else, as training begins."""


class Units(NamedTuple):
    """Weights of some units that ask for equally many children, in [0, 1]; gradients and moments look the same."""

    and_weights: Floats  # (features, units)
    memberships: Floats  # (slots, units)


class SoftConjunctions:
    """The network on the children of some rows."""

    def __init__(self, encoding: Encoding, bags: BagRows) -> None:
        self.inputs = NetworkSlots(encoding, bags)

    def trained(self, context: Context, rng: np.random.Generator) -> list[Conjunction]:
        """Train units in a context; return their conjunctions."""
        children, found = self.inputs.children(context, rng), dict[Conjunction, None]()
        for least, count in UNITS.items():
            is_negated = rng.random(count) < NEGATED_SHARE
            units = self._drawn(children, is_negated, rng)
            if units is not None:
                self._weaken(units, children, least)
                self._train(units, children, least, is_negated)
                found |= dict.fromkeys(self._crisp(tables) for tables in self.tables(units).T)
        return [conjunction for conjunction in found if conjunction]

    def tables(self, units: Units) -> Floats:
        """Probability that a child with a slot satisfies the condition on its column, (slots, units)."""
        found: Floats = 1.0 - units.and_weights[self.inputs.owner] * (1.0 - units.memberships)
        return found

    def worth(
        self, units: Units, children: SoftChildren, least: int, is_negated: npt.NDArray[np.bool_]
    ) -> tuple[Floats, Units]:
        """What each unit saves, (units,), and the gradient of the sum."""
        tables, offsets = self.tables(units), self.inputs.offsets
        found, held = soft_counts(children.first, children.codes, offsets, tables, least)
        worth, slopes = soft_saved(np.where(is_negated, 1.0 - found, found), children.context)
        slopes = np.where(is_negated, -slopes, slopes)
        g = soft_count_gradients(children.first, children.codes, offsets, tables, least, held, slopes)
        by_column = np.add.reduceat(g * (units.memberships - 1.0), offsets[:-1], axis=0)
        return worth, Units(by_column, g * units.and_weights[self.inputs.owner] * self.inputs.can_hold)

    def _drawn(
        self, children: SoftChildren, is_negated: npt.NDArray[np.bool_], rng: np.random.Generator
    ) -> Units | None:
        """Draw units around children of rows on which a rule should hold, or, if negated, should not."""
        hits, n_features = np.repeat(children.context.hits, np.diff(children.first)), children.codes.shape[1]
        offsets, slots = self.inputs.offsets, self.inputs.slots
        and_weights = rng.uniform(0.5, 1.0, (n_features, len(is_negated)))
        memberships = rng.uniform(0.0, OTHER, (int(offsets[-1]), len(is_negated)))
        for u, negated in enumerate(is_negated):
            chances = np.maximum(-hits if negated else hits, 0.0)
            if not chances.any():
                return None
            codes = children.codes[rng.choice(len(hits), p=chances / chances.sum())].astype(np.int64)
            for j in range(n_features):
                bins, below, above = np.arange(offsets[j + 1] - offsets[j]), 0.0, 0.0
                if slots[j].is_ordered:
                    below, above = rng.uniform(0.15, 0.6, 2) * len(bins)
                is_near = (bins >= codes[j] - below) & (bins <= codes[j] + above)
                memberships[offsets[j] + bins[is_near], u] = NEAR
        return Units(and_weights, memberships * self.inputs.can_hold)

    def _weaken(self, units: Units, children: SoftChildren, least: int) -> None:
        """Weaken the conditions of units that hold nowhere, strengthen those of units that hold everywhere."""
        start, power = 1.0 - units.and_weights, np.ones(units.and_weights.shape[1])
        for _ in range(TRIALS):
            units.and_weights[:] = 1.0 - start**power
            tables = self.tables(units)
            mean = soft_counts(children.first, children.codes, self.inputs.offsets, tables, least)[0].mean(axis=0)
            if ((mean >= LOW) & (mean <= HIGH)).all():
                break
            power *= np.where(mean < LOW, 0.7, np.where(mean > HIGH, 1.5, 1.0))

    def _train(self, units: Units, children: SoftChildren, least: int, is_negated: npt.NDArray[np.bool_]) -> None:
        """Take the steps of Adam, in place."""
        first, second = (Units(*(np.zeros_like(w) for w in units)) for _ in range(2))
        for step in range(1, STEPS + 1):
            _, gradient = self.worth(units, children, least, is_negated)
            for weights, g, m, v in zip(units, gradient, first, second, strict=True):
                m[:] = FIRST * m + (1.0 - FIRST) * g
                v[:] = SECOND * v + (1.0 - SECOND) * g * g
                steps = RATE * (m / (1.0 - FIRST**step)) / (np.sqrt(v / (1.0 - SECOND**step)) + 1e-8)
                weights[:] = np.clip(weights + steps, 0.0, 1.0)

    def _crisp(self, tables: Floats) -> Conjunction:
        """The conjunction of a unit, given by its tables, (slots,); empty if it asks nothing, or what cannot hold."""
        conjunction = []
        for j, slots in enumerate(self.inputs.slots):
            inside = self.inputs.fine(tables, j) > 0.5
            inside[slots.n_known :] = False
            known = inside[: slots.n_known]
            if slots.is_ordered:
                first, last = _best_run(self.inputs.fine(tables, j)[: slots.n_known] - 0.5)
                known[:] = False
                known[first:last] = True
            if slots.has_other:
                inside[slots.n_known] = 2 * known.sum() > len(known)
            if not known.any():
                return ()
            if not known.all():
                conjunction.append((j, inside.astype(np.uint8).tobytes()))
        return tuple(conjunction)


def soft_saved(r: Floats, context: Context) -> tuple[Floats, Floats]:
    """What soft rules, (rows, units), save in a context: `kernels.regions.saved`, and its slopes, (rows, units).

    Where a rule stands alone, m is the sum of squares about the mean: rows where it fails have a probability too.
    """
    mass, hits = context.mass[:, None], context.hits[:, None]
    h, m, slope = (hits * r).sum(axis=0), (mass * r * r).sum(axis=0), 2.0 * mass * r
    if not np.isinf(context.total):
        mean = (mass * r).sum(axis=0) / context.total
        m, slope = m - mean * mean * context.total, slope - 2.0 * mass * mean
    worth = h * np.abs(h) / (m + PSEUDO_MASS)
    return worth, (2.0 * np.abs(h) * hits - worth * slope) / (m + PSEUDO_MASS)


def _best_run(gains: Floats) -> tuple[int, int]:
    """First and last place, exclusive, of the run with the largest sum."""
    sums = np.concatenate([[0.0], np.cumsum(gains)])
    lowest = np.minimum.accumulate(sums)
    last = int((sums - lowest).argmax())
    return int(sums[: last + 1].argmin()), last
