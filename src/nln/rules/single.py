"""One row at a time, as a service decides: what depends on the program alone is prepared once.

A row is read here if it is a dictionary whose cells are plain floats, whole numbers, truth values, texts or None, of
features that hold such values as they are. Any other row is left to `read_columns`, which reads everything and says
what is wrong with a cell; the tests compare the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import EXACT_INTEGERS, MISSING, UNSEEN, holds_numbers
from nln.rules.condition import LOG_9, Condition, Interval, ValueCondition
from nln.rules.evaluate import make_plan, membership_table
from nln.rules.schema import Feature

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

Reader = Callable[[Any], float | int | None]
"""Turns a cell into a number or the index of a value; None for a cell that it leaves to others."""

Test = Callable[[Any, list[float]], float]
"""Computes the membership of a cell that was read; the numbers are those of all fuzzy boundaries."""


class SingleRows:
    """The probabilities of a program for one row at a time.

    On one row NumPy takes longer to be called than to calculate. So everything is plain arithmetic, in the order of
    `nln.rules.evaluate`, but for the exponentials of all fuzzy boundaries, which are taken together.
    """

    __slots__ = ("absent", "boundaries", "program", "readers", "rules", "tests")

    def __init__(self, program: LogicProgram) -> None:
        schema, plan = program.schema, make_plan(program)
        self.program = program
        self.readers = _readers([schema[name] for name in program.features_used])
        self.boundaries: list[tuple[str, float, float, float]] = []  # feature, value, width and slope
        self.tests = [(c.feature, self._test(c, schema[c.feature])) for c in plan.conditions] if self.readers else []
        asked = (crisp + fuzzy for crisp, fuzzy in zip(plan.crisp, plan.fuzzy, strict=True))
        self.rules = list(zip(plan.owners, plan.weights, asked, strict=True))
        self.absent: list[float] = plan.absent[:, 0].tolist()

    def probabilities(self, row: dict[str, Any]) -> NDArray[np.float64] | None:
        """Probability of each output, of shape (1, outputs); None if the row must be read in another way."""
        cells: dict[str, Any] = {}
        for name, read in self.readers.items():
            found = read(row[name]) if name in row else None
            if found is None:
                return None
            cells[name] = found
        if not cells:
            return None
        sides = self._sides(cells)
        held = [test(cells[name], sides) for name, test in self.tests]
        absent = self.absent.copy()
        for output, weight, asked in self.rules:
            value = 1.0
            for place in asked:
                value *= held[place]
            absent[output] *= 1.0 - weight * value
        return np.array([[1.0 - none for none in absent]])

    def _sides(self, cells: dict[str, Any]) -> list[float]:
        """Membership of the cells on the inner side of each fuzzy boundary."""
        if not self.boundaries:
            return []
        z = np.array([(cells[name] - value) / width * slope for name, value, width, slope in self.boundaries])
        with np.errstate(over="ignore"):  # the limit is 0
            np.exp(z, out=z)
        return [1.0 / (e + 1.0) for e in z.tolist()]

    def _test(self, condition: Condition, feature: Feature) -> Test:
        if isinstance(condition, ValueCondition) or not feature.is_numeric:
            table = membership_table(condition, feature).tolist()
            return lambda place, _: float(table[place])
        return partial(
            _union, [self._interval(condition.feature, one) for one in condition.intervals], condition.missing
        )

    def _interval(self, name: str, interval: Interval) -> tuple[float, float, list[int]]:
        """The crisp sides of an interval, and the numbers of its fuzzy ones."""
        sides, fuzzy = [-math.inf, math.inf], []
        for i, (end, slope) in enumerate(((interval.low, -LOG_9), (interval.high, LOG_9))):
            if end is not None and end.width:
                fuzzy.append(len(self.boundaries))
                self.boundaries.append((name, end.value, end.width, slope))
            elif end is not None:
                sides[i] = end.value
        return sides[0], sides[1], fuzzy


def _union(intervals: Sequence[tuple[float, float, list[int]]], missing: float, x: float, sides: list[float]) -> float:
    """Membership of a number in a union of intervals."""
    if x != x:  # noqa: PLR0124 - NaN is missing
        return missing
    result: float | None = None
    for low, high, fuzzy in intervals:
        inside = float(low <= x < high)
        for place in fuzzy:
            inside *= sides[place]
        result = inside if result is None else 1.0 - (1.0 - result) * (1.0 - inside)
    return result or 0.0


def _readers(features: Sequence[Feature]) -> dict[str, Reader]:
    """How the cells of each feature are read; nothing if those of some feature must be read in another way."""
    readers = {feature.name: _reader(feature) for feature in features}
    known = {name: read for name, read in readers.items() if read is not None}
    return known if len(known) == len(readers) else {}


def _reader(feature: Feature) -> Reader | None:
    """How cells of a feature are read; None if its cells are not taken as they are."""
    if feature.derived is not None or feature.reading is not None or feature.kind in ("periodic", "probability"):
        return None
    if feature.is_numeric:
        return _number
    places = {value: place for place, value in enumerate(feature.values)}
    numbers_only = holds_numbers(feature)

    def place(cell: Any) -> int | None:
        if cell is None:
            return MISSING
        kind = type(cell)
        if kind is str:
            return None if numbers_only else places.get(cell, UNSEEN)
        if kind is bool or _number(cell) is not None:
            return MISSING if cell != cell else places.get(cell, UNSEEN)  # noqa: PLR0124 - NaN is missing
        return None

    return place


def _number(cell: Any) -> float | None:
    """A plain number that a float holds exactly, NaN for None."""
    if cell is None:
        return math.nan
    kind = type(cell)
    if kind is float:
        return None if math.isinf(cell) else float(cell)
    return float(cell) if kind is int and -EXACT_INTEGERS < cell < EXACT_INTEGERS else None
