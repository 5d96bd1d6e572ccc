"""Conditions of crisp tables of values, and of boundaries."""

from __future__ import annotations

import numpy as np

from nln.learning.descent.boundaries import Shape
from nln.rules import Boundary, Interval, ValueCondition
from nln.tables.encoding import Floats, Slots


def value_condition(slots: Slots, table: Floats, missing: float, *, negation: bool) -> ValueCondition:
    """Condition that lists the values of a crisp table or, where that is shorter and allowed, its exceptions."""
    inside = table[: slots.n_known] > 0.5
    shorter = 2 * int(inside.sum()) > len(inside) and (negation or bool(inside.all()))
    negated = bool(table[slots.n_known] > 0.5) if slots.has_other else shorter
    listed = slots.values[~inside if negated else inside]
    return ValueCondition(slots.feature.name, tuple(slots.feature.values[v] for v in listed), negated, missing)


def shape_intervals(shape: Shape, values: Floats, widths: Floats) -> tuple[Interval, ...]:
    """Intervals of a shape, whose boundaries below each bin have values and widths for each rung of the ladder."""
    places, reach = values[shape.cuts, shape.levels], widths[shape.cuts, shape.levels]
    if (np.diff(places) <= 0).any():  # two fuzzy boundaries that were moved to one short number
        places = values[shape.cuts, 0]
    found = [Boundary(float(place), float(width)) for place, width in zip(places, reach, strict=True)]
    return pair_ends([None, *found] if shape.starts_inside else [*found])


def pair_ends(ends: list[Boundary | None]) -> tuple[Interval, ...]:
    """Intervals from their ends in turn; the last one may be open."""
    ends = [*ends, None] if len(ends) % 2 else ends
    return tuple(Interval(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True))
