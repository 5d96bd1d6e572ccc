"""From a program to a draft: the inverse of `nln.learning.selection.to_program.to_program`.

Training can go on from rules that somebody wrote or that were learned before. An encoding made with `named_places` has
a bin edge at each of their boundaries and a slot for each of their values, so nothing is lost where training rows can
tell the difference; `pin_boundaries` keeps the numbers as they are written.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nln.learning.descent.boundaries import FeatureBoundaries, Shape
from nln.learning.descent.soften import Shapes
from nln.learning.draft import Draft
from nln.rules import Condition, IntervalCondition, LogicProgram, ValueCondition, membership
from nln.rules.cells import MISSING, UNSEEN, Column
from nln.rules.schema import Value
from nln.tables.encoding import Encoding, Floats, Slots


def named_places(program: LogicProgram | None) -> dict[str, tuple[Value, ...]]:
    """Values and boundaries that a program names, by feature: what its encoding must tell apart."""
    found: dict[str, set[Value]] = {}
    for condition in (c for rule in (program.rules if program else ()) for c in rule.conditions):
        places = found.setdefault(condition.feature, set())
        if isinstance(condition, ValueCondition):
            places.update(condition.values)
        else:
            places.update(boundary.value for boundary in condition.boundaries)
    return {name: tuple(places) for name, places in found.items()}


def pin_boundaries(
    program: LogicProgram, encoding: Encoding, boundaries: dict[int, FeatureBoundaries]
) -> dict[int, FeatureBoundaries]:
    """Put the program's numbers in the place of boundaries that the training rows cannot tell from them.

    If several numbers lie in one gap between values, the first one counts.
    """
    pinned = dict(boundaries)
    for j, offered in boundaries.items():
        slots = encoding.slots[j]
        values, penalties, taken = offered.values.copy(), offered.penalties.copy(), set[int]()
        for condition in _conditions(program, slots.feature.name):
            for number in (b.value for b in condition.boundaries):
                cut = int(np.searchsorted(slots.lows, number))
                if 0 < cut < slots.n_known and cut not in taken and slots.highs[cut - 1] < number:
                    taken.add(cut)
                    values[cut], penalties[cut] = number, 0.0
        if taken:
            pinned[j] = replace(offered, values=values, penalties=penalties)
    return pinned


def from_program(
    program: LogicProgram, encoding: Encoding, boundaries: dict[int, FeatureBoundaries]
) -> tuple[Draft, Shapes]:
    """Write a program's rules as a draft: memberships at the centre of a bin, at a value, for a missing value.

    The shapes hold the boundaries of each ordered condition: the cut between the same training rows, with the nearest
    rung of widths. A boundary beyond all training rows has no cut.
    """
    outputs = program.schema.target.outputs
    place = {slots.feature.name: j for j, slots in enumerate(encoding.slots)}
    tables, shapes = np.ones((program.n_rules, encoding.n_slots)), {}
    for i, rule in enumerate(program.rules):
        for condition in rule.conditions:
            j = place[condition.feature]
            slots = encoding.slots[j]
            tables[i, encoding.offsets[j] : encoding.offsets[j + 1]] = slot_memberships(condition, slots)
            if isinstance(condition, IntervalCondition) and condition.intervals:
                shapes[i, j] = _shape(condition, slots, boundaries[j])
    bias = np.array([rule.probability for rule in program.rules], np.float64)
    output = np.array([outputs.index(rule.label) for rule in program.rules], np.int64)
    return Draft(tables, bias, output, np.array(program.biases, np.float64)), shapes


def slot_memberships(condition: Condition, slots: Slots) -> Floats:
    """How far each slot of a feature satisfies a condition, (slots,)."""
    missing = [np.nan if slots.feature.is_numeric else MISSING] * slots.has_missing
    known = slots.centers if slots.is_ordered else slots.values
    entries = [*known.tolist(), *[UNSEEN] * slots.has_other, *missing]
    column: Column = np.array(entries, np.float64) if slots.feature.is_numeric else np.array(entries, np.int32)
    return membership(condition, column, slots.feature)


def _conditions(program: LogicProgram, feature: str) -> list[IntervalCondition]:
    found = (c for rule in program.rules for c in rule.conditions if c.feature == feature)
    return [c for c in found if isinstance(c, IntervalCondition)]


def _shape(condition: IntervalCondition, slots: Slots, offered: FeatureBoundaries) -> Shape:
    inside = condition.intervals[0].low is None
    cuts: list[int] = []
    levels: list[int] = []
    for boundary in condition.boundaries:
        cut = int(np.searchsorted(slots.lows, boundary.value))
        if cut == 0:
            inside = not inside
        elif cuts and cuts[-1] == cut:  # nothing between two boundaries
            cuts.pop()
            levels.pop()
        elif cut < slots.n_known:
            cuts.append(cut)
            levels.append(int(np.argmin(np.abs(offered.widths[cut] - boundary.width))))
    return Shape(np.array(cuts, np.int64), np.array(levels, np.int64), inside)
