"""From a program to a draft: the inverse of `nln.learning.selection.to_program.to_program`.

Training can go on from rules that somebody wrote or that were learned before. An encoding made with `named_places` has
a bin edge at each of their boundaries and a slot for each of their values, so nothing is lost where training rows can
tell the difference; `pin_boundaries` keeps the numbers as they are written.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from nln.learning.descent.kernels.shapes import Axis, Shape
from nln.learning.descent.soften import Shapes
from nln.learning.draft import Draft
from nln.rules import Condition, IntervalCondition, LogicProgram, Schema, ValueCondition, membership
from nln.rules.columns import MISSING, UNSEEN, Column
from nln.rules.schema import Value
from nln.tables.encoding import Encoding, Floats, Slots


def adopt(given: LogicProgram | str, schema: Schema, columns: Collection[str] = ()) -> LogicProgram:
    """Read given rules as rules over the schema of a table.

    Parameters
    ----------
    given : LogicProgram or str
        A program over any schema, or the text of one.
    schema : Schema
        Features and target of the table.
    columns : collection of str
        All columns of the table: one that is not in the schema has no two different values.

    Raises
    ------
    ValueError
        If a rule names a column, a value or a label that the table does not have.
    """
    if isinstance(given, str):
        return LogicProgram.parse(given, schema=schema)
    for name in given.features_used:
        if name in columns and name not in schema.names:
            raise ValueError(f"initial_program asks about {name!r}, which has no two different values in X.")
        feature = given.schema[name]
        if feature.kind == "ordinal" and name in schema.names and schema[name].values != feature.values:
            raise ValueError(
                f"initial_program knows the ordinal feature {name!r} with the values {feature.values!r}, X with "
                f"{schema[name].values!r}; list them in feature_types."
            )
    biases = (0.0,) * len(schema.target.outputs)
    rules = tuple(replace(rule, coverage=None) for rule in given.rules)
    try:
        return LogicProgram(schema, rules, biases, schema.target.default_thresholds)
    except ValueError as error:
        raise ValueError(f"initial_program does not fit the table. {error}") from error


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


def pin_boundaries(program: LogicProgram, encoding: Encoding, axes: dict[int, Axis]) -> dict[int, Axis]:
    """Axes whose boundaries are the program's numbers wherever the training rows cannot tell them from their own.

    Parameters
    ----------
    program : LogicProgram
        Rules over the encoding's features. Of several numbers in one gap between values the first counts.
    encoding : Encoding
        The features' slots.
    axes : dict of int to Axis
        Boundaries that the features offer.
    """
    pinned = dict(axes)
    for j, axis in axes.items():
        slots = encoding.slots[j]
        values, penalties, taken = axis.values.copy(), axis.penalties.copy(), set[int]()
        for condition in _conditions(program, slots.feature.name):
            for number in (b.value for b in condition.boundaries):
                cut = int(np.searchsorted(slots.lows, number))
                if 0 < cut < slots.n_known and cut not in taken and slots.highs[cut - 1] < number:
                    taken.add(cut)
                    values[cut], penalties[cut] = number, 0.0
        if taken:
            pinned[j] = replace(axis, values=values, penalties=penalties)
    return pinned


def from_program(program: LogicProgram, encoding: Encoding, axes: dict[int, Axis]) -> tuple[Draft, Shapes]:
    """Write a program's rules as tables.

    Parameters
    ----------
    program : LogicProgram
        Rules over the encoding's features.
    encoding : Encoding
        The features' slots.
    axes : dict of int to Axis
        Boundaries that the ordered features offer.

    Returns
    -------
    draft : Draft
        Memberships of each rule at the slots: at the centre of a bin, at a value, for a missing value.
    shapes : dict
        Boundaries of each ordered condition: the cut between the same training rows and the nearest rung of widths.
        A boundary beyond all training rows has none.
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
                shapes[i, j] = _shape(condition, slots, axes[j])
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


def _shape(condition: IntervalCondition, slots: Slots, axis: Axis) -> Shape:
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
            levels.append(int(np.argmin(np.abs(axis.widths[cut] - boundary.width))))
    return Shape(np.array(cuts, np.int64), np.array(levels, np.int64), inside)
