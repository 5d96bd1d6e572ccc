"""Conditions from their syntax trees: `x < 3 or 5 <= x < 8 or missing (0.6)`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from lark import Token

from nln.rules.circle import arc
from nln.rules.condition import Boundary, Condition, Interval, IntervalCondition, ValueCondition
from nln.rules.language.atoms import Atoms, Node
from nln.rules.language.words import spelled
from nln.rules.schema import Feature, Value

_RANGES = ("below", "above", "between")


@dataclass(slots=True)
class _Parts:
    """What the parts between the `or`s say together."""

    feature: Feature
    start: Token
    values: tuple[Value, ...] | None = None
    negated: bool = False
    intervals: list[Interval] = field(default_factory=list)
    missing: float | None = None


def condition_start(node: Node) -> Token:
    """Return the token that names a condition's feature first."""
    return _name_token(node.children[0])


def read_condition(node: Node, atoms: Atoms) -> Condition:
    """Build the condition of a `condition` node.

    Parameters
    ----------
    node : Tree
        Parts joined by `or`.
    atoms : Atoms
        Reads names and values.
    """
    start = condition_start(node)
    parts = _Parts(atoms.feature(start), start)
    for part in node.children:
        _read_part(part, parts, atoms)
    missing = parts.missing or 0.0
    with atoms.located(start):
        if parts.feature.kind == "periodic":  # an arc over 0 gives two intervals, which stand at the two ends
            parts.intervals.sort(key=lambda interval: -math.inf if interval.low is None else interval.low.value)
        if parts.feature.is_ordered:
            return IntervalCondition(parts.feature.name, tuple(parts.intervals), missing)
        return ValueCondition(parts.feature.name, parts.values or (), parts.negated, missing)


def _read_part(part: Any, parts: _Parts, atoms: Atoms) -> None:
    if part.data == "or_missing":
        _read_missing(part.children[0], parts, atoms)
        return
    token = _name_token(part)
    feature = atoms.feature(token)
    if feature.name != parts.feature.name:
        raise atoms.error(
            token, f"`or` joins parts about one feature; the first is about {parts.feature.name!r}. Write two rules."
        )
    if part.data == "missing":
        _read_missing(part.children[1], parts, atoms)
    elif feature.is_ordered:
        parts.intervals.extend(_read_intervals(part, feature, atoms))
    else:
        _read_values(part, parts, atoms)


def _read_missing(chance: Token | None, parts: _Parts, atoms: Atoms) -> None:
    if parts.missing is not None:
        raise atoms.error(parts.start, "This condition speaks of `missing` twice.")
    parts.missing = 1.0 if chance is None else atoms.probability(chance)


def _read_values(part: Node, parts: _Parts, atoms: Atoms) -> None:
    name, feature = _name_token(part), parts.feature
    if part.data in _RANGES:
        raise atoms.error(
            name, f"The {feature.kind} feature {feature.name!r} takes `=`, `!=`, `in {{...}}` or `not in {{...}}`."
        )
    if parts.values is not None:
        raise atoms.error(name, f"Join the values of {feature.name!r} into one set: `in {{...}}`.")
    tokens: list[Any] = part.children[1:]
    parts.values = tuple(atoms.category(token, feature) for token in tokens)
    parts.negated = part.data in ("unequal", "without", "known")


def _read_intervals(part: Any, feature: Feature, atoms: Atoms) -> tuple[Interval, ...]:
    name = _name_token(part)
    if part.data == "known":
        return (Interval(),)
    if part.data not in _RANGES:
        raise atoms.error(name, f"The {feature.kind} feature {feature.name!r} takes `<` or `>=`, not values.")
    bounds = part.children
    if _named_bound(part).children[1] is not None:
        raise atoms.error(name, "A width `±` belongs to a boundary, not to a feature.")
    low = {"below": None, "above": bounds[1], "between": bounds[0]}[part.data]
    high = {"below": bounds[1], "above": None, "between": bounds[-1]}[part.data]
    ends = _read_boundary(low, feature, atoms), _read_boundary(high, feature, atoms)
    with atoms.located(name):
        return (Interval(*ends),) if feature.period is None else _read_arc(*ends, feature.period)


def _read_arc(low: Boundary | None, high: Boundary | None, period: float) -> tuple[Interval, ...]:
    """Turn what the text says into intervals within the period; without an end, it is that of the period."""
    if any(end is not None and end.width for end in (low, high)):
        raise ValueError("The boundaries of a periodic feature are crisp: leave out `±`.")
    return arc(0.0 if low is None else low.value, period if high is None else high.value, period)


def _read_boundary(bound: Any, feature: Feature, atoms: Atoms) -> Boundary | None:
    if bound is None:
        return None
    token, width = bound.children
    if feature.is_numeric:
        with atoms.located(token):
            return Boundary(atoms.number(token), 0.0 if width is None else atoms.number(width))
    value = atoms.category(token, feature)
    if width is not None:
        raise atoms.error(width, f"The boundaries of the ordinal feature {feature.name!r} are crisp.")
    rank = feature.values.index(value)
    if rank == 0:
        name = spelled(feature.name)
        raise atoms.error(token, f"No value of {name} lies below this one. `{name} not missing` says any value.")
    return Boundary(float(rank))


def _named_bound(part: Any) -> Any:
    """Return the bound that holds the feature: the middle one of `low <= x < high`, else the left one."""
    return part.children[1 if part.data == "between" else 0]


def _name_token(part: Any) -> Token:
    named = _named_bound(part) if part.data in _RANGES else part
    token: Token = named.children[0]
    return token
