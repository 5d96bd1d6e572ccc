"""The table form of the data: every feature has a few slots, every row is a handful of small integers.

A feature's slots are its values (binary, categorical, ordinal) or its bins (numbers), then one slot for the rare
values of a feature with very many categories, then one for missing values if the training data have any. Learning sees
nothing but the codes; rows with equal codes and equal targets are merged into one weighted row that remembers how many
it stands for, and the order of the rows does not matter.

A slot must lie on the same side of every boundary as the row's own value, and permuted or repeated rows must have the
same encoding. The tests check both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nln.rules.cells import Column
from nln.rules.schema import Feature, Schema, Value

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.unsignedinteger]  # of one byte, or of two where a feature has more slots than that can tell
Integers = npt.NDArray[np.int64]
Columns = Mapping[str, Column]

MAX_SLOTS, BYTE_SLOTS = 2048, 256
"""Slots a feature can have, and how many of them a code of one byte can tell apart."""
LEAST_SEEN = 5
"""Rows from which a value beyond the first 254 has a slot of its own: what fewer say is mostly chance."""


@dataclass(frozen=True)
class Slots:
    """The slots of one feature: its values, or its bins of numbers or ranks."""

    feature: Feature
    values: npt.NDArray[np.int32]  # of each value slot, its index in `feature.values`; empty for a feature with bins
    lows: Floats  # smallest number of each bin
    highs: Floats  # largest number of each bin
    centers: Floats  # mean number of each bin; of a probability, the membership that stands for its bin
    positions: Floats  # share of the training rows below the middle of each bin: the axis of the network's intervals
    has_other: bool  # whether there is a slot for the rare values of a categorical feature
    has_missing: bool

    @property
    def is_ordered(self) -> bool:
        """Whether conditions are ranges of the slots (bins, ranks): not for a bag of values, nor for a probability."""
        return self.feature.is_ordered

    @property
    def has_bins(self) -> bool:
        """Whether the slots are bins of numbers or ranks."""
        return self.feature.is_ordered or self.feature.is_numeric

    @property
    def n_known(self) -> int:
        """Number of value slots or bins: those that are neither rare nor missing."""
        return len(self.centers) if self.has_bins else len(self.values)

    @property
    def n_slots(self) -> int:
        """Number of all slots."""
        return self.n_known + self.has_other + self.has_missing

    @cached_property
    def cuts(self) -> Floats:
        """Where one bin ends and the next begins: the middle of the gap between them, the upper end if it has none."""
        highs, lows = self.highs[:-1], self.lows[1:]
        middle = highs / 2 + lows / 2  # half the sum could overflow
        return np.where((highs < middle) & (middle <= lows), middle, lows)

    @property
    def code_type(self) -> np.dtype[np.unsignedinteger]:
        """Smallest type of the codes."""
        return np.dtype(np.uint8 if self.n_slots <= BYTE_SLOTS else np.uint16)

    def codes(self, column: Column) -> Codes:
        """Find the slot of each entry of a column; values without one share that of rare values, or the first one."""
        default = self.n_known if self.has_other else 0
        missing = self.n_slots - 1 if self.has_missing else default
        if self.feature.is_numeric:
            numbers = column.astype(np.float64, copy=False)
            found = np.searchsorted(self.cuts, numbers, side="right").astype(self.code_type)
            unknown = np.isnan(numbers)
            if unknown.any():
                found[unknown] = missing
            return found
        slot_of = np.full(len(self.feature.values) + 2, default, self.code_type)
        if self.is_ordered:
            slot_of[:-2] = np.searchsorted(self.cuts, np.arange(len(self.feature.values)), side="right")
        else:
            slot_of[self.values] = np.arange(len(self.values))
        slot_of[-1] = missing  # code -1: missing; code -2 (unseen) keeps the default
        return slot_of[column.astype(np.int64, copy=False)]


@dataclass(frozen=True)
class Encoding:
    """The slots of all features, laid out one after the other, in the order of the schema."""

    slots: tuple[Slots, ...]

    @cached_property
    def offsets(self) -> npt.NDArray[np.int64]:
        """First slot of each feature, and the number of all slots at the end."""
        return np.concatenate([[0], np.cumsum([s.n_slots for s in self.slots], dtype=np.int64)]).astype(np.int64)

    @property
    def n_slots(self) -> int:
        """Number of slots of all features."""
        return int(self.offsets[-1])

    def take(self, features: Integers) -> Encoding:
        """The same with some of the features alone."""
        return Encoding(tuple(self.slots[j] for j in features))

    def codes(self, columns: Columns, n_rows: int) -> Codes:
        """Encode a table as an array of shape (rows, features)."""
        out = np.empty((n_rows, len(self.slots)), np.result_type(np.uint8, *(s.code_type for s in self.slots)))
        for j, slots in enumerate(self.slots):
            out[:, j] = slots.codes(columns[slots.feature.name])
        return out


def make_encoding(
    features: tuple[Feature, ...],
    columns: Columns,
    weights: Floats,
    max_bins: int = 254,
    named: Mapping[str, tuple[Value, ...]] | None = None,
    max_slots: int = MAX_SLOTS,
) -> Encoding:
    """Find the slots of each feature from training columns; quantile bins hold about equal weight.

    `named` gives by feature the numbers at which a bin must begin and the values that must have a slot of their own.
    """
    slots = []
    # The lightest rows first: a sum of fractions must not depend on the order of the table.
    order = np.argsort(weights, kind="stable") if len(weights) and weights.min() < weights.max() else slice(None)
    weights = weights[order]
    for f in features:
        wanted, column = (named or {}).get(f.name, ()), columns[f.name][order]
        if len(wanted) > max_bins // 2:
            raise ValueError(
                f"{len(wanted)} values or boundaries of {f.name!r} are named; at most {max_bins // 2} can be."
            )
        if f.is_ordered or f.is_numeric:
            slots.append(_binned_slots(f, column, weights, wanted, max_bins))
        else:
            slots.append(_value_slots(f, column, weights, wanted, max_slots))
    return Encoding(tuple(slots))


def frequent_values(schema: Schema, encoding: Encoding) -> Schema:
    """Drop the values that share the slot of rare ones: no rule names them, so they count like values never seen.

    A million identifiers need not be kept to say what all of them have in common.
    """
    kept = {s.feature.name: tuple(s.feature.values[i] for i in s.values) for s in encoding.slots if s.has_other}
    features = tuple(replace(f, values=kept[f.name]) if f.name in kept else f for f in schema.features)
    return replace(schema, features=features) if kept else schema


def _value_slots(feature: Feature, column: Column, weights: Floats, named: tuple[Value, ...], most: int) -> Slots:
    index = column.astype(np.int64, copy=False)
    known = index >= 0
    mass = np.bincount(index[known], weights[known], minlength=len(feature.values))
    values = np.arange(len(feature.values), dtype=np.int32)
    often = int(np.count_nonzero(np.bincount(index[known]) >= LEAST_SEEN))
    room = min(max(often, BYTE_SLOTS - 2), most - 2)
    has_other = len(feature.values) > room
    if has_other:  # the most frequent values keep their slots; stable, so that ties fall to the earlier value
        mass[[feature.values.index(value) for value in named]] = np.inf
        values = np.sort(np.argsort(-mass, kind="stable")[:room]).astype(np.int32)
    none = np.empty(0)
    return Slots(feature, values, none, none, none, none, has_other, bool((index == -1).any()))


def _binned_slots(feature: Feature, column: Column, weights: Floats, named: tuple[Value, ...], max_bins: int) -> Slots:
    numbers = column.astype(np.float64, copy=True)
    if not feature.is_numeric:
        numbers[numbers < 0] = np.nan
    known = ~np.isnan(numbers)
    has_missing = not known.all()
    if not known.any():  # nothing but missing values: one bin that no row falls in
        numbers, known, weights = np.zeros(1), np.ones(1, bool), np.zeros(1)
    distinct, where = np.unique(numbers[known], return_inverse=True)
    mass: Floats = np.bincount(where, weights[known], minlength=len(distinct)).astype(np.float64)
    if not feature.is_numeric:  # every rank keeps its slot, seen or not
        ranks = np.arange(len(feature.values), dtype=np.float64)
        mass = np.bincount(distinct.astype(np.int64), mass, minlength=len(ranks)).astype(np.float64)
        distinct = ranks
    bins = quantile_bins(mass, max_bins)
    if named and bins[-1] + 1 < len(distinct):
        bins = _bins_from(distinct, quantile_bins(mass, max_bins - len(named)), named)
    first = np.flatnonzero(np.diff(bins, prepend=-1))
    last = np.append(first[1:] - 1, len(distinct) - 1)
    weight = np.add.reduceat(mass, first)
    plain = np.add.reduceat(np.ones_like(mass), first)
    safe = np.where(weight > 0, weight, 1.0)
    centers = np.where(
        weight > 0, np.add.reduceat(mass * distinct, first) / safe, np.add.reduceat(distinct, first) / plain
    )
    lows, highs = distinct[first], distinct[last]
    positions = (np.cumsum(weight) - weight / 2) / max(weight.sum(), 1e-300)
    no_values = np.empty(0, np.int32)
    centers = np.clip(centers, lows, highs)
    return Slots(feature, no_values, lows, highs, centers, positions, False, has_missing)


def _bins_from(distinct: Floats, bins: npt.NDArray[np.int64], named: tuple[Value, ...]) -> npt.NDArray[np.int64]:
    """Split bins where named numbers fall between their values."""
    starts = np.diff(bins, prepend=0) > 0
    cuts = np.searchsorted(distinct, np.array(named, np.float64))
    starts[cuts[(cuts > 0) & (cuts < len(distinct))]] = True
    return np.cumsum(starts)


def quantile_bins(mass: Floats, max_bins: int) -> npt.NDArray[np.int64]:
    """Find the bin of each of the ascending distinct values: bins of about equal mass, one per value if they are few.

    A value heavier than a fair share has a bin of its own and takes nothing from the others: a column that is zero in
    nine rows of ten keeps nearly all its bins for the tenth.
    """
    if len(mass) <= max_bins:
        return np.arange(len(mass))
    for room in range(max_bins, 0, -1):  # runs between heavy values may need a bin more than their share
        bins = _fair_bins(mass, room)
        if bins[-1] < max_bins:
            return bins
    return np.zeros(len(mass), np.int64)


def _fair_bins(mass: Floats, room: int) -> npt.NDArray[np.int64]:
    heavy = np.zeros(len(mass), bool)
    while True:
        left = room - int(heavy.sum())
        share = mass[~heavy].sum() / left if left > 0 else np.inf
        more = ~heavy & (mass >= share) & (mass > 0)
        if not more.any():
            break
        heavy |= more
    light = np.where(heavy, 0.0, mass)
    middle = np.cumsum(light) - light / 2
    part = np.floor(middle / share) if np.isfinite(share) and share > 0 else np.zeros(len(mass))
    starts = (np.diff(part, prepend=part[0]) > 0) | heavy | np.append(False, heavy[:-1])
    starts[0] = False
    return np.cumsum(starts)


class Pieces(NamedTuple):
    """Rows cut so that folds can share them."""

    rows: EncodedRows
    parents: Integers  # row that each piece came from
    groups: Integers | None  # group of each piece, which folds must not tear apart; None without groups


class Visits(NamedTuple):
    """The rows of a table by distinct row and group."""

    parents: Integers  # number of the distinct row
    groups: Integers
    weights: Floats  # sum of the weights


@dataclass(frozen=True)
class EncodedRows:
    """Rows as learning sees them: distinct, weighted, in an order that does not depend on the table's."""

    codes: Codes  # (rows, features): slot of each feature
    targets: npt.NDArray[np.float32]  # (rows, outputs): 1 where the output's label holds
    weights: Floats  # sum of the weights of the table's rows that are merged here: how much they count
    counts: Integers  # number of the table's rows that are merged here: how often the row was seen
    visits: Visits | None = None  # in which groups the rows were seen; None without groups

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return len(self.weights)

    def take(self, rows: npt.NDArray[np.integer]) -> EncodedRows:
        """Return the rows given, in the order given, without their groups."""
        return EncodedRows(self.codes[rows], self.targets[rows], self.weights[rows], self.counts[rows])

    def narrowed(self, features: Integers) -> EncodedRows:
        """Return all rows with some of the features; some of the rows may be equal then."""
        return replace(self, codes=np.asfortranarray(self.codes[:, features]))

    def split(self, most: int) -> Pieces:
        """Cut rows into pieces that folds can share: one for each group, or at most so many for a row seen often.

        A row that was seen once stays whole, whatever it weighs: cut by its weight, it would be on both sides of a
        split, and left-out rows would be rows that were learned from.
        """
        if self.visits is not None:
            parents, groups, weights = self.visits
            return Pieces(self._pieces(parents, weights), parents, groups)
        pieces = np.minimum(self.counts, most)
        parents = np.repeat(np.arange(self.n_rows), pieces)
        is_whole = len(parents) == self.n_rows
        return Pieces(self if is_whole else self._pieces(parents, (self.weights / pieces)[parents]), parents, None)

    def _pieces(self, parents: Integers, weights: Floats) -> EncodedRows:
        return replace(self.take(parents), weights=weights, counts=np.ones_like(parents))


def merge_rows(
    codes: Codes, targets: Floats, weights: Floats, groups: Integers | None = None, seen: Integers | None = None
) -> EncodedRows:
    """Merge rows that have equal codes and equal targets, adding their weights; rows of weight 0 are dropped.

    Rows that were merged before tell by `seen` how often.
    """
    kept = weights > 0
    if not kept.all():
        codes, targets, weights = codes[kept], targets[kept], weights[kept]
        groups = None if groups is None else groups[kept]
        seen = None if seen is None else seen[kept]
    hashes = row_hashes(codes, targets)
    keys = (weights, hashes) if groups is None else (weights, groups, hashes)
    order = np.lexsort(keys)  # by weight among equal rows: their sum must not depend on the table's order
    codes, targets, weights, hashes = codes[order], targets[order], weights[order], hashes[order]
    same = hashes[1:] == hashes[:-1]
    same &= (codes[1:] == codes[:-1]).all(axis=1) & (targets[1:] == targets[:-1]).all(axis=1)
    first, total = _runs(same, weights)
    counts = np.diff(first, append=len(hashes))
    if seen is not None and len(first):
        counts = np.add.reduceat(seen[order], first)
    visits = None
    if groups is not None:
        groups = groups[order]
        begins, each = _runs(same & (groups[1:] == groups[:-1]), weights)
        visits = Visits(np.searchsorted(first, begins, side="right") - 1, groups[begins], each)
    by_feature = np.asfortranarray(codes[first])  # so that the descent, which reads column after column, needs no copy
    return EncodedRows(by_feature, targets[first].astype(np.float32), total, counts, visits)


def _runs(same: npt.NDArray[np.bool_], weights: Floats) -> tuple[Integers, Floats]:
    """First row and weight of each run of rows that are the same as the one before."""
    first = np.flatnonzero(np.append(True, ~same)) if len(weights) else np.empty(0, np.int64)
    return first, np.add.reduceat(weights, first) if len(first) else weights


def row_hashes(codes: Codes, targets: npt.NDArray[np.floating]) -> npt.NDArray[np.uint64]:
    """Zobrist hash of each row: the XOR of one fixed random number for each (feature, slot) of the row."""
    rng = np.random.default_rng(0)
    hashes = np.zeros(len(codes), np.uint64)
    most = BYTE_SLOTS if codes.dtype == np.uint8 else MAX_SLOTS
    for column in (*codes.T, *targets.T.astype(np.uint8)):
        hashes ^= rng.integers(0, 2**64, most, dtype=np.uint64)[column]
    return hashes
