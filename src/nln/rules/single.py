"""One row at a time, as a service decides: what depends on the program alone is prepared once.

A row is read here if it is a dictionary whose cells are plain floats, whole numbers, truth values, texts or None, of
features that hold such values as they are. Any other row is left to `read_columns`, which reads everything and says
what is wrong with a cell; the tests compare the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import EXACT_INTEGERS, MISSING, UNSEEN, Column, holds_numbers
from nln.rules.evaluate import make_plan, probabilities
from nln.rules.schema import Feature

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

Reader = Callable[[Any], float | None]
"""Turns a cell into a number or the index of a value; None for a cell that it leaves to others."""


class SingleRows:
    """The probabilities of a program for one row at a time."""

    __slots__ = ("plan", "program", "readers")

    def __init__(self, program: LogicProgram) -> None:
        used = [program.schema[name] for name in program.features_used]
        self.program = program
        self.plan = make_plan(program)
        readers = {feature.name: (_reader(feature), _type(feature)) for feature in used}
        self.readers = {name: (read, kind) for name, (read, kind) in readers.items() if read is not None}
        if len(self.readers) < len(readers):  # every row goes the other way
            self.readers = {}

    def probabilities(self, row: dict[str, Any]) -> NDArray[np.float64] | None:
        """Probability of each output, of shape (1, outputs); None if the row must be read in another way."""
        columns: dict[str, Column] = {}
        for name, (read, kind) in self.readers.items():
            found = read(row[name]) if name in row else None
            if found is None:
                return None
            columns[name] = np.array((found,), kind)
        return probabilities(self.program, columns, plan=self.plan) if columns else None


def _type(feature: Feature) -> Any:
    return np.float64 if feature.is_numeric else np.int32


def _reader(feature: Feature) -> Reader | None:
    """How cells of a feature are read; None if its cells are not taken as they are."""
    if feature.derived is not None or feature.reading is not None or feature.kind in ("periodic", "probability"):
        return None
    if feature.is_numeric:
        return _number
    places = {value: float(place) for place, value in enumerate(feature.values)}
    numbers_only = holds_numbers(feature)

    def place(cell: Any) -> float | None:
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
