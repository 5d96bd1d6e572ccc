"""All combinations of changes of a row, evaluated by the program in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nln.rules.boxes import find_boxes
from nln.rules.columns import Column
from nln.rules.evaluate import probabilities
from nln.rules.explain.regions import Axis, Option, make_axis

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

_BATCH = 16_384

MAX_FINE = 100_000
"""Combinations of finer options tried, at most, per set of features that is described."""

Subset: TypeAlias = tuple[int, ...]
"""Places of the features that change."""

Accepts: TypeAlias = Callable[[NDArray[np.intp]], NDArray[np.bool_]]
"""Tells which decisions are wanted."""

Requirement: TypeAlias = list[tuple[Axis, list[Option]]]
"""Per changed feature the options that it may change to; any combination gives the same decision."""


@dataclass(frozen=True, slots=True)
class Search:
    """One row, the options of its features, and the evaluation of their combinations.

    Parameters
    ----------
    program : LogicProgram
        The program that decides.
    base : dict of str to array of shape (1,)
        The row, as `read_columns` gives it.
    axes : sequence of Axis
        The features that may change, each with at least one option.
    accepts : callable
        Tells which decisions are wanted.
    missing : bool
        Whether a missing value is an option.
    """

    program: LogicProgram
    base: dict[str, Column]
    axes: Sequence[Axis]
    accepts: Accepts
    missing: bool

    def count(self, size: int) -> int:
        """Count the combinations of `size` changed features."""
        sums = [1] + [0] * size
        for axis in self.axes:
            for k in range(size, 0, -1):
                sums[k] += sums[k - 1] * len(axis.options)
        return sums[size]

    def turn(self, size: int) -> dict[Subset, NDArray[np.int32]]:
        """Return, per set of features that can turn the decision, its combinations: a number per decision, or -1."""
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
        """Turn combinations into requirements: the nearest of each set of features first, then further ones."""
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
        """Describe one set of features, by finer options around fuzzy boundaries if they are not too many."""
        everything = tuple(range(len(subset)))
        grid = replace(self, axes=[self.axes[j] for j in subset])
        fine = replace(self, axes=[self._finer(axis) for axis in grid.axes])
        # Finer regions have other representatives, so that in theory none of them may turn the decision.
        if fine.count(len(subset)) <= MAX_FINE and (finer := fine.turn(len(subset))):
            grid, cells = fine, finer[everything]
        boxes = find_boxes(cells, grid._cost(everything), limit)
        return [
            [(axis, [axis.options[i] for i in chosen]) for axis, chosen in zip(grid.axes, box, strict=True)]
            for _, box in boxes
        ]

    def _finer(self, axis: Axis) -> Axis:
        return make_axis(self.program, axis.feature, axis.own, missing=self.missing, fine=True)

    def _shape(self, subset: Subset) -> tuple[int, ...]:
        return tuple(len(self.axes[j].options) for j in subset)

    def _cost(self, subset: Subset) -> NDArray[np.int64]:
        steps = np.ix_(*(np.array([option.steps for option in self.axes[j].options]) for j in subset))
        return np.asarray(sum(steps), np.int64)

    def _batches(self, size: int) -> Iterator[list[tuple[Subset, int, NDArray[np.intp]]]]:
        """Yield sets of features, with the number of the first combination and options (0: unchanged) by feature."""
        batch: list[tuple[Subset, int, NDArray[np.intp]]] = []
        room = _BATCH
        for subset in combinations(range(len(self.axes)), size):
            shape = self._shape(subset)
            total, first = int(np.prod(shape)), 0
            while first < total:
                rows = min(room, total - first)
                choices = np.zeros((rows, len(self.axes)), np.intp)
                choices[:, subset] = np.stack(np.unravel_index(np.arange(first, first + rows), shape), axis=1) + 1
                batch.append((subset, first, choices))
                first, room = first + rows, room - rows
                if not room:
                    yield batch
                    batch, room = [], _BATCH
        if batch:
            yield batch

    def _evaluate(self, choices: NDArray[np.intp]) -> NDArray[np.float64]:
        columns: dict[str, Any] = {name: np.repeat(column, len(choices)) for name, column in self.base.items()}
        for j, axis in enumerate(self.axes):
            columns[axis.feature.name] = axis.entries[choices[:, j]]
        return probabilities(self.program, columns, rows=len(choices))
