"""Which columns tell about the labels, alone or together; on a wide table, learning looks at those alone.

Networks and descents cost time in proportion to the columns, and memory for every slot of each. So each start chooses
columns on the rows that it sees, and draws a few others. The table is then narrowed to the columns of all starts.

A column may tell nothing by itself and much where another condition holds, or where an earlier rule does not. So for
each label a few rules grow at the same time, as in a beam search; the best one is set aside with the rows that it
covers, and the next ones grow on what is left. Each of these steps ranks all columns by what a condition on them saves
beyond what the rule saves already. What would prove it wrong: a rule of two or three columns of a wide table that is
found without narrowing, and not with it; planted rules whose columns single conditions would choose as often.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from nln.learning.descent.layout import LEAST_EVIDENCE
from nln.learning.draft import DescentRows
from nln.learning.selection.kernels.telling import context_savings
from nln.tables.encoding import Encoding, Floats, Integers

MOST_COLUMNS, DRAWN_COLUMNS, ALONE_COLUMNS = 64, 4, 24
"""Most columns that a start looks at; how many of them are drawn by chance, and how many tell most alone."""
ROUNDS, CONDITIONS = 3, 3
"""Rules that are set aside one after the other, and conditions that each may have."""
BEAM, BRANCHES = 16, 4
"""Rules that grow at the same time, over all labels, and columns that each of them tries."""
LEAST_ROWS = 8
"""Fewest rows on which a rule grows."""
_BY_CHANCE = 2.0 / np.pi
"""What each value of a bag saves by chance, in variances of the label."""


class Growing(NamedTuple):
    """A rule as far as it has grown."""

    saved: float
    columns: frozenset[int]
    rows: Integers  # that it covers


class _Label(NamedTuple):
    """One label on the rows that no rule covers yet."""

    rows: DescentRows
    encoding: Encoding
    n_bins: Integers  # of each column, 0 for a bag of values
    rate: float
    hits: Floats  # of all rows, w (y - rate)
    total: float

    def savings(self, rules: list[Growing]) -> Floats:
        """What each rule saves with one condition more, (rules, columns)."""
        shares = np.array([self.hits[r.rows].sum() / self.rows.weights[r.rows].sum() for r in rules]) + self.rate
        chance, slots = _BY_CHANCE * shares * (1.0 - shares), np.diff(self.encoding.offsets)
        contexts, evidence = [rule.rows for rule in rules], LEAST_EVIDENCE
        codes, weights = self.rows.codes, self.rows.weights
        return context_savings(codes, slots, self.n_bins, weights, self.hits, contexts, chance, self.total, evidence)

    def narrowed(self, rule: Growing, column: int) -> Growing:
        """The rule with the best condition on one more column."""
        codes = self.rows.codes[column][rule.rows]
        n_slots = int(self.encoding.slots[column].n_slots)
        mass = np.bincount(codes, self.rows.weights[rule.rows], n_slots)
        hits = np.bincount(codes, self.hits[rule.rows], n_slots)
        if n := int(self.n_bins[column]):
            below, below_hits = np.cumsum(mass[:n]), np.cumsum(hits[:n])
            masses = np.stack([below, below[-1] - below])[:, :-1]
            saved = self._saves(masses, np.stack([below_hits, below_hits[-1] - below_hits])[:, :-1])
            above, cut = np.unravel_index(saved.argmax(), saved.shape)
            inside = (np.arange(n_slots) > cut) == bool(above)
            inside[n:] = False
        else:
            inside = hits * mass.sum() > hits.sum() * mass
        value = float(self._saves(mass[inside].sum(), hits[inside].sum()))
        return Growing(value, rule.columns | {column}, rule.rows[inside[codes]])

    def _saves(self, mass: Floats, hits: Floats) -> Floats:
        """As in `telling.c`."""
        saved = hits**2 / (mass + LEAST_EVIDENCE) / (1.0 - mass / (self.total + LEAST_EVIDENCE))
        return np.where(hits > 0.0, saved, 0.0)


def telling_columns(
    rows: DescentRows, encoding: Encoding, rng: np.random.Generator, always: Collection[int] = ()
) -> Integers:
    """Columns that a start looks at, in order: some `always`, those that tell most, others by chance."""
    alone, *_ = orders = rank_together(rows, encoding)
    in_turn = np.stack(orders, axis=1).ravel()  # the best column of each step, the second one of each, and so on
    told = dict.fromkeys([*always, *alone[:ALONE_COLUMNS].tolist(), *in_turn.tolist()])
    chosen = list(told)[: max(MOST_COLUMNS - DRAWN_COLUMNS, len(always))]
    rest = np.setdiff1d(np.arange(len(encoding.slots)), chosen)
    drawn = rng.choice(rest, min(DRAWN_COLUMNS, len(rest)), replace=False)
    return np.sort(np.concatenate([chosen, drawn])).astype(np.int64)


def rank_together(rows: DescentRows, encoding: Encoding) -> list[Integers]:
    """Columns in order, first those that save most, for each step in which rules grow; in the first they stand alone.

    Where no label varies, no rule grows, and the columns keep their order.
    """
    n_labels, steps = len(rows.targets), dict[tuple[int, int], Floats]()
    beam = max(BEAM // n_labels, 1)
    for k in range(n_labels):
        variance = _variance(rows, k)
        for step, saved in _grow(rows, encoding, k, beam):
            worth = saved / variance
            steps[step] = np.maximum(steps[step], worth) if step in steps else worth
    return [np.argsort(-steps[step], kind="stable") for step in sorted(steps)] or [np.arange(len(encoding.slots))]


def _variance(rows: DescentRows, k: int) -> float:
    rate = float((rows.targets[k] * rows.weights).sum() / rows.weights.sum())  # no BLAS: the same everywhere
    return max(rate * (1.0 - rate), 1e-300)


def _grow(rows: DescentRows, encoding: Encoding, k: int, beam: int) -> Iterator[tuple[tuple[int, int], Floats]]:
    """What a condition on each column saves of a label's error, by round and number of conditions."""
    n_bins = np.array([slots.n_known if slots.has_bins else 0 for slots in encoding.slots])
    left = np.arange(rows.n_rows)
    for turn in range(ROUNDS):
        weights, targets = rows.weights[left], rows.targets[k][left]
        if len(left) < LEAST_ROWS or targets.min() == targets.max():
            return
        total = float(weights.sum())
        rate = float((targets * weights).sum()) / total
        label = _Label(rows, encoding, n_bins, rate, rows.weights * (rows.targets[k] - rate), total)
        rules, best = [Growing(0.0, frozenset(), left)], Growing(0.0, frozenset(), left[:0])
        for size in range(CONDITIONS):
            more = label.savings(rules) - np.array([[rule.saved] for rule in rules])
            yield (turn, size), more.max(axis=0)
            rules = _widened(label, rules, more, beam)
            if not rules:
                break
            best = max(best, rules[0], key=lambda rule: rule.saved)
        left = np.setdiff1d(left, best.rows)


def _widened(label: _Label, rules: list[Growing], more: Floats, beam: int) -> list[Growing]:
    """The best rules with one condition more, each on other columns."""
    found = dict[frozenset[int], Growing]()
    for rule, gains in zip(rules, more, strict=True):
        for column in np.argsort(-gains, kind="stable")[: BRANCHES if rule.columns else beam].tolist():
            columns = rule.columns | {column}
            if column not in rule.columns and columns not in found:
                found[columns] = label.narrowed(rule, column)
    grown = [rule for rule in found.values() if len(rule.rows) >= LEAST_ROWS]
    return sorted(grown, key=lambda rule: -rule.saved)[:beam]
