"""Children as the soft network takes them: few bins of ordered columns, and of many children a sample."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nln.learning.derived.conjunctions import BagRows
from nln.learning.derived.contexts import Context
from nln.tables.encoding import Codes, Encoding, Floats, Integers, Slots, quantile_bins

MOST_BINS = 16
MOST_CHILDREN, MOST_OF_ROW = 8192, 256
"""Most children that a network is trained on, and most of a row: those of larger bags are drawn."""


class SoftChildren(NamedTuple):
    """The children of some rows, and what a rule would save on these."""

    first: Integers  # (rows + 1,) where the children of each row begin
    codes: Codes  # (children, features)
    context: Context


class NetworkSlots:
    """The slots of the network: bins of ordered columns are joined, missing cells have one that satisfies nothing."""

    def __init__(self, encoding: Encoding, bags: BagRows) -> None:
        self.slots, self.bags = encoding.slots, bags
        self.coarse = [_joined(slots, codes) for slots, codes in zip(encoding.slots, bags.codes, strict=True)]
        sizes = np.array([int(coarse[-1]) + 1 for coarse in self.coarse], np.int64)
        self.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.owner = np.repeat(np.arange(len(sizes)), sizes)  # (slots,) column of each slot
        self.can_hold = np.ones((int(self.offsets[-1]), 1))
        self.can_hold[[end - 1 for end, s in zip(self.offsets[1:], self.slots, strict=True) if s.has_missing]] = 0.0

    def children(self, context: Context, rng: np.random.Generator) -> SoftChildren:
        """Draw rows that count in a context, and their children, until these are many."""
        rows = rng.permutation(np.flatnonzero(context.mass > 0))
        sizes = np.minimum(np.diff(self.bags.first)[rows], MOST_OF_ROW)
        rows = rows[: max(int((np.cumsum(sizes) <= MOST_CHILDREN).sum()), 1)]
        children = [_some(int(self.bags.first[x]), int(self.bags.first[x + 1]), rng) for x in rows]
        first = np.concatenate([[0], np.cumsum([len(own) for own in children])]).astype(np.int64)
        every = np.concatenate([np.empty(0, np.int64), *children])
        codes = np.empty((len(every), len(self.slots)), np.uint8)
        for j, coarse in enumerate(self.coarse):
            codes[:, j] = coarse[self.bags.codes[j, every]]
        return SoftChildren(first, codes, _of_rows(context, rows))

    def fine(self, tables: Floats, j: int) -> Floats:
        """Give a column's share of a unit's tables, (slots,), for the slots of the encoding."""
        found: Floats = tables[self.offsets[j] + self.coarse[j].astype(np.int64)]
        return found


def _of_rows(context: Context, rows: Integers) -> Context:
    """Give the context of some rows; where a rule stands alone, hits are compared with their mean on these."""
    mass, hits = context.mass[rows], context.hits[rows]
    if np.isinf(context.total):
        return Context(mass, hits, context.total)
    total = float(mass.sum())
    return Context(mass, hits - mass * (float(hits.sum()) / max(total, 1e-300)), total)


def _some(first: int, last: int, rng: np.random.Generator) -> Integers:
    every = np.arange(first, last)
    return every if len(every) <= MOST_OF_ROW else np.sort(rng.choice(every, MOST_OF_ROW, replace=False))


def _joined(slots: Slots, codes: Codes) -> Codes:
    """Give the network's slot of each slot of a column."""
    if not slots.has_bins:
        return np.arange(slots.n_slots, dtype=np.uint8)
    mass = np.bincount(codes, minlength=slots.n_slots)[: slots.n_known].astype(np.float64)
    joined = quantile_bins(mass, MOST_BINS)
    return np.append(joined, [joined[-1] + 1] * slots.has_missing).astype(np.uint8)
