"""Sub-programs of a program and their scores: exact ones, and bounds for all that can still be made of a choice.

The probability that an output is absent is a product over the rules, and each further rule lowers it. So with the rules
chosen and the rules still free, every row's probabilities lie between two numbers, and so does every score.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from nln.compose.core.rows import Rows, owners, rule_memberships
from nln.rules import LogicProgram
from nln.scores import Metric, score_counts

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SLACK = 1e-9
"""Probabilities closer than this count as equal where a bound must not be too tight."""


class Subsets:
    """All choices of a program's rules, on rows that are merged where the rules do not tell them apart.

    Parameters
    ----------
    program : LogicProgram
        The rules to choose from. Biases and thresholds stay as they are in every choice.
    rows : Rows
        The table.
    metric : {"f1", "accuracy", "balanced_accuracy"}
        What to score by.
    """

    def __init__(self, program: LogicProgram, rows: Rows, metric: Metric) -> None:
        self.program, self.metric, self.kind = program, metric, program.schema.target.kind
        self.owner = owners(program)
        fired = rule_memberships(program, rows.columns, rows.n_rows)
        fired *= np.array([rule.probability for rule in program.rules])[:, None]
        table = np.vstack([fired, rows.truth.T])
        distinct, counts = np.unique(table, axis=1, return_counts=True)
        self.factor: Floats = 1.0 - distinct[: len(fired)]
        self.truth: Bools = distinct[len(fired) :] > 0.5
        self.counts = counts.astype(np.float64)
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
        """Decide as `LogicProgram.decide` does; per output a mask of rows."""
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
        """Squared error: what tells choices of equal score apart while searching."""
        return float((((1.0 - absent) - self.truth) ** 2).sum(axis=0) @ self.counts)

    def bound(self, least: Floats, most: Floats) -> float:
        """Highest score of any choice with probabilities of absence from `least` to `most`."""
        certain, possible = self._certain_and_possible(least, most)
        return self._score(possible & self.truth, certain & ~self.truth)

    def bound_with(self, least: Floats, most: Floats, touched: Sequence[int], further: int) -> float:
        """Highest score if at most so many of the rules `touched` are added to what gives `most`.

        A row changes its decision only if an added rule fires there (for labels: one of that label), so no more rows
        become right than the rules that fire on most of them reach.
        """
        certain, possible = self._certain_and_possible(least, most)
        right = self.decided(most) & self.truth
        reached = possible & self.truth & ~right
        hits = np.minimum(possible & self.truth, right) @ self.counts
        reach = np.zeros((len(self.truth), len(touched)))
        for column, i in enumerate(touched):
            fires = (self.factor[i] < 1.0) * self.counts
            # In a multi-class target any rule may change any row's decision.
            outputs = range(len(reached)) if self.kind == "multiclass" else (self.owner[i],)
            for k in outputs:
                reach[k, column] = reached[k] @ fires
        gained = np.sort(reach, axis=1)[:, ::-1][:, :further].sum(axis=1)
        hits = np.minimum(hits + gained, (possible & self.truth) @ self.counts)
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


def _others(present: Floats) -> Floats:
    """Per output the highest probability of the other outputs."""
    order = np.sort(present, axis=0)
    others: Floats = np.where(present == order[-1], order[-2], order[-1])
    return others
