"""Literals that a count may have as members: crisp conditions as sets of slots, and how people write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from nln.learning.derived.contexts import Context
from nln.learning.derived.kernels.regions import best_region, histogram
from nln.learning.descent.boundaries import Boundaries, crisp_shape
from nln.learning.draft import DescentRows
from nln.learning.selection.to_condition import shape_intervals, value_condition
from nln.rules.condition import Condition, IntervalCondition
from nln.tables.encoding import Codes, Encoding, Slots

MOST_LITERALS, PER_FEATURE = 96, 3
"""Literals that counts are grown from, complements included; and how many of one feature, complements not included."""
LEAST_SHARE = 0.02
"""A literal that fewer rows satisfy, or fail, is no member."""


class Literal(NamedTuple):
    """A crisp condition: the feature's number in the encoding, and a 1 for each slot that satisfies it, as bytes."""

    feature: int
    inside: bytes

    @property
    def slots(self) -> Codes:
        """1 for each slot that satisfies it."""
        return np.frombuffer(self.inside, np.uint8)

    def held(self, rows: DescentRows) -> Codes:
        """1 for each row that satisfies it."""
        held: Codes = self.slots[rows.codes[self.feature]]
        return held

    def complement(self, slots: Slots) -> Literal:
        """Return the opposite; a missing value satisfies neither."""
        return Literal(self.feature, _as_bytes(slots, self.slots[: slots.n_known] == 0))

    def size(self, slots: Slots) -> int:
        """Number of boundaries, or of values or exceptions, whichever are fewer."""
        inside = self.slots[: slots.n_known].astype(np.int64)
        if slots.is_ordered:
            return int(np.abs(np.diff(inside)).sum())
        return int(min(inside.sum(), len(inside) - inside.sum()))


def can_be_counted(slots: Slots) -> bool:
    """Whether a feature's conditions may be members: neither circles nor probabilities, nor calculations."""
    return (
        slots.feature.kind not in ("periodic", "probability") and slots.feature.derived is None and not slots.has_other
    )


def candidates(
    encoding: Encoding, rows: DescentRows, used: Counter[Literal], context: Context, price: float
) -> list[Literal]:
    """Literals of the rules, most used first, and the best one of each feature; and the complements of all."""
    pool = [literal for literal, _ in sorted(used.items(), key=lambda item: (-item[1], item[0]))]
    pool += [
        _best_of(j, slots, rows, context, price) for j, slots in enumerate(encoding.slots) if can_be_counted(slots)
    ]
    found, per = dict[Literal, None](), Counter[int]()
    for literal in pool:
        slots = encoding.slots[literal.feature]
        share, other = float(literal.held(rows).mean()), literal.complement(slots)
        is_telling = LEAST_SHARE <= share <= 1.0 - LEAST_SHARE and literal.size(slots) > 0
        if is_telling and per[literal.feature] < PER_FEATURE and not {literal, other} & found.keys():
            per[literal.feature] += 1
            found |= dict.fromkeys((literal, other))
    return list(found)[:MOST_LITERALS]


def crisp_literal(j: int, slots: Slots, table: np.ndarray) -> Literal:
    """Return the crisp literal of a rule's table of a feature."""
    return Literal(j, _as_bytes(slots, table[: slots.n_known] > 0.5))


def _best_of(j: int, slots: Slots, rows: DescentRows, context: Context, price: float) -> Literal:
    mass, hits = histogram(rows.codes[j], slots.n_slots, context.mass, context.hits)
    if not slots.is_ordered:
        return Literal(j, _as_bytes(slots, hits[: slots.n_known] > 0))
    _, low, high, inside = best_region(mass, hits, slots.n_known, context.total, price, 0.0)
    bins = np.arange(slots.n_known)
    return Literal(j, _as_bytes(slots, ((low <= bins) & (bins <= high)) == inside))


def _as_bytes(slots: Slots, inside: np.ndarray) -> bytes:
    whole = np.zeros(slots.n_slots, np.uint8)
    whole[: slots.n_known] = inside
    return whole.tobytes()


def conditions_of(literals: Iterable[Literal], encoding: Encoding, boundaries: Boundaries) -> list[Condition]:
    """Write literals as conditions; of a count and that of all complements the one that reads better.

    The two say the same where nothing is missing. Exceptions (`!=`) read worse than values, and `<` than `>=`.
    """
    members = list(literals)
    both = [members]
    if not any(encoding.slots[m.feature].has_missing for m in members):
        both.append([m.complement(encoding.slots[m.feature]) for m in members])
    written = [[_condition(m, encoding.slots[m.feature], boundaries) for m in each] for each in both]
    return min(written, key=lambda conditions: sum(map(_oddness, conditions)))


def _condition(literal: Literal, slots: Slots, boundaries: Boundaries) -> Condition:
    table = literal.slots.astype(np.float64)
    if slots.is_ordered:
        offered = boundaries[literal.feature]
        intervals = shape_intervals(crisp_shape(table[: slots.n_known]), offered.values, np.zeros_like(offered.widths))
        return IntervalCondition(slots.feature.name, intervals)
    return value_condition(slots, table, 0.0, negation=True)


def _oddness(condition: Condition) -> float:
    if isinstance(condition, IntervalCondition):
        return 0.1 * (condition.intervals[0].low is None)
    return float(condition.negated) + 0.1 * (condition.values in ((0,), (False,), ("no",)))
