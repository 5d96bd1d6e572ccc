"""Thresholds of decisions, chosen on rows: for two classes, for each label, for several classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nln.rules import LogicProgram

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

USUAL = "both"
METRICS = (USUAL, "f1", "accuracy", f"{USUAL} shared", "f1 shared", "accuracy shared")
"""Ways to choose: the metric, and whether all labels share a threshold.

"both" weighs the F1 of either side and the accuracy alike. The F1 alone pays for every hit among few rows with many
wrong decisions; the accuracy alone gives rare labels up.
"""

_GRID = np.arange(1, 100) / 100
_ODDS = np.log(_GRID / (1.0 - _GRID))
_NEARBY = np.exp(-0.5 * ((_ODDS[:, None] - _ODDS) / 0.2) ** 2)
"""How much a threshold counts for another one, by the distance of their log-odds."""
_CLASS_GRID = np.round(0.5 * 2.0 ** (np.arange(-12, 5) / 4), 2)
"""Thresholds of one of several classes: only their ratios matter. They begin at 0.5, and the largest ends there."""
_LEAST_GAIN = 0.02
"""Mean F1 that thresholds of several classes must gain on the training rows: less than that is noise."""
_ROUNDS = 5


def choose_thresholds(
    program: LogicProgram, probability: Floats, truth: Bools, weights: Floats, how: str, *, smooth: bool = False
) -> LogicProgram:
    """Give a program the thresholds that are best on the rows, by one of `METRICS`.

    `probability` and `truth` are (rows, outputs). Among several classes, the most probable one has the best accuracy
    and needs no thresholds. `smooth` is for few rows: see `best_threshold`.
    """
    metric = how.split(maxsplit=1)[0]
    if program.schema.target.kind == "multiclass":
        is_plain = metric == "accuracy" or how.endswith("shared")
        found = () if is_plain else best_class_thresholds(truth, probability, weights)
    elif how.endswith("shared"):
        found = (best_shared_threshold(truth, probability, weights, metric, smooth=smooth),) * truth.shape[1]
    else:
        labels = zip(truth.T, probability.T, strict=True)
        found = tuple(best_threshold(t, p, weights, metric, smooth=smooth) for t, p in labels)
    return replace(program, thresholds=found)


def best_threshold(truth: Bools, probability: Floats, weights: Floats, metric: str, *, smooth: bool = False) -> float:
    """Threshold of a grid of hundredths with the best score on the rows; among equals the one in the middle.

    The score is the mean of the F1 scores of both sides, the share of right decisions, or the mean of these three. With
    few rows it jumps from threshold to threshold: smooth, the mean over nearby thresholds finds the place, and the
    middle of all thresholds there that decide alike is taken, or 0.5 if that is near the middle.
    """
    order = np.lexsort((weights, probability))  # of equals the lightest first: the table's order must not count
    ranked = probability[order]
    positive = np.concatenate([[0.0], np.cumsum((weights * truth)[order])])
    negative = np.concatenate([[0.0], np.cumsum((weights * ~truth)[order])])
    below = np.searchsorted(ranked, _GRID, side="left")
    return _best_of(positive[below], negative[below], positive[-1], negative[-1], metric, smooth)


def weights_by_threshold(truth: Bools, probability: Floats, weights: Floats) -> Floats:
    """Weight of the rows below the first threshold of the grid, between two of them, and above the last, (2, places).

    The first line has the rows without the label, the second those with it. What parts of a table give can be added.
    """
    place = np.searchsorted(_GRID, probability, side="right")
    return np.stack([np.bincount(place, weights * side, len(_GRID) + 1) for side in (~truth, truth)])


def threshold_for(by_threshold: Floats, metric: str) -> float:
    """Threshold with the best score on the rows that `weights_by_threshold` has seen."""
    negative, positive = np.cumsum(by_threshold, axis=1)
    return _best_of(positive[:-1], negative[:-1], positive[-1], negative[-1], metric, smooth=False)


def _best_of(missed: Floats, rejected: Floats, positive: float, negative: float, metric: str, smooth: bool) -> float:
    """Best threshold, from the weights of the rows below each one and of all rows, with the label and without."""
    hit, wrong = positive - missed, negative - rejected
    errors, right = missed + wrong, hit + rejected
    accuracy = np.asarray(right / (right + errors))
    score = accuracy
    if metric != "accuracy":
        sides = f1(hit, 2 * hit + errors) + f1(rejected, 2 * rejected + errors)
        score = sides / 2 if metric == "f1" else (sides + accuracy) / 3
    if smooth:
        best = int(np.argmax(_NEARBY @ score / _NEARBY.sum(axis=1)))
        changes = np.flatnonzero(np.abs(np.diff(score)) > 1e-12) + 1
        alike = next(part for part in np.split(_GRID, changes) if part[-1] >= _GRID[best])
        middle = alike[len(alike) // 4 : len(alike) - len(alike) // 4]
        return 0.5 if 0.5 in middle else float(alike[len(alike) // 2])
    return float(_GRID[_middle_of_best(score)])


def best_shared_threshold(
    truth: Bools, probability: Floats, weights: Floats, metric: str, *, smooth: bool = False
) -> float:
    """One threshold for all labels, (rows, labels): the best over all cells of the table of decisions."""
    each_label = np.repeat(weights, truth.shape[1])
    return best_threshold(truth.ravel(), probability.ravel(), each_label, metric, smooth=smooth)


def best_class_thresholds(truth: Bools, probability: Floats, weights: Floats) -> tuple[float, ...]:
    """Thresholds of several classes with the best mean F1 on the rows; none if equal ones are about as good.

    A rare class is seldom the most probable one, even where it is far more probable than usual. The thresholds of the
    classes are chosen in turn, each given the others, until none gains.
    """
    order = np.argsort(weights, kind="stable")  # sums must not depend on the table's order
    rows = _ClassRows(truth[order], np.ascontiguousarray(probability[order].T), weights[order])
    thresholds = np.full(truth.shape[1], 0.5)
    leaders = rows.leaders(thresholds)
    plain = best = rows.mean_f1(0, leaders)[_CLASS_GRID == 0.5][0]
    for _ in range(_ROUNDS):
        before = best
        for k in range(len(thresholds)):
            scores = rows.mean_f1(k, leaders)
            if scores.max() > best + 1e-12:
                best = scores.max()
                thresholds[k] = _CLASS_GRID[_middle_of_best(scores)]
                leaders = rows.leaders(thresholds)
        if best == before:
            break
    ratios = np.round(0.5 * thresholds / thresholds.max(), 3)
    return tuple(ratios.tolist()) if best >= plain + _LEAST_GAIN else ()


class _Leaders(NamedTuple):
    """The class that is ahead in each row, the next one, and how far both are."""

    first: Integers
    second: Integers
    most: Floats
    next: Floats


class _ClassRows:
    """Rows to choose the thresholds of several classes on: their classes, the probabilities of these, their weights."""

    def __init__(self, truth: Bools, probability: Floats, weights: Floats) -> None:
        self.truth, self.probability, self.weights = truth, probability, weights  # probability: (classes, rows)
        self.size = np.array([weights[of_class].sum() for of_class in truth.T])  # no BLAS: its threads spin

    def leaders(self, thresholds: Floats) -> _Leaders:
        """Leaders of each row, of equals the first class."""
        measured = self.probability / thresholds[:, None]
        rows, first = np.arange(len(self.weights)), measured.argmax(axis=0)
        most = measured[first, rows]
        measured[first, rows] = -np.inf
        second = measured.argmax(axis=0)
        return _Leaders(first, second, most, measured[second, rows])

    def mean_f1(self, k: int, leaders: _Leaders) -> Floats:
        """Mean F1 of the classes for every threshold that class k could have.

        The higher its threshold, the fewer rows the class takes from its rivals. So it is enough to count at how many
        thresholds it takes each row: sums by these counts give the scores of all thresholds. Most rows are out of its
        reach at all of them.
        """
        is_first, n_classes, n_places = leaders.first == k, self.truth.shape[1], len(_CLASS_GRID)
        other, rival = (
            np.where(is_first, b, a) for a, b in ((leaders.first, leaders.second), (leaders.most, leaders.next))
        )
        near = np.flatnonzero(self.probability[k] / _CLASS_GRID.min() >= rival)
        own, ahead, comes_first = self.probability[k, near], rival[near], k < other[near]
        taken = np.zeros(len(near), np.int64)  # places at which k takes the row
        for threshold in _CLASS_GRID:
            measured = own / threshold
            taken += (measured > ahead) | ((measured == ahead) & comes_first)  # of equals the first class
        held = np.zeros(len(other), np.int64)
        held[near] = taken
        cells, shape = held * n_classes + other, (n_places + 1, n_classes)
        right = self.weights * self.truth[np.arange(len(other)), other]
        decided, hits = (
            np.cumsum(np.bincount(cells, w, (n_places + 1) * n_classes).reshape(shape), axis=0)[:-1]
            for w in (self.weights, right)
        )
        decided[:, k], hits[:, k] = (
            np.cumsum(np.bincount(taken, w, n_places + 1)[::-1])[-2::-1]
            for w in (self.weights[near], self.weights[near] * self.truth[near, k])
        )
        scores: Floats = f1(hits, decided + self.size).mean(axis=1)
        return scores


def _middle_of_best(scores: Floats) -> int:
    """Place of the best score; of several in a row, the middle of the longest row."""
    best = np.flatnonzero(scores >= scores.max() - 1e-12)
    longest = max(np.split(best, np.flatnonzero(np.diff(best) > 1) + 1), key=len)
    return int(longest[len(longest) // 2])


def f1(hits: npt.NDArray[Any], sizes: npt.NDArray[Any]) -> Floats:
    """F1 from hits and from the rows decided to have a label plus those that have it; 0 if there are none."""
    return np.asarray(2 * hits / np.maximum(sizes, 1e-300))
