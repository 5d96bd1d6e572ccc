"""The search of counts: one count in the place of several rules of an output.

Members are literals of the rules and the best ones of each feature. A count grows by one literal at a time, by a beam.
It must be worth more than the rules that it replaces, and than any AND or OR that was met on the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from nln.learning.derived.contexts import Context, RulesOnRows
from nln.learning.derived.kernels.counting import count_gains
from nln.learning.derived.literals import Literal, can_be_counted, candidates, crisp_literal
from nln.tables.encoding import Encoding

BEAM, SHARED = 8, 3
"""Counts that are grown at once, and rules that must share a literal for it to stand beside a count."""


class CountSearch:
    """The search on the rows of one start."""

    def __init__(self, encoding: Encoding, rules: RulesOnRows, price: float, most_members: int) -> None:
        self.encoding, self.rules, self.price, self.most_members = encoding, rules, price, most_members
        self.asked: list[list[Literal]] = [
            [crisp_literal(j, encoding.slots[j], table) for j, table in conditions.items() if self._counts(j)]
            for conditions in rules.conditions
        ]

    def best(self, k: int) -> list[Literal] | None:
        """Members of the count that is worth most beyond the rules of output k that it replaces; None if none is."""
        alone = self.rules.alone(k)
        own = np.flatnonzero(self.rules.draft.output == k).tolist()
        used = Counter(literal for i in own for literal in self.asked[i])
        literals = candidates(self.encoding, self.rules.rows, used, alone, self.price)
        best, members = 0.0, None
        for group, beside in self._groups(own, used):
            context = self._context(k, own, group, beside)
            free = [literal for literal in literals if beside is None or literal.feature != beside.feature]
            found, gain = self._grow(free, context)
            cost = 0.0 if beside is None else self.price * self._size(beside)
            gain -= cost + self._worth(k, own, group, beside)
            if found and gain > best:
                best, members = gain, found
        return members

    def _groups(self, own: Sequence[int], used: Counter[Literal]) -> list[tuple[list[int], Literal | None]]:
        """Rules that a count may replace: all, the long ones, or those that share a literal, which stands beside it."""
        groups: list[tuple[list[int], Literal | None]] = [(list(own), None)]
        long = [i for i in own if len(self.asked[i]) > 1]
        if 0 < len(long) < len(own):
            groups.append((long, None))
        kinds = Counter[tuple[int, bytes | int]]()
        for literal, times in used.items():
            kinds[self._kind(literal)] += times
        shared = sorted((kind for kind in kinds if kinds[kind] >= SHARED), key=lambda kind: (-kinds[kind], str(kind)))
        for kind in shared[:2]:
            literal = min((f for f in used if self._kind(f) == kind), key=lambda f: (-used[f], f))
            groups.append(([i for i in own if kind in map(self._kind, self.asked[i])], literal))
        return groups

    def _context(self, k: int, own: Sequence[int], group: Sequence[int], beside: Literal | None) -> Context:
        if len(group) == len(own) and beside is None:
            return self.rules.alone(k)
        rest = np.ones(self.rules.rows.n_rows) if beside is None else beside.held(self.rules.rows).astype(np.float64)
        return self.rules.beside(k, group, rest)

    def _worth(self, k: int, own: Sequence[int], group: Sequence[int], beside: Literal | None) -> float:
        """What the rules of a group save beyond their price, compared with none in their place."""
        y, weights = self.rules.targets[k], self.rules.rows.weights
        if len(group) == len(own) and beside is None:
            without = y - float(weights @ y) / float(weights.sum())
        else:
            without = 1.0 - y - self.rules.rest(k, group)
        now = 1.0 - y - self.rules.rest(k, ())
        literals = sum(self._size(literal) for i in group for literal in self.asked[i])
        return float(weights @ (without**2 - now**2)) - self.price * literals

    def _grow(self, literals: Sequence[Literal], context: Context) -> tuple[list[Literal], float]:
        """Members of the best true count, and what it saves; nothing if an AND or an OR is better."""
        features = np.array([literal.feature for literal in literals], np.int64)
        most = min(self.most_members, len(set(features.tolist())))
        if most < 3:
            return [], 0.0
        sizes = np.array([self._size(literal) for literal in literals], np.float64)
        held = np.stack([literal.held(self.rules.rows) for literal in literals])
        beam: list[tuple[int, ...]] = [()]
        best, members, plain = 0.0, tuple[int, ...](), 0.0
        for size in range(1, most + 1):
            grown: dict[tuple[int, ...], tuple[float, bool]] = {}
            for now in map(list, beam):
                free = np.flatnonzero(~np.isin(features, features[now]))
                base = held[now].sum(axis=0).astype(np.uint8)
                terms = context.mass, context.hits, context.total, self.price
                gains, is_true = count_gains(base, held[free], *terms, sizes[free] + sizes[now].sum(), size)
                plain = max(plain, float(gains[~is_true].max(initial=0.0)))
                for c in np.argsort(-gains, kind="stable")[: 2 * BEAM].tolist():
                    grown[tuple(sorted((*now, int(free[c]))))] = float(gains[c]), bool(is_true[c])
            beam = sorted(grown, key=lambda key: (-round(grown[key][0], 9), key))[:BEAM]
            for key in beam:
                if grown[key][1] and grown[key][0] > best:
                    best, members = grown[key][0], key
        return ([literals[i] for i in members], best) if best > plain else ([], 0.0)

    def _counts(self, j: int) -> bool:
        return can_be_counted(self.encoding.slots[j])

    def _size(self, literal: Literal) -> int:
        return literal.size(self.encoding.slots[literal.feature])

    def _kind(self, literal: Literal) -> tuple[int, bytes | int]:
        """What literals that differ only in the place of a boundary have in common."""
        is_step = self.encoding.slots[literal.feature].is_ordered and self._size(literal) == 1
        return literal.feature, literal.inside[0] if is_step else literal.inside
