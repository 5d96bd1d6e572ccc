"""The search of conjunctions over the rows of a child table: which children a rule should count.

Pairs of literals are compared exhaustively. The best of them are generalised by coordinate descent: each column in turn
gets the condition that is optimal given all others, by the closed forms of `kernels.bags`, until nothing is gained.
Where pairs tell nothing, the search begins at conjunctions of `soft_conjunctions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nln.learning.derived.contexts import Context
from nln.learning.derived.kernels.bags import count_sums, order_sums, pair_gains, value_sums
from nln.learning.derived.kernels.regions import PSEUDO_MASS
from nln.tables.encoding import Codes, Encoding, Floats, Integers, Slots

MOST_CHILDREN = 5
"""Largest k of `at least k` that the search tries; the descent of the rules may choose any."""
MOST_LITERALS, PER_VALUES, PER_NUMBERS, PER_COLUMN = 96, 16, 8, 2
"""Literals of which all pairs are compared; of a column of values, and boundaries of a column of numbers; and the best
of a column where these would be too many."""
SEEDS, FURTHER, SWEEPS = 6, 2, 12
MANY, EACH, NEGATED = 0.5, 0.1, 0.5
"""Literals that a count above 1, each further child, and `no` or `fewer than` cost in the search: of equals the
plainest is taken, `no peers (state != removed)` before `at least 8 peers (state = removed)`."""

Bools = npt.NDArray[np.bool_]
Conjunction = tuple[tuple[int, bytes], ...]
"""The columns that are asked about, ascending, each with a 1 for each slot that satisfies its condition, as bytes."""


class BagRows(NamedTuple):
    """The children of some rows as codes, row by row."""

    first: Integers  # (rows + 1,) where the children of each row begin
    codes: Codes  # (features, children)


class Literals(NamedTuple):
    """Literals of which pairs are made."""

    held: Codes  # (literals, children) 1 where a child satisfies it
    owners: Integers  # (literals,) equal for literals that exclude each other
    tables: list[tuple[int, Codes]]  # the column of each, and a 1 for each slot that satisfies it


class Found(NamedTuple):
    """A conjunction and what counting it saves beyond its price."""

    value: float
    conjunction: Conjunction


class ConjunctionSearch:
    """The search on the children of some rows."""

    def __init__(self, encoding: Encoding, bags: BagRows, price: float) -> None:
        self.slots, self.bags, self.price = encoding.slots, bags, price

    @cached_property
    def literals(self) -> Literals | None:
        """Literals of all columns; None if they are too many."""
        single = [(j, table) for j, slots in enumerate(self.slots) for table in self._single(j, slots)]
        return self._literals(single) if len(single) <= MOST_LITERALS else None

    def best(self, context: Context) -> Found | None:
        """The conjunction that is worth most in a context; None if none is worth its price."""
        return self._best(self._seeds(context), context)

    def best_from(self, conjunctions: Sequence[Conjunction], context: Context) -> Found | None:
        """The same if the search begins at the best of some conjunctions."""
        tables = [{j: np.frombuffer(table, np.uint8) for j, table in each} for each in conjunctions]
        order = np.argsort([-round(self._value(each, context), 9) for each in tables], kind="stable")
        return self._best([conjunctions[place] for place in order[:FURTHER].tolist()], context)

    def _best(self, seeds: Sequence[Conjunction], context: Context) -> Found | None:
        found = [self.refined(seed, context) for seed in seeds]
        best = max(found, key=lambda each: (round(each.value, 9), each.conjunction), default=None)
        return best if best is not None and best.conjunction and best.value > 0 else None

    def refined(self, conjunction: Conjunction, context: Context) -> Found:
        """Give each column in turn the condition that is optimal given the others, until nothing is gained."""
        tables = {j: np.frombuffer(table, np.uint8) for j, table in conjunction}
        value = self._value(tables, context)
        for _ in range(SWEEPS):
            before = value
            for j in range(len(self.slots)):
                others = {i: table for i, table in tables.items() if i != j}
                options = self._options(j, tables.get(j), others, context)
                gain, table = max(options, key=lambda option: round(option[0], 9))
                if gain > value + 1e-9:
                    value, tables = gain, others if table is None else {**others, j: table}
            if value <= before + 1e-9:
                break
        return Found(value, tuple(sorted((j, table.tobytes()) for j, table in tables.items())))

    def moved(self, conjunction: Conjunction, context: Context) -> Found:
        """Move the boundaries of a conjunction, one after the other, to where they are worth most."""
        tables = {j: np.frombuffer(table, np.uint8) for j, table in conjunction}
        value = self._value(tables, context)
        for _ in range(SWEEPS):
            before = value
            for j in [j for j in tables if self.slots[j].is_ordered]:
                others = {i: table for i, table in tables.items() if i != j}
                ends = _ends(tables[j], self.slots[j].n_known)
                cost = self.price * (1 + self._size(others))
                for gain, table in self._interval_options(j, tables[j], self._alive(others), cost, context):
                    if _ends(table, self.slots[j].n_known) == ends and gain > value + 1e-9:
                        value, tables = gain, {**others, j: table}
            if value <= before + 1e-9:
                break
        return Found(value, tuple(sorted((j, table.tobytes()) for j, table in tables.items())))

    def zone(self, conjunction: Conjunction, j: int, cut: int, context: Context) -> tuple[int, int]:
        """First and last place of a boundary of column j that are worth as much as the one at `cut`."""
        tables = {i: np.frombuffer(table, np.uint8) for i, table in conjunction}
        inside = np.flatnonzero(tables[j][: self.slots[j].n_known])
        is_low = bool(tables[j][cut])
        low, high = (1, inside[-1]) if is_low else (inside[0] + 1, self.slots[j].n_known - 1)

        def worth(place: int) -> float:
            moved = self._interval(j, *((place, inside[-1] + 1) if is_low else (inside[0], place)))
            return self._value({**tables, j: moved}, context)

        here, first, last = worth(cut), cut, cut
        while first > low and abs(worth(first - 1) - here) < 1e-9:
            first -= 1
        while last < high and abs(worth(last + 1) - here) < 1e-9:
            last += 1
        return first, last

    def _seeds(self, context: Context) -> list[Conjunction]:
        """All children, and the best single literals and pairs."""
        literals = self.literals or self._literals(self._telling(context))
        if not literals.tables:
            return [()]
        gains = pair_gains(
            self.bags.first, literals.held, literals.owners, *context, self.price, count_cost(MOST_CHILDREN)
        )
        order = np.argsort(-gains, axis=None, kind="stable")[: 8 * SEEDS]
        seeds: dict[Conjunction, None] = {}
        for i, j in zip(*np.unravel_index(order, gains.shape), strict=True):
            if gains[i, j] <= 0 or len(seeds) >= SEEDS:
                break
            tables: dict[int, Codes] = {}
            for literal in {int(i), int(j)}:
                feature, table = literals.tables[literal]
                tables[feature] = tables[feature] & table if feature in tables else table
            if all(table.any() for table in tables.values()):  # two sides of a column may exclude each other
                seeds[tuple(sorted((f, table.tobytes()) for f, table in tables.items()))] = None
        return list(seeds)

    def _telling(self, context: Context) -> list[tuple[int, Codes]]:
        """Of a table with many columns, the best literals of each column, those that tell most first."""
        found = []
        for j in range(len(self.slots)):
            options = [each for each in self._options(j, None, {}, context) if each[1] is not None]
            found += [(gain, j, table) for gain, table in sorted(options, key=lambda each: -each[0])[:PER_COLUMN]]
        best = sorted(found, key=lambda each: (-round(each[0], 9), each[1]))[:MOST_LITERALS]
        return [(j, table) for _, j, table in best if table is not None]

    def _literals(self, tables: list[tuple[int, Codes]]) -> Literals:
        held = [table[self.bags.codes[j]] for j, table in tables]
        owners = [j if not self.slots[j].is_ordered else -1 - n for n, (j, _) in enumerate(tables)]
        shape = (len(tables), self.bags.codes.shape[1])
        return Literals(np.array(held, np.uint8).reshape(shape), np.array(owners, np.int64), tables)

    def _single(self, j: int, slots: Slots) -> Iterator[Codes]:
        counts = np.bincount(self.bags.codes[j], minlength=slots.n_slots)[: slots.n_known]
        if slots.is_ordered:
            shares = np.cumsum(counts) / max(counts.sum(), 1)
            wanted = np.arange(1, PER_NUMBERS + 1) / (PER_NUMBERS + 1)
            for cut in np.unique(np.searchsorted(shares, wanted) + 1):
                if 0 < cut < slots.n_known:
                    yield self._interval(j, int(cut), slots.n_known)
                    yield self._interval(j, 0, int(cut))
        else:
            for value in np.argsort(-counts, kind="stable")[:PER_VALUES]:
                yield self._set(j, np.arange(slots.n_known) == value)

    def _alive(self, tables: Mapping[int, Codes]) -> Codes:
        alive = np.ones(self.bags.codes.shape[1], np.uint8)
        for j, table in tables.items():
            alive &= table[self.bags.codes[j]]
        return alive

    def _value(self, tables: Mapping[int, Codes], context: Context) -> float:
        sums = count_sums(self.bags.first, self._alive(tables), context.mass, context.hits, MOST_CHILDREN)
        return float(self._worth(sums, context)) - self.price * (1 + self._size(tables))

    def _size(self, tables: Mapping[int, Codes]) -> int:
        return sum(table_size(table, self.slots[j]) for j, table in tables.items())

    def _worth(self, sums: Floats, context: Context) -> Floats:
        """What the best count saves, from mass and hits of the rows with at least k children, (..., k, 2)."""
        mass, hits = sums[..., 0], sums[..., 1]
        many = self.price * count_cost(sums.shape[-2])
        some = _saved(mass, hits, context.total) - many
        few = _saved(context.mass.sum() - mass, context.hits.sum() - hits, context.total) - many
        best: Floats = np.maximum(some, few - NEGATED * self.price).max(axis=-1)
        return best

    def _options(
        self, j: int, now: Codes | None, others: Mapping[int, Codes], context: Context
    ) -> Iterator[tuple[float, Codes | None]]:
        """What each condition on a column would make the conjunction worth; None asks nothing."""
        yield self._value(others, context), None
        alive, slots = self._alive(others), self.slots[j]
        cost = self.price * (1 + self._size(others))
        if slots.is_ordered:
            yield from self._interval_options(j, now, alive, cost, context)
        else:
            yield from self._set_options(j, now, alive, cost, context)

    def _interval_options(
        self, j: int, now: Codes | None, alive: Codes, cost: float, context: Context
    ) -> Iterator[tuple[float, Codes]]:
        n, codes = self.slots[j].n_known, self.bags.codes[j]
        inside = np.flatnonzero(now[:n]) if now is not None else np.arange(n)
        low, high = int(inside[0]), int(inside[-1]) + 1
        for first, last in dict.fromkeys([(0, n), (low, n), (0, high)]):
            within = alive & (codes >= first) & (codes < last)
            sums = order_sums(self.bags.first, codes, within, context.mass, context.hits, n, MOST_CHILDREN)
            below = self._worth(np.cumsum(sums[0], axis=1).swapaxes(0, 1), context)  # at t: codes up to t
            above = self._worth(np.cumsum(sums[1, :, ::-1], axis=1)[:, ::-1].swapaxes(0, 1), context)  # from t on
            ends = 1 + (first > 0) + (last < n)
            if last == n and first < n - 1:  # an upper boundary below bin t
                t = _middle_best(below[first : n - 1]) + first + 1
                yield float(below[t - 1]) - cost - self.price * ends, self._interval(j, first, t)
            if first == 0 and last > 1:
                t = _middle_best(above[1:last]) + 1
                yield float(above[t]) - cost - self.price * ends, self._interval(j, t, last)

    def _set_options(
        self, j: int, now: Codes | None, alive: Codes, cost: float, context: Context
    ) -> Iterator[tuple[float, Codes]]:
        slots = self.slots[j]
        n = slots.n_known + slots.has_other
        inside = now[:n] if now is not None else np.ones(n, np.uint8)
        sums = value_sums(
            self.bags.first, self.bags.codes[j], alive, inside, context.mass, context.hits, n, MOST_CHILDREN
        )
        worth = self._worth(sums, context)
        for v in range(slots.n_known):
            toggled = inside[: slots.n_known].astype(bool)
            toggled[v] = not toggled[v]
            one = np.arange(slots.n_known) == v
            for kind, chosen in enumerate((toggled, one, ~one)):
                if kind == 0 and slots.has_other and bool(inside[-1]) != (2 * chosen.sum() > len(chosen)):
                    continue  # listing values or exceptions, rare values would change sides too
                if 0 < chosen.sum() < len(chosen) or (slots.has_other and chosen.any()):
                    table = self._set(j, chosen)
                    yield float(worth[kind, v]) - cost - self.price * table_size(table, slots), table

    def _interval(self, j: int, first: int, last: int) -> Codes:
        table = np.zeros(self.slots[j].n_slots, np.uint8)
        table[first:last] = 1
        return table

    def _set(self, j: int, chosen: Bools) -> Codes:
        """Table of a set of values; rare values belong to it where exceptions are listed."""
        slots = self.slots[j]
        table = np.zeros(slots.n_slots, np.uint8)
        table[: slots.n_known] = chosen
        if slots.has_other:
            table[slots.n_known] = 2 * chosen.sum() > len(chosen)
        return table


def _ends(table: Codes, n_bins: int) -> tuple[bool, bool]:
    """Whether an interval has a lower and an upper boundary."""
    return not table[0], not table[n_bins - 1]


def count_cost(most: int) -> Floats:
    """Literals that `at least k` costs for k from 1 to a number."""
    further = np.arange(most)
    return np.where(further > 0, MANY + EACH * (further - 1), 0.0)


def table_size(table: Codes, slots: Slots) -> int:
    """Number of boundaries, or of values or exceptions, whichever are fewer."""
    inside = table[: slots.n_known].astype(np.int64)
    if slots.is_ordered:
        return int(np.abs(np.diff(inside)).sum())
    return max(int(min(inside.sum(), len(inside) - inside.sum())), 1)


def _saved(mass: Floats, hits: Floats, total: float) -> Floats:
    """`kernels.regions.saved` of arrays."""
    share = 0.0 if np.isinf(total) else mass / (total + PSEUDO_MASS)
    found: Floats = np.where(hits > 0, hits * hits / (mass + PSEUDO_MASS) / np.maximum(1.0 - share, 1e-12), 0.0)
    return found


def _middle_best(worth: Floats) -> int:
    """Place of the largest number; the middle of the run if its neighbours are as large."""
    best = int(worth.argmax())
    last = best
    while last + 1 < len(worth) and worth[last + 1] >= worth[best] - 1e-9:
        last += 1
    return (best + last) // 2
