"""The search for the best choice of rules: greedy steps and swaps, then branch and bound.

The probability that an output is absent is a product over the rules, and each further rule lowers it. So with some
rules chosen and others still free, every row's probabilities lie between two numbers, and so does every score: these
are the bounds of the search.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from nln.compose.core.rows import Rows, owners, rule_memberships
from nln.rules import LogicProgram
from nln.scores import Bools, Floats, Metric, score_counts

SLACK = 1e-9
"""Probabilities closer than this count as equal, so that no bound is too tight."""

Choice = tuple[int, ...]
Rate = tuple[float, int, float]
"""Rank of a choice (see `Goal.rank`), then its squared error: the lower, the better."""

EQUAL = 1e-12
"""Scores closer than this are equal."""


class Subsets:
    """The choices of a program's rules and their scores; rows that the rules do not tell apart are merged.

    Biases and thresholds are those of the program in every choice.
    """

    def __init__(self, program: LogicProgram, rows: Rows, metric: Metric) -> None:
        self.metric, self.kind = metric, program.schema.target.kind
        self.owner = owners(program)
        fired = rule_memberships(program, rows.columns, rows.n_rows)
        fired *= np.array([rule.weight for rule in program.rules])[:, None]
        table = np.vstack([fired, rows.truth.T])
        distinct, counts = np.unique(table, axis=1, return_counts=True)
        self.factor: Floats = 1.0 - distinct[: len(fired)]
        self.truth: Bools = distinct[len(fired) :] > 0.5
        self.counts = counts.astype(np.float64)
        self.fires = (self.factor < 1.0) * self.counts  # the rows that each rule changes, as counts
        self.first = np.repeat((1.0 - np.array(program.biases))[:, None], len(counts), axis=1)
        self.thresholds = np.array(program.thresholds or np.ones(len(program.biases)))[:, None]
        self.positive = self.truth @ self.counts
        self.total = float(self.counts.sum())

    @property
    def n_rules(self) -> int:
        """Number of rules to choose from."""
        return len(self.factor)

    def absent(self, chosen: Iterable[int]) -> Floats:
        """Probability that each output is absent, (outputs, rows), multiplied in the program's order."""
        absent = self.first.copy()
        for i in sorted(chosen):
            absent[self.owner[i]] *= self.factor[i]
        return absent

    def decided(self, absent: Floats) -> Bools:
        """Decide as `LogicProgram.decide` does; return a mask of rows for each output."""
        present = 1.0 - absent
        if self.kind == "multiclass":
            mask: Bools = (present / self.thresholds).argmax(axis=0) == np.arange(len(present))[:, None]
            return mask
        return self.thresholds <= present

    def score(self, absent: Floats) -> float:
        """Score the decisions."""
        decided = self.decided(absent)
        return self._score(decided & self.truth, decided & ~self.truth)

    def squared_error(self, absent: Floats) -> float:
        """Squared error, by which the search compares choices of equal score."""
        return float((((1.0 - absent) - self.truth) ** 2).sum(axis=0) @ self.counts)

    def bound(self, least: Floats, most: Floats) -> float:
        """Highest score of any choice whose probabilities of absence lie between `least` and `most`."""
        certain, possible = self._certain_and_possible(least, most)
        return self._score(possible & self.truth, certain & ~self.truth)

    def bound_with(self, least: Floats, most: Floats, touched: Sequence[int], further: int) -> float:
        """Highest score if at most `further` of the rules `touched` are added to the choice that gives `most`.

        A decision changes only where an added rule fires (for labels: a rule of that label), so at most as many rows
        become right as the rules that fire on most of the wrong ones reach.
        """
        certain, possible = self._certain_and_possible(least, most)
        possible &= self.truth
        right = possible & self.decided(most)
        reach = (possible & ~right) @ self.fires[touched].T
        if self.kind != "multiclass":  # where any rule may change any row's decision
            reach *= self.owner[touched] == np.arange(len(reach))[:, None]
        gained = np.sort(reach, axis=1)[:, ::-1][:, :further].sum(axis=1)
        hits = np.minimum(right @ self.counts + gained, possible @ self.counts)
        wrong = (certain & ~self.truth) @ self.counts
        return score_counts(self.metric, self.kind, hits, wrong, self.positive, self.total)

    def _certain_and_possible(self, least: Floats, most: Floats) -> tuple[Bools, Bools]:
        low, high = 1.0 - most, 1.0 - least
        if self.kind != "multiclass":
            return low >= self.thresholds + SLACK, high >= self.thresholds - SLACK
        low, high = low / self.thresholds, high / self.thresholds
        return low > _others(high) + SLACK, high >= _others(low) - SLACK

    def _score(self, right: Bools, wrong: Bools) -> float:
        return score_counts(self.metric, self.kind, right @ self.counts, wrong @ self.counts, self.positive, self.total)


@dataclass(frozen=True, slots=True)
class Goal:
    """What the search looks for: of the choices with the highest score, or with one that is enough, the smallest."""

    most: int  # the largest number of rules
    enough: float = np.inf  # the score that is enough

    def rank(self, score: float, size: int) -> tuple[float, int]:
        """Rank of a choice: the lower, the better."""
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
        """Keep a choice if it is as good as the best or better."""
        mine, best = self.goal.rank(score, len(choice)), self.goal.rank(self.score, self.size)
        equal = abs(mine[0] - best[0]) <= EQUAL
        if (mine[1] < best[1]) if equal else (mine[0] < best[0]):
            self.choices.clear()
            self.score, self.size, self.complete = score, len(choice), True
        elif not equal or mine[1] > best[1]:
            return
        if choice in self.choices or len(self.choices) < self.max_ties:
            self.choices.add(choice)
        else:
            self.complete = False


def search(subsets: Subsets, goal: Goal, *, max_nodes: int, max_ties: int) -> tuple[Found, bool]:
    """Find the best choices; return them and whether the branch and bound was completed, which proves them best."""
    found = Found(goal, max_ties)
    for start in (_forward(subsets, goal), _backward(subsets, goal)):
        _improve(subsets, goal, start, found)
    return found, _Branching(subsets, goal, found, max_nodes).run()


def _rate(subsets: Subsets, goal: Goal, chosen: frozenset[int]) -> Rate:
    absent = subsets.absent(chosen)
    return (*goal.rank(subsets.score(absent), len(chosen)), subsets.squared_error(absent))


def _best_of(subsets: Subsets, goal: Goal, choices: list[frozenset[int]]) -> tuple[frozenset[int], Rate]:
    """Return the best of some choices, the first of equals, and its rate."""
    rates = [_rate(subsets, goal, chosen) for chosen in choices]
    best = min(rates)
    return choices[rates.index(best)], best


def _forward(subsets: Subsets, goal: Goal) -> frozenset[int]:
    """Add the rule that helps most, by score and then by squared error, as long as it helps."""
    chosen: frozenset[int] = frozenset()
    best = _rate(subsets, goal, chosen)
    while len(chosen) < goal.most:
        larger, rate = _best_of(subsets, goal, [chosen | {i} for i in range(subsets.n_rules) if i not in chosen])
        if (rate[0], rate[2]) >= (best[0], best[2]):
            break
        chosen, best = larger, rate
    return chosen


def _backward(subsets: Subsets, goal: Goal) -> frozenset[int]:
    """Drop the rule that is needed least, while there are too many rules or the score does not fall."""
    chosen = frozenset(range(subsets.n_rules))
    best = _rate(subsets, goal, chosen)
    while chosen:
        smaller, rate = _best_of(subsets, goal, [chosen - {i} for i in sorted(chosen)])
        if len(chosen) <= goal.most and rate[0] > best[0] + EQUAL:
            break
        chosen, best = smaller, rate
    return chosen


def _improve(subsets: Subsets, goal: Goal, chosen: frozenset[int], found: Found) -> None:
    """Drop, exchange or add single rules as long as that helps."""
    best = _rate(subsets, goal, chosen)
    while True:
        found.offer(tuple(sorted(chosen)), subsets.score(subsets.absent(chosen)))
        steps = [chosen - {i} for i in sorted(chosen)]
        outside = [j for j in range(subsets.n_rules) if j not in chosen]
        steps += [chosen - {i} | {j} for i in sorted(chosen) for j in outside]
        steps += [chosen | {j} for j in outside] if len(chosen) < goal.most else []
        if not steps:
            return
        other, rate = _best_of(subsets, goal, steps)
        if rate >= best:
            return
        chosen, best = other, rate


class _Branching:
    """Branch and bound: each rule in or out, in a fixed order; branches that cannot equal the best are cut."""

    def __init__(self, subsets: Subsets, goal: Goal, found: Found, max_nodes: int) -> None:
        self.subsets, self.goal, self.found, self.nodes_left = subsets, goal, found, max_nodes
        alone = [subsets.squared_error(subsets.absent((i,))) for i in range(subsets.n_rules)]
        best = min(found.choices, default=())
        self.order = sorted(range(subsets.n_rules), key=lambda i: (i not in best, alone[i], i))

    def run(self) -> bool:
        """Search; return whether all choices were covered."""
        # The bounds must fit in about a gigabyte, and there must be at least one node for each rule.
        n_rules = self.subsets.n_rules
        if (n_rules + 1) * self.subsets.first.size > 2**27 or self.nodes_left <= n_rules:
            return False
        # For each place, the product of the factors of all rules from there on, for all outputs.
        self.product = [np.ones_like(self.subsets.first)]
        for i in reversed(self.order):
            self.product.insert(0, self._with_rule(i, self.product[0]))
        return self._visit(0, (), self.subsets.first)

    def _with_rule(self, i: int, absent: Floats) -> Floats:
        product = absent.copy()
        product[self.subsets.owner[i]] *= self.subsets.factor[i]
        return product

    def _visit(self, place: int, chosen: Choice, absent: Floats) -> bool:
        """Visit all choices that agree with `chosen` on the rules before `place`."""
        if self.nodes_left <= 0:
            return False
        self.nodes_left -= 1
        if place == len(self.order):
            # The factors are multiplied in the program's order, so that the score is exactly that of the program.
            self.found.offer(tuple(sorted(chosen)), self.subsets.score(self.subsets.absent(chosen)))
            return True
        if not self._hopeful(place, chosen, absent):
            return True
        i, done = self.order[place], True
        if len(chosen) < self.goal.most:
            done = self._visit(place + 1, (*chosen, i), self._with_rule(i, absent))
        return self._visit(place + 1, chosen, absent) and done

    def _hopeful(self, place: int, chosen: Choice, absent: Floats) -> bool:
        """Whether some choice below this node may equal the best."""
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


def _others(present: Floats) -> Floats:
    """For each output, the highest probability of the other outputs."""
    order = np.sort(present, axis=0)
    others: Floats = np.where(present == order[-1], order[-2], order[-1])
    return others
