"""All combinations of changes to a row, evaluated by the program in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import Column
from nln.rules.children.reading import is_child_count
from nln.rules.derived.kinds import with_derived
from nln.rules.evaluate import probabilities
from nln.rules.explain.regions import FeatureOptions, Option, find_options, joined_columns

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

_BATCH = 16_384  # combinations evaluated at a time

MAX_FINE = 100_000
"""The most combinations of finer options that are tried to describe one set of features."""

Subset: TypeAlias = tuple[int, ...]
"""Places of the features that change."""

Accepts: TypeAlias = Callable[[NDArray[np.intp]], NDArray[np.bool_]]
"""Tells which decisions are wanted."""

Requirement: TypeAlias = list[tuple[FeatureOptions, list[Option]]]
"""The options that each changed feature may change to; any combination of them gives the same decision."""


@dataclass(frozen=True, slots=True)
class CombinationSearch:
    """One row, the options of its features, and the evaluation of their combinations."""

    program: LogicProgram
    base: dict[str, Column]  # the row, as `read_columns` gives it
    features: Sequence[FeatureOptions]  # those that may change, each with at least one option
    accepts: Accepts
    missing: bool  # whether a missing value is an option

    def count(self, size: int) -> int:
        """Count the combinations of `size` changed features."""
        sums = [1] + [0] * size
        for feature in self.features:
            for k in range(size, 0, -1):
                sums[k] += sums[k - 1] * len(feature.options)
        return sums[size]

    def turning(self, size: int) -> dict[Subset, NDArray[np.int32]]:
        """Find the sets of `size` features that can turn the decision, with the grid of their combinations.

        Each cell of a grid holds the number of the decision that the combination leads to, or -1 if it is not wanted.
        """
        found: dict[Subset, NDArray[np.int32]] = {}
        numbers: dict[bytes, int] = {}
        for batch in self._batches(size):
            decided = self.program.decide(self._evaluate(np.concatenate([choices for _, _, choices in batch])))
            accepted = self.accepts(decided)
            end = 0
            for subset, first, choices in batch:
                start, end = end, end + len(choices)
                rows = np.flatnonzero(accepted[start:end])
                if len(rows) and subset not in found:
                    found[subset] = np.full(self._shape(subset), -1, np.int32)
                for row in rows:
                    found[subset].flat[first + row] = numbers.setdefault(decided[start + row].tobytes(), len(numbers))
        return found

    def requirements(self, found: dict[Subset, NDArray[np.int32]], limit: int) -> list[Requirement]:
        """Describe combinations by requirements: the nearest of each set of features first, then further ones."""
        cheapest = {subset: int(self._cost(subset)[cells >= 0].min()) for subset, cells in found.items()}
        # Each set gives at least one requirement, so later sets cannot be among the first.
        nearest = sorted(found, key=lambda subset: (cheapest[subset], subset))[:limit]
        ranked = []
        for place, subset in enumerate(nearest):
            for rank, requirement in enumerate(self._requirements(subset, found[subset], limit)):
                ranked.append((rank, place, requirement))
        ranked.sort(key=lambda entry: entry[:2])
        return [requirement for _, _, requirement in ranked[:limit]]

    def _requirements(self, subset: Subset, cells: NDArray[np.int32], limit: int) -> list[Requirement]:
        """Describe one set of features, by finer options around fuzzy boundaries if there are not too many."""
        everything = tuple(range(len(subset)))
        grid = replace(self, features=[self.features[j] for j in subset])
        finest = [
            find_options(self.program, f.feature, self.base, missing=self.missing, fine=True) for f in grid.features
        ]
        fine = replace(self, features=finest)
        # Finer regions have other representatives, so it is possible that none of them turns the decision.
        if fine.count(len(subset)) <= MAX_FINE and (finer := fine.turning(len(subset))):
            grid, cells = fine, finer[everything]
        return [
            [
                (feature, [feature.options[i] for i in chosen])
                for feature, chosen in zip(grid.features, box, strict=True)
            ]
            for box in find_boxes(cells, grid._cost(everything), limit)
        ]

    def _shape(self, subset: Subset) -> tuple[int, ...]:
        return tuple(len(self.features[j].options) for j in subset)

    def _cost(self, subset: Subset) -> NDArray[np.int64]:
        steps = np.ix_(*(np.array([option.steps for option in self.features[j].options]) for j in subset))
        return np.asarray(sum(steps), np.int64)

    def _batches(self, size: int) -> Iterator[list[tuple[Subset, int, NDArray[np.intp]]]]:
        """Yield sets of features, the number of their first combination, and options (0: unchanged) by feature."""
        batch: list[tuple[Subset, int, NDArray[np.intp]]] = []
        room = _BATCH
        joined = joined_columns(self.program)
        for subset in combinations(range(len(self.features)), size):
            names = {self.features[j].feature.name for j in subset}
            if any(len(names & columns) > 1 for columns in joined):
                continue
            shape = self._shape(subset)
            total, first = int(np.prod(shape)), 0
            while first < total:
                rows = min(room, total - first)
                choices = np.zeros((rows, len(self.features)), np.intp)
                choices[:, subset] = np.stack(np.unravel_index(np.arange(first, first + rows), shape), axis=1) + 1
                batch.append((subset, first, choices))
                first, room = first + rows, room - rows
                if not room:
                    yield batch
                    batch, room = [], _BATCH
        if batch:
            yield batch

    def _evaluate(self, choices: NDArray[np.intp]) -> NDArray[np.float64]:
        schema, used = self.program.schema, self.program.features_used
        given = [name for name in schema.behind(used) if schema[name].derived is None or is_child_count(schema[name])]
        columns: dict[str, Any] = {name: np.repeat(self.base[name], len(choices)) for name in given}
        for j, options in enumerate(self.features):
            columns[options.feature.name] = options.entries[choices[:, j]]
        return probabilities(self.program, with_derived(columns, schema, used), rows=len(choices))


def find_boxes(cells: NDArray[np.int32], cost: NDArray[np.int64], limit: int) -> list[list[list[int]]]:
    """Cover the cells of a grid that are not -1 by at most `limit` boxes of equal cells.

    A box lists its places on each axis: this feature one of these AND that feature one of those. Each box grows from
    the cheapest cell that is not covered yet, whose place comes first, as far as the cells are equal.
    """
    left = cells >= 0
    boxes: list[list[list[int]]] = []
    while len(boxes) < limit and left.any():
        cheapest = int(np.where(left, cost, np.iinfo(np.int64).max).argmin())
        start = np.unravel_index(cheapest, cells.shape)
        box = [[int(i)] for i in start]
        for axis, chosen in enumerate(box):
            for place in range(cells.shape[axis]):
                slab = [*box[:axis], [place], *box[axis + 1 :]]
                if place not in chosen and (cells[np.ix_(*slab)] == cells[start]).all():
                    chosen.append(place)
        left[np.ix_(*box)] = False
        boxes.append(box)
    return boxes
