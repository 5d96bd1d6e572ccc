"""Between which dichotomies the intervals of a network lie.

Dichotomies are numbered within their feature: 0 is open below, n + 1 open above. As a network is trained with fixed
neighbours, interval m of every rule lies between the dichotomies m and m + 1. Trained AND weights, once they are
discrete, may name several dichotomies on one side of an interval: the tightest one of each side stays, since a
condition has one boundary there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nln.network.kernels.modules import ORDERED
from nln.network.layout import Integers, Layout, Weights


class IntervalEnds(NamedTuple):
    """Between which dichotomies of its feature each rule's intervals lie, (weights, rules) each."""

    lower: Integers
    upper: Integers


def elementary_ends(layout: Layout, n_rules: int) -> IntervalEnds:
    """Ends of the intervals of a network with fixed neighbours: interval m lies between the dichotomies m and m + 1."""
    lower = np.zeros((int(layout.weight_offsets[-1]), n_rules), np.int64)
    for j in np.flatnonzero(layout.kinds == ORDERED):
        first, n = layout.weight_offsets[j], layout.n_regular[j]
        lower[first : first + n] = np.arange(n)[:, None]
    return IntervalEnds(lower, lower + 1)


def tightened(layout: Layout, weights: Weights) -> Weights:
    """Leave each interval with discrete AND weights the highest of its lower boundaries and the lowest upper one."""
    if not weights.interval_weights.size:
        return weights
    kept = np.zeros_like(weights.interval_weights)
    for j, d, m, own in _features(layout):
        signs, places = weights.interval_weights[d, m], weights.boundaries[own]
        for sign, order in ((1.0, places), (-1.0, -places)):
            ranked = np.where(signs == sign, order[:, None], -np.inf)  # (dichotomies, intervals)
            best = len(order) - 1 - ranked[::-1].argmax(axis=0) if len(order) else np.empty(0, np.int64)
            has = (signs == sign).any(axis=0)
            kept[best[has], int(layout.weight_offsets[j]) + np.flatnonzero(has)] = sign
    return weights._replace(interval_weights=kept)


def learned_ends(layout: Layout, weights: Weights) -> IntervalEnds:
    """Ends of intervals that have at most one AND weight of 1 and one of -1."""
    ends = elementary_ends(layout, len(weights.rule_bias))
    for j, d, m, _ in _features(layout):
        signs, n = weights.interval_weights[d, m], int(layout.n_regular[j])
        numbers = np.arange(1, n)[:, None]
        ends.lower[m] = ((signs > 0) * numbers).sum(axis=0)[:, None]
        upper = ((signs < 0) * numbers).sum(axis=0)
        ends.upper[m] = np.where(upper == 0, n, upper)[:, None]
    return ends


def in_order(layout: Layout, weights: Weights, ends: IntervalEnds) -> tuple[Weights, IntervalEnds]:
    """Number the dichotomies of each feature by their places: training may have moved them past each other."""
    boundaries, sharpness = weights.boundaries.copy(), weights.sharpness.copy()
    lower, upper = ends.lower.copy(), ends.upper.copy()
    learned = weights.interval_weights.copy()
    for j, d, m, own in _features(layout):
        order = np.argsort(boundaries[own], kind="stable")
        number = np.zeros(int(layout.n_regular[j]) + 1, np.int64)
        number[order + 1], number[-1] = np.arange(1, len(order) + 1), layout.n_regular[j]
        boundaries[own], sharpness[own] = boundaries[own][order], sharpness[own][order]
        lower[m], upper[m] = number[ends.lower[m]], number[ends.upper[m]]
        if learned.size:
            learned[d, m] = learned[d, m][order]
    changed = weights._replace(boundaries=boundaries, sharpness=sharpness, interval_weights=learned)
    return changed, IntervalEnds(lower, upper)


def _features(layout: Layout) -> list[tuple[int, slice, slice, slice]]:
    """Each ordered feature, the rows and columns of its interval weights, and its dichotomies."""
    found = []
    for j in np.flatnonzero(layout.kinds == ORDERED).tolist():
        first, n = int(layout.weight_offsets[j]), int(layout.n_regular[j])
        own = slice(int(layout.dichotomy_offsets[j]), int(layout.dichotomy_offsets[j + 1]))
        found.append((j, slice(0, n - 1), slice(first, first + n), own))
    return found
