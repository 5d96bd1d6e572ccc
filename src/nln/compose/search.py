"""The search for the best sub-program: greedy steps and swaps, then branch and bound."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nln.compose.subsets import Floats, Subsets

Choice = tuple[int, ...]

EQUAL = 1e-12
"""Scores closer than this are equal."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What is looked for.

    Attributes
    ----------
    most : int
        Rules at most.
    enough : float
        Score that is enough: of choices that reach it the smallest is best. Infinite: the highest score, and of choices
        that have it the smallest.
    """

    most: int
    enough: float = np.inf

    def rank(self, score: float, size: int) -> tuple[float, int]:
        """Order of choices: the smaller, the better."""
        return -min(score, self.enough), size


@dataclass(slots=True)
class Found:
    """The best choices so far, all of one rank."""

    goal: Goal
    max_ties: int
    score: float = -np.inf
    size: int = 0
    choices: set[Choice] = field(default_factory=set)
    complete: bool = True

    def offer(self, choice: Choice, score: float) -> None:
        """Take a choice in if it is as good as the best or better."""
        if len(choice) > self.goal.most:
            return
        mine, best = self.goal.rank(score, len(choice)), self.goal.rank(self.score, self.size)
        equal = abs(mine[0] - best[0]) <= EQUAL
        if (equal and mine[1] < best[1]) or (not equal and mine[0] < best[0]):
            self.choices.clear()
            self.score, self.size, self.complete = score, len(choice), True
        elif not equal or mine[1] > best[1]:
            return
        if choice in self.choices:
            return
        if len(self.choices) < self.max_ties:
            self.choices.add(choice)
        else:
            self.complete = False


def search(subsets: Subsets, goal: Goal, *, max_nodes: int, max_ties: int) -> tuple[Found, bool]:
    """Find the best choices of rules.

    Parameters
    ----------
    subsets : Subsets
        The choices.
    goal : Goal
        What is looked for.
    max_nodes : int
        Nodes of the branch and bound at most.
    max_ties : int
        Equally good choices kept at most.

    Returns
    -------
    found : Found
        The best choices.
    proved : bool
        Whether the branch and bound came to its end, so that there is none better and no other as good.
    """
    found = Found(goal, max_ties)
    for start in (_forward(subsets, goal), _backward(subsets, goal)):
        _improve(subsets, goal, start, found)
    return found, _Branching(subsets, goal, found, max_nodes).run()


def _rate(subsets: Subsets, goal: Goal, chosen: frozenset[int]) -> tuple[float, int, float]:
    absent = subsets.absent(chosen)
    return (*goal.rank(subsets.score(absent), len(chosen)), subsets.squared_error(absent))


def _forward(subsets: Subsets, goal: Goal) -> frozenset[int]:
    """Add the rule that helps most, by score and then by squared error, as long as it helps."""
    chosen: frozenset[int] = frozenset()
    best = _rate(subsets, goal, chosen)
    while len(chosen) < goal.most:
        others = [chosen | {i} for i in range(subsets.n_rules) if i not in chosen]
        rated = [_rate(subsets, goal, other) for other in others]
        if not rated:
            break
        place = min(range(len(rated)), key=lambda n: (rated[n][0], rated[n][2]))
        if (rated[place][0], rated[place][2]) >= (best[0], best[2]):
            break
        chosen, best = others[place], rated[place]
    return chosen


def _backward(subsets: Subsets, goal: Goal) -> frozenset[int]:
    """Leave out the rule that is missed least, while there are too many rules or none is missed."""
    chosen = frozenset(range(subsets.n_rules))
    best = _rate(subsets, goal, chosen)
    while chosen:
        others = [chosen - {i} for i in sorted(chosen)]
        rated = [_rate(subsets, goal, other) for other in others]
        place = min(range(len(rated)), key=lambda n: (rated[n][0], rated[n][2]))
        if len(chosen) <= goal.most and rated[place][0] > best[0] + EQUAL:
            break
        chosen, best = others[place], rated[place]
    return chosen


def _improve(subsets: Subsets, goal: Goal, chosen: frozenset[int], found: Found) -> None:
    """Leave out, exchange or add single rules as long as that helps."""
    best = _rate(subsets, goal, chosen)
    while True:
        found.offer(tuple(sorted(chosen)), subsets.score(subsets.absent(chosen)))
        steps = [chosen - {i} for i in sorted(chosen)]
        outside = [j for j in range(subsets.n_rules) if j not in chosen]
        steps += [chosen - {i} | {j} for i in sorted(chosen) for j in outside]
        steps += [chosen | {j} for j in outside] if len(chosen) < goal.most else []
        rated = [_rate(subsets, goal, step) for step in steps]
        place = min(range(len(rated)), key=lambda n: rated[n], default=None)
        if place is None or rated[place] >= best:
            return
        chosen, best = steps[place], rated[place]


class _Branching:
    """Branch and bound: each rule in or out, in a fixed order; branches that cannot be as good as the best are left."""

    def __init__(self, subsets: Subsets, goal: Goal, found: Found, max_nodes: int) -> None:
        self.subsets, self.goal, self.found, self.nodes_left = subsets, goal, found, max_nodes
        alone = [subsets.squared_error(subsets.absent((i,))) for i in range(subsets.n_rules)]
        best = min(found.choices, default=())
        self.order = sorted(range(subsets.n_rules), key=lambda i: (i not in best, alone[i], i))

    def run(self) -> bool:
        """Search; tell whether all was seen."""
        n = self.subsets.n_rules
        # What the rules from each place on can do together, for all outputs; product[n] is 1.
        product = [np.ones_like(self.subsets.first) for _ in range(n + 1)] if self._affordable() else None
        if product is None:
            return False
        for place in range(n - 1, -1, -1):
            i = self.order[place]
            product[place][:] = product[place + 1]
            product[place][self.subsets.owner[i]] *= self.subsets.factor[i]
        self.product = product
        return self._visit(0, (), self.subsets.first)

    def _affordable(self) -> bool:
        """Whether the bounds fit in about a gigabyte and there is a node for each rule at least."""
        cells = (self.subsets.n_rules + 1) * self.subsets.first.size
        return cells <= 2**27 and self.nodes_left > self.subsets.n_rules

    def _visit(self, place: int, chosen: Choice, absent: Floats) -> bool:
        """Look at all choices that agree with `chosen` on the rules before `place`."""
        if self.nodes_left <= 0:
            return False
        self.nodes_left -= 1
        if place == len(self.order) or not self._hopeful(place, chosen, absent):
            if place == len(self.order):
                self._offer(chosen)
            return True
        i = self.order[place]
        done = True
        if len(chosen) < self.goal.most:
            with_rule = absent.copy()
            with_rule[self.subsets.owner[i]] *= self.subsets.factor[i]
            done = self._visit(place + 1, (*chosen, i), with_rule)
        return self._visit(place + 1, chosen, absent) and done

    def _offer(self, chosen: Choice) -> None:
        # The score is that of the program itself, which multiplies in its own order.
        self.found.offer(tuple(sorted(chosen)), self.subsets.score(self.subsets.absent(chosen)))

    def _hopeful(self, place: int, chosen: Choice, absent: Floats) -> bool:
        least = absent * self.product[place]
        limit = self.goal.rank(self.found.score, 0)[0]
        reachable = -min(self.subsets.bound(least, absent), self.goal.enough)
        if reachable > limit + EQUAL:
            return False
        # A higher score may take as many rules as allowed; an equal one no more than the best has.
        equal_at_best = reachable >= limit - EQUAL
        further = (self.found.size if equal_at_best else self.goal.most) - len(chosen)
        if further < 0:
            return False
        free = self.order[place:]
        if further >= len(free):
            return True
        return -min(self.subsets.bound_with(least, absent, free, further), self.goal.enough) <= limit + EQUAL
