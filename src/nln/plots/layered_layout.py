"""Layout of a layered graph: few crossings by barycentre sweeps, then nodes close to their neighbours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np

Node: TypeAlias = Hashable
Edge: TypeAlias = tuple[Node, Node]

_SWEEPS = 12


def ordered_layers(layers: Sequence[Sequence[Node]], edges: Sequence[Edge]) -> list[list[Node]]:
    """Order the nodes of each layer so that few edges cross.

    A sweep puts each node of a layer at the mean place of its neighbours in the layer before, and a sweep in the other
    direction in the layer after (Sugiyama, Tagawa and Toda, 1981); the order with the fewest crossings is kept.
    """
    present = [list(layer) for layer in layers]
    best, fewest = [list(layer) for layer in present], crossings(present, edges)
    neighbours = _neighbours(edges)
    for sweep in range(_SWEEPS):
        steps = list(pairwise(range(len(present))))
        for fixed, free in [(b, a) for a, b in reversed(steps)] if sweep % 2 else steps:
            _reorder(present[free], present[fixed], neighbours)
        found = crossings(present, edges)
        if found < fewest:
            best, fewest = [list(layer) for layer in present], found
    return best


def crossings(layers: Sequence[Sequence[Node]], edges: Sequence[Edge]) -> int:
    """Count the pairs of edges that cross when layers are drawn side by side."""
    total = 0
    for left, right in pairwise(layers):
        low, high = _ranks(left), _ranks(right)
        ends = np.array([(low[a], high[b]) for a, b in edges if a in low and b in high]).reshape(-1, 2)
        first, second = (np.sign(np.subtract.outer(column, column)) for column in ends.T)
        total += int(np.count_nonzero(first * second < 0)) // 2
    return total


def placed(layers: Sequence[Sequence[Node]], edges: Sequence[Edge], gap: float) -> dict[Node, float]:
    """Find heights for the nodes, in the order given and at least `gap` apart in each layer.

    The layer with most nodes is spaced evenly. Going out from it, the nodes of each layer are put as close to the mean
    heights of their neighbours as the gap allows, which is an isotonic regression.
    """
    widest = max(range(len(layers)), key=lambda i: len(layers[i]))
    neighbours = _neighbours(edges)
    heights = {node: i * gap - (len(layers[widest]) - 1) * gap / 2 for i, node in enumerate(layers[widest])}
    for i in [*range(widest - 1, -1, -1), *range(widest + 1, len(layers))]:
        known = dict(heights)
        wanted = [_mean((known[n] for n in neighbours[node] if n in known), 0.0) for node in layers[i]]
        heights |= zip(layers[i], _spread(wanted, gap), strict=True)
    return heights


def _spread(wanted: list[float], gap: float) -> list[float]:
    """Return heights at least `gap` apart with the least squared distance to those wanted."""
    # Without the gaps, heights must not fall: neighbours that would are pooled at their mean.
    pools: list[tuple[float, int]] = []  # sum and number of the heights
    for i, height in enumerate(wanted):
        total, count = height - gap * i, 1
        while pools and pools[-1][0] / pools[-1][1] >= total / count:
            more, further = pools.pop()
            total, count = total + more, count + further
        pools.append((total, count))
    levels = [total / count for total, count in pools for _ in range(count)]
    return [level + gap * i for i, level in enumerate(levels)]


def _reorder(free: list[Node], fixed: list[Node], neighbours: dict[Node, list[Node]]) -> None:
    place, own = _ranks(fixed), _ranks(free)
    # A node without neighbours in that layer keeps its place, on the scale of that layer.
    scale = max(len(fixed) - 1, 1) / max(len(free) - 1, 1)
    free.sort(key=lambda node: _mean((place[n] for n in neighbours[node] if n in place), own[node] * scale))


def _neighbours(edges: Iterable[Edge]) -> dict[Node, list[Node]]:
    found = defaultdict(list)
    for a, b in edges:
        found[a].append(b)
        found[b].append(a)
    return found


def _ranks(layer: Sequence[Node]) -> dict[Node, int]:
    return {node: i for i, node in enumerate(layer)}


def _mean(numbers: Iterable[float], otherwise: float) -> float:
    listed = list(numbers)
    return sum(listed) / len(listed) if listed else otherwise
