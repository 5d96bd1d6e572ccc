"""From a discretized network to the program that computes the same: modules become conditions.

Where the meaning changes, and how much:

- A module of an ordered feature that is used negatively (AND weight -1) says "not in any of these intervals". The rule
  language has no such condition, so the intervals between them take its place. For one interval this is the same to
  the last bit; for several it differs only within the fuzzy width of two boundaries at once.
- Boundaries that training has moved past each other enclose nothing that can be written; such an interval is dropped.
  Intervals that overlap become one.
- Neighbouring intervals stay two intervals here, with the dip to 3/4 that the OR of two fuzzy intervals has at their
  common boundary. Pruning joins them where the loss does not get larger.

All of this happens before pruning and coverage analysis, which see the rules as they will be written. Numbers are
rounded for readers at the end (`round_numbers`).
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np

from nln.learning.descent.boundaries import crisp_shape
from nln.learning.paper.coverage_analysis import Covered
from nln.learning.paper.network_state import NetworkState
from nln.learning.paper.pruning import Intervals, put_intervals, rule_intervals
from nln.learning.selection.to_condition import shape_intervals, value_condition
from nln.network.kernels.modules import ORDERED
from nln.network.layout import NetworkInput
from nln.rules import Boundary, Condition, Interval, IntervalCondition, LogicProgram, Rule, Schema
from nln.rules.condition import LOG_9
from nln.rules.rule import readable_probability
from nln.tables.encoding import Encoding


def to_rule_form(state: NetworkState) -> NetworkState:
    """Bring a discretized network, which is changed, into the form that rules can say."""
    state.settle_intervals()
    for j in np.flatnonzero(state.layout.kinds == ORDERED):
        for i in np.flatnonzero(state.weights.and_weights[j]):
            _write_positively(state, int(i), int(j))
    state.refresh()
    return state


def _write_positively(state: NetworkState, i: int, j: int) -> None:
    w, n = state.weights, int(state.layout.n_regular[j])
    intervals = writable(rule_intervals(state, i, j))
    if w.and_weights[j, i] < 0:
        intervals = between(intervals, n)
        w.and_weights[j, i] = 1.0
        missing = slice(state.or_weights(j).stop, int(state.layout.weight_offsets[j + 1]))
        w.or_weights[missing, i] = 1.0 - w.or_weights[missing, i]
    put_intervals(state, i, j, intervals)


def between(intervals: Intervals, n_intervals: int) -> Intervals:
    """Return the intervals that lie outside all of those given, neighbours taken as one."""
    ends = [0, *(end for interval in intervals for end in interval), n_intervals]
    return [(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True) if low < high]


def writable(intervals: Intervals) -> Intervals:
    """Leave out intervals whose ends have changed places, and join those that overlap; neighbours stay two."""
    kept: Intervals = []
    for low, high in intervals:
        if low >= high:
            continue
        if kept and low < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(high, kept[-1][1]))
        else:
            kept.append((low, high))
    return kept


def network_program(
    state: NetworkState, covered: Covered, inputs: NetworkInput, encoding: Encoding, schema: Schema, *, negation: bool
) -> LogicProgram:
    """Write a network that went through `to_rule_form` as a program, with its own numbers, not rounded."""
    outputs = schema.target.outputs
    conditions = {i: _conditions(state, i, inputs, encoding, negation) for i in np.unique(covered.rule).tolist()}
    rules = tuple(
        Rule(conditions[int(i)], outputs[int(k)], float(a))
        for i, k, a in zip(covered.rule, covered.output, covered.bias, strict=True)
    )
    return LogicProgram(schema, rules, tuple(covered.output_bias.tolist()), schema.target.default_thresholds)


def _conditions(
    state: NetworkState, i: int, inputs: NetworkInput, encoding: Encoding, negation: bool
) -> tuple[Condition, ...]:
    found: list[Condition] = []
    for j, slots in enumerate(encoding.slots):
        table = state.tables[i, state.slots(j)]
        if (table == 1.0).all():
            continue
        missing = float(np.clip(table[-1], 0.0, 1.0)) if slots.has_missing else 0.0
        if state.layout.kinds[j] == ORDERED:
            intervals = _fuzzy_intervals(state, i, j, inputs)
            found.append(IntervalCondition(slots.feature.name, intervals, missing))
        elif slots.is_ordered:
            ranks = shape_intervals(
                crisp_shape(table[: slots.n_known]), slots.lows[:, None], np.zeros((slots.n_known, 1))
            )
            found.append(IntervalCondition(slots.feature.name, ranks, missing))
        else:
            found.append(value_condition(slots, table, missing, negation=negation))
    return tuple(found)


def _fuzzy_intervals(state: NetworkState, i: int, j: int, inputs: NetworkInput) -> tuple[Interval, ...]:
    scale = inputs.scales[j]
    assert scale is not None  # the network lies over the ranges of its features
    origin, step = scale
    first, n = int(state.layout.dichotomy_offsets[j]), int(state.layout.n_regular[j])

    def boundary(d: int) -> Boundary | None:
        if d in (0, n):
            return None
        place, sharpness = state.weights.boundaries[first + d - 1], state.weights.sharpness[first + d - 1]
        return Boundary(origin + step * place, LOG_9 * step / sharpness)

    return tuple(Interval(boundary(low), boundary(high)) for low, high in rule_intervals(state, i, j))


def round_numbers(program: LogicProgram) -> LogicProgram:
    """Round for readers: probabilities to three decimals, boundaries to 1/50 of their width, widths to two digits."""
    rules = tuple(
        replace(
            rule,
            conditions=tuple(_rounded(condition) for condition in rule.conditions),
            weight=readable_probability(rule.weight),
        )
        for rule in program.rules
    )
    return replace(program, rules=rules, biases=tuple(readable_probability(o) for o in program.biases))


def _rounded(condition: Condition) -> Condition:
    missing = float(np.round(condition.missing, 3))
    if not isinstance(condition, IntervalCondition):
        return replace(condition, missing=missing)
    ends = [(_rounded_end(x.low), _rounded_end(x.high)) for x in condition.intervals]
    values = [end.value for pair in ends for end in pair if end is not None]
    if any(a > b for a, b in pairwise(values)) or any(a and b and a.value == b.value for a, b in ends):
        return replace(condition, missing=missing)  # boundaries too close together to be rounded
    return replace(condition, intervals=tuple(Interval(a, b) for a, b in ends), missing=missing)


def _rounded_end(end: Boundary | None) -> Boundary | None:
    if end is None or not end.width:
        return end
    digits = math.ceil(-math.log10(end.width / 50))
    return Boundary(round(end.value, digits), float(f"{end.width:.1e}"))
