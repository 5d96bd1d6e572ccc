"""From a draft to the program people read: tables become conditions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from nln.learning.descent.boundaries import FeatureBoundaries, Shape, crisp_shape
from nln.learning.learn import Learned
from nln.learning.selection.dial import Stage
from nln.learning.selection.to_condition import pair_ends, shape_intervals, value_condition
from nln.rules import Boundary, Condition, Interval, IntervalCondition, LogicProgram, Rule, Schema, ValueCondition
from nln.rules.rule import readable_probability
from nln.tables.encoding import Floats, Slots

FADED = 1e-3
"""A rule whose weight is lower is not written: others took over its rows when the biases were fitted last."""


def to_program(stage: Stage, learned: Learned, schema: Schema) -> LogicProgram:
    """Write the rules of a stage as a program."""
    draft, encoding, outputs, rules = stage.draft, learned.encoding, schema.target.outputs, []
    for rule, bias in zip(learned.fixed, draft.bias, strict=False):
        rules.append(replace(rule, weight=readable_probability(bias)))
    for i in range(draft.n_fixed, draft.n_rules):
        if draft.bias[i] < FADED:
            continue
        conditions = []
        for j, slots in enumerate(encoding.slots):
            table = draft.tables[i, encoding.offsets[j] : encoding.offsets[j + 1]]
            if (table != 1.0).any():
                conditions.append(_condition(slots, table, j, stage.shapes.get((i, j)), learned))
        starts = None if stage.found is None else (int(stage.found[i]), len(learned.networks))
        label, weight = outputs[draft.output[i]], readable_probability(draft.bias[i])
        rules.append(Rule(tuple(conditions), label, weight, starts=starts))
    biases = tuple(readable_probability(o) for o in draft.output_bias)
    return LogicProgram(schema, tuple(rules), biases, schema.target.default_thresholds).simplify()


def _condition(slots: Slots, table: Floats, j: int, shape: Shape | None, learned: Learned) -> Condition:
    missing = float(np.round(table[-1], 3)) if slots.has_missing else 0.0
    known = table[: slots.n_known]
    if slots.is_ordered:
        offered, intervals = learned.boundaries[j], tuple[Interval, ...]()
        if offered.is_circle:
            intervals = _arcs(offered, known > 0.5)
        elif (known != 0.0).any():
            intervals = shape_intervals(shape or crisp_shape(known), offered.values, offered.widths)
        return IntervalCondition(slots.feature.name, intervals, missing)
    if slots.feature.kind == "probability":
        return _chance(slots, known, missing)
    return value_condition(slots, table, missing, negation=learned.negation)


def _arcs(offered: FeatureBoundaries, inside: npt.NDArray[np.bool_]) -> tuple[Interval, ...]:
    """Cut the arcs of a circle of bins at 0, where an open end stands for the boundary."""
    cuts = np.flatnonzero(inside != np.roll(inside, 1))
    cuts = cuts[np.argsort(offered.values[cuts, 0], kind="stable")]
    if not len(cuts):
        return (Interval(),) if inside[0] else ()
    places = offered.values[cuts, 0].tolist()
    ends: list[Boundary | None] = [Boundary(place) if place > 0 else None for place in places]
    if not inside[cuts[0]]:  # the first boundary ends an arc that goes on from the end of the circle
        ends.insert(0, None)
    return tuple(x for x in pair_ends(ends) if x.low is not None or x.high is not None)


def _chance(slots: Slots, known: Floats, missing: float) -> ValueCondition:
    """Say which value of a probability a table asks for: the nearest of those that the descent puts in."""
    name, p = slots.feature.name, slots.centers
    asked = [
        (ValueCondition(name, (1,), missing=missing), p),
        (ValueCondition(name, (0,), missing=missing), 1.0 - p),
        (ValueCondition(name, (), negated=True, missing=missing), np.ones_like(p)),
        (ValueCondition(name, (), missing=missing), np.zeros_like(p)),
    ]
    return min(asked, key=lambda choice: float(np.abs(choice[1] - known).sum()))[0]
