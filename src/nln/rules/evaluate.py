"""The meaning of a program: memberships of conditions and rules, probabilities of labels.

A rule's membership is the product of its conditions' memberships, and `P(label) = 1 - (1 - o) prod_i (1 - a_i r_i)`
over the rules of the label. Rows are evaluated in chunks that fit the processor's cache, each distinct condition is
computed once per chunk, and crisp conditions remain masks of one byte per row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import Column
from nln.rules.condition import (
    LOG_9,
    Boundary,
    Condition,
    Interval,
    IntervalCondition,
    ValueCondition,
    chosen,
    is_crisp,
)
from nln.rules.schema import Feature, Value

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

CHUNK = 16_384
"""Rows evaluated at a time."""

Membership: TypeAlias = NDArray[Any]
"""A mask if every membership is 0 or 1, else numbers in [0, 1]."""


def membership(condition: Condition, column: Column, feature: Feature) -> NDArray[np.float64]:
    """Compute how far each row satisfies one condition.

    Parameters
    ----------
    condition : ValueCondition or IntervalCondition
        What is asked.
    column : array of shape (rows,)
        The feature's column as `read_columns` gives it.
    feature : Feature
        The feature asked about.

    Returns
    -------
    array of shape (rows,)
        Numbers in [0, 1].

    Examples
    --------
    >>> below = IntervalCondition("x", (Interval(high=Boundary(3.0)),), missing=0.25)
    >>> membership(below, np.array([2.0, 3.0, np.nan]), Feature("x", "continuous"))
    array([1.  , 0.  , 0.25])
    """
    return _prepared(condition, feature)(column).astype(np.float64, copy=False)


def memberships(
    program: LogicProgram, columns: Mapping[str, Column], *, rows: int | None = None
) -> NDArray[np.float64]:
    """Compute how far each row satisfies the conditions of each rule; the rules' weights do not matter.

    Parameters
    ----------
    program : LogicProgram
        The rules.
    columns : mapping of str to array
        The columns of the features used, as `read_columns` gives them.
    rows : int, default=None
        Number of rows; needed if there are no columns, as for a program whose rules have no conditions.

    Returns
    -------
    array of shape (rows, rules)
        Numbers in [0, 1].
    """
    result = np.zeros((_count(columns, rows), len(program.rules)))
    for window, fired in _chunks(make_plan(program), columns, len(result)):
        for i, value in fired:
            result[window, i] = value
    return result


def probabilities(
    program: LogicProgram, columns: Mapping[str, Column], *, rows: int | None = None
) -> NDArray[np.float64]:
    """Compute the probability of each output for each row.

    Parameters
    ----------
    program : LogicProgram
        The rules.
    columns : mapping of str to array
        The columns of the features used, as `read_columns` gives them.
    rows : int, default=None
        Number of rows; needed if there are no columns, as for a program whose rules have no conditions.

    Returns
    -------
    array of shape (rows, outputs)
        `1 - (1 - o_k) prod_i (1 - a_i r_i)`, in the order of `program.schema.target.outputs`.
    """
    plan = make_plan(program)
    result = np.empty((_count(columns, rows), len(plan.absent)))
    for window, fired in _chunks(plan, columns, len(result)):
        absent = plan.absent.repeat(len(result[window]), axis=1)
        for i, value in fired:
            weight, own = plan.weights[i], absent[plan.owners[i]]
            if value.dtype == np.bool_:
                np.multiply(own, 1.0 - weight, out=own, where=value)
            else:
                own *= 1.0 - weight * value
        np.subtract(1.0, absent.T, out=result[window])
    return result


def combine(program: LogicProgram, fired: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability of each output, (rows, outputs), from the memberships of the rules, (rows, rules)."""
    outputs = program.schema.target.outputs
    absent = np.repeat(1.0 - np.array(program.biases)[:, None], len(fired), axis=1)
    for i, rule in enumerate(program.rules):
        absent[outputs.index(rule.label)] *= 1.0 - rule.weight * fired[:, i]
    return np.ascontiguousarray(1.0 - absent.T)


@dataclass(frozen=True, slots=True)
class Plan:
    """What depends on a program alone: its distinct conditions, and for each rule which are its crisp and fuzzy ones.

    Crisp conditions come first because they are cheap and may end the rule early. The order never depends on the rows,
    so a row gets the same number alone as in a large table.
    """

    conditions: tuple[Condition, ...]
    tests: tuple[Callable[[Column], Membership], ...]  # what computes the memberships of each condition
    crisp: tuple[tuple[int, ...], ...]
    fuzzy: tuple[tuple[int, ...], ...]
    owners: tuple[int, ...]  # place of each rule's output
    weights: tuple[float, ...]  # of the rules
    absent: NDArray[np.float64]  # (outputs, 1): how likely each output is absent before any rule


def make_plan(program: LogicProgram) -> Plan:
    """Prepare a program for many evaluations."""
    schema, outputs = program.schema, program.schema.target.outputs
    places: dict[Condition, int] = {}
    for rule in program.rules:
        for condition in rule.conditions:
            places.setdefault(condition, len(places))
    tests = tuple(_prepared(c, schema[c.feature]) for c in places)
    masks = {c for c in places if is_crisp(c, schema[c.feature])}
    crisp = tuple(tuple(places[c] for c in rule.conditions if c in masks) for rule in program.rules)
    fuzzy = tuple(tuple(places[c] for c in rule.conditions if c not in masks) for rule in program.rules)
    owners = tuple(outputs.index(rule.label) for rule in program.rules)
    weights = tuple(rule.weight for rule in program.rules)
    return Plan(tuple(places), tests, crisp, fuzzy, owners, weights, 1.0 - np.array(program.biases)[:, None])


def _fire(plan: Plan, part: Mapping[str, Column], size: int) -> Iterator[tuple[int, Membership]]:
    """Yield the number and the memberships of each rule that some row of the chunk may satisfy."""
    done: dict[int, Membership] = {}

    def compute(place: int) -> Any:
        if place not in done:
            done[place] = plan.tests[place](part[plan.conditions[place].feature])
        return done[place]

    for i, (crisp, fuzzy) in enumerate(zip(plan.crisp, plan.fuzzy, strict=True)):
        truth: Any = None
        for place in crisp:
            truth = compute(place) if truth is None else truth & compute(place)
            if not truth.any():
                break
        else:
            value: Any = np.ones(size, np.bool_) if truth is None else truth
            for place in fuzzy:
                value = value * compute(place)
            yield i, value


def _chunks(
    plan: Plan, columns: Mapping[str, Column], rows: int
) -> Iterator[tuple[slice, Iterator[tuple[int, Membership]]]]:
    """Yield chunks of rows, each with what `_fire` finds there."""
    for start in range(0, rows, CHUNK):
        window = slice(start, min(start + CHUNK, rows))
        part = {name: column[window] for name, column in columns.items()}
        yield window, _fire(plan, part, window.stop - start)


def _count(columns: Mapping[str, Column], rows: int | None) -> int:
    if rows is not None:
        return rows
    if not columns:
        raise ValueError("The number of rows is unknown without columns: give `rows`.")
    return len(next(iter(columns.values())))


def _prepared(condition: Condition, feature: Feature) -> Callable[[Column], Membership]:
    if isinstance(condition, ValueCondition) and feature.kind == "probability":
        return partial(_likely, chosen(condition, feature), condition.missing)
    if isinstance(condition, ValueCondition) or not feature.is_numeric:
        return membership_table(condition, feature).__getitem__
    return partial(_crisp_union if condition.is_crisp else _fuzzy_union, condition)


def _likely(values: tuple[Value, ...], missing: float, p: NDArray[np.float64]) -> Membership:
    """Compute the probability of one of the values, where `p` is the probability of the value 1."""
    if len(values) == 1:
        return np.where(np.isnan(p), missing, p if values == (1,) else 1.0 - p)
    result = np.where(np.isnan(p), missing, float(bool(values)))
    return result.astype(np.bool_) if missing in (0.0, 1.0) else result


def membership_table(condition: Condition, feature: Feature) -> Membership:
    """Return the membership of each value's index; the last two places are the indices -2 (unseen) and -1 (missing)."""
    if isinstance(condition, ValueCondition):
        known = set(chosen(condition, feature))
        inside, unseen = [value in known for value in feature.values], condition.negated
    else:
        ranks = np.arange(len(feature.values), dtype=np.float64)
        inside, unseen = _crisp_union(condition, ranks).tolist(), False
    return np.array([*inside, unseen, condition.missing], np.bool_ if condition.is_crisp else np.float64)


def _crisp_union(condition: IntervalCondition, x: NDArray[np.float64]) -> NDArray[np.bool_]:
    inside = np.isnan(x) if condition.missing else np.zeros(len(x), np.bool_)
    for interval in condition.intervals:
        inside |= _crisp_interval(interval, x)
    return inside


def _crisp_interval(interval: Interval, x: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Compare; a comparison with NaN is false, as it should be: a missing value lies in no interval."""
    low, high = interval.low, interval.high
    inside: NDArray[np.bool_]
    if low is None:
        inside = ~np.isnan(x) if high is None else x < high.value
    elif high is None:
        inside = x >= low.value
    else:
        inside = (x >= low.value) & (x < high.value)
    return inside


def _fuzzy_union(condition: IntervalCondition, x: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] | None = None
    for interval in condition.intervals:
        inside = _fuzzy_interval(interval, x)
        result = inside if result is None else 1.0 - (1.0 - result) * (1.0 - inside)
    if result is None:
        result = np.zeros(len(x))
    np.copyto(result, condition.missing, where=np.isnan(x))
    return result


def _fuzzy_interval(interval: Interval, x: NDArray[np.float64]) -> NDArray[np.float64]:
    if interval.is_crisp:
        return _crisp_interval(interval, x).astype(np.float64)
    low, high = interval.low, interval.high
    sides: list[Membership] = []
    if low is not None:
        sides.append(_sigmoid(low, x, -LOG_9) if low.width else x >= low.value)
    if high is not None:
        sides.append(_sigmoid(high, x, LOG_9) if high.width else x < high.value)
    return sides[0] if len(sides) == 1 else sides[0] * sides[1]


def _sigmoid(boundary: Boundary, x: NDArray[np.float64], slope: float) -> NDArray[np.float64]:
    """Compute `1 / (1 + exp(slope (x - value) / width))`; where `exp` overflows, the result is 0, the right limit."""
    with np.errstate(over="ignore"):
        z = x - boundary.value
        z /= boundary.width
        z *= slope
        np.exp(z, out=z)
        z += 1.0
        return np.reciprocal(z, out=z)
