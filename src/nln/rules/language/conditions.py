"""From text to conditions: what each part says about its feature, and what the parts say together."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from lark import Token

from nln.rules.condition import Boundary, Condition, Interval, IntervalCondition, ValueCondition, opposite
from nln.rules.derived.child_count import ChildCount
from nln.rules.derived.count import Count
from nln.rules.derived.make import child_count_of, count_of, derived_feature
from nln.rules.derived.rounding import just_after
from nln.rules.derived.same import Same
from nln.rules.language.comparisons import (
    read_comparison,
    read_range,
    read_subject,
    read_whole,
    takes_expression,
)
from nln.rules.language.tokens import TokenReader, first_token
from nln.rules.language.words import spelled
from nln.rules.schema import Feature, Value

_SAME = {"same": (True,), "different": (False,), "same_known": (), "same_missing": ()}


@dataclass(slots=True)
class _Part:
    """What one part of a condition says."""

    feature: Feature
    intervals: tuple[Interval, ...] = ()
    values: tuple[Value, ...] | None = None
    negated: bool = False
    missing: float | None = None


@dataclass(slots=True)
class _Parts:
    """What the parts of a condition, joined by `or`, say together."""

    feature: Feature
    start: Token
    values: tuple[Value, ...] | None = None
    negated: bool = False
    intervals: list[Interval] = field(default_factory=list)
    missing: float | None = None


def read_condition(node: Any, reader: TokenReader) -> Condition:
    """Read one condition: `x < 3 or 5 <= x < 8 or missing (0.6)`."""
    found: _Parts | None = None
    for part in node.children:
        if part.data == "or_missing":
            assert found is not None
            _add_missing(_chance(part.children[0], reader), found, reader)
            continue
        said = _read_part(part, reader)
        token = _subject_token(part)
        found = found or _Parts(said.feature, token)
        if said.feature.name != found.feature.name:
            raise reader.error(
                token,
                f"`or` joins parts about one feature; the first is about {found.feature.name!r}. Write two rules.",
            )
        _add(said, found, token, reader)
    assert found is not None
    return _joined(found, reader)


def _joined(parts: _Parts, reader: TokenReader) -> Condition:
    feature, missing = parts.feature, parts.missing or 0.0
    with reader.pointing_at(parts.start):
        if isinstance(feature.derived, Count | ChildCount) and missing:
            raise ValueError("A count is never missing: a missing value is not counted. Leave out `or missing`.")
        if feature.kind == "periodic" or feature.derived is not None:
            # An arc over 0 gives two intervals, which stand at the two ends; the text may mirror an expression.
            parts.intervals.sort(key=lambda interval: -math.inf if interval.low is None else interval.low.value)
        if feature.is_ordered:
            return IntervalCondition(feature.name, tuple(parts.intervals), missing)
        return ValueCondition(feature.name, parts.values or (), parts.negated, missing)


def _add(said: _Part, parts: _Parts, token: Token, reader: TokenReader) -> None:
    parts.intervals.extend(said.intervals)
    if said.missing is not None:
        _add_missing(said.missing, parts, reader)
    if said.values is None:
        return
    if parts.values is not None:
        raise reader.error(token, f"Join the values of {said.feature.name!r} into one set: `in {{...}}`.")
    parts.values, parts.negated = said.values, said.negated


def _add_missing(chance: float, parts: _Parts, reader: TokenReader) -> None:
    if parts.missing is not None:
        raise reader.error(parts.start, "This condition names `missing` twice. Leave one out.")
    parts.missing = chance


def _chance(token: Token | None, reader: TokenReader) -> float:
    return 1.0 if token is None else reader.probability(token)


def _read_part(part: Any, reader: TokenReader) -> _Part:
    if part.data == "range":
        return _Part(*read_range(part, reader))
    if part.data in _SAME:
        return _read_same(part, reader)
    if part.data in ("number_of", "numbers_of"):
        return _read_count(part, reader)
    if part.data in ("some_rows", "number_of_rows", "numbers_of_rows"):
        return _read_rows(part, reader)
    return _read_equality(part, reader) or _read_named(part, reader)


def _read_equality(part: Any, reader: TokenReader) -> _Part | None:
    """Read `x = y` and `x - y = 3`, or the same with `!=`; None if the part is not about arithmetic."""
    if part.data not in ("equal", "unequal") or not takes_expression(part.children[0], reader):
        return None
    (subject, other), is_equal = part.children, part.data == "equal"
    if takes_expression(other, reader):
        return _Part(*read_comparison(subject, other, "=" if is_equal else "!=", reader))
    return (
        None if isinstance(subject, Token) else _Part(*read_subject(subject, _exact(other, is_equal, reader), reader))
    )


def _read_named(part: Any, reader: TokenReader) -> _Part:
    feature, whole_axis = read_subject(part.children[0], (Interval(),), reader)
    if part.data == "missing":
        return _Part(feature, missing=_chance(part.children[1], reader))
    if not feature.is_ordered:
        return _read_values(part, feature, reader)
    return _Part(feature, whole_axis if part.data == "known" else _read_whole_values(part, feature, reader))


def _exact(token: Any, equal: bool, reader: TokenReader) -> tuple[Interval, ...]:
    """Return the region of one number, or of all others."""
    value = reader.number(token)
    low, high = Boundary(value), Boundary(just_after(value))
    return (Interval(low, high),) if equal else (Interval(None, low), Interval(high, None))


def _read_values(part: Any, feature: Feature, reader: TokenReader) -> _Part:
    if part.data in ("inside", "outside"):
        raise reader.error(
            _subject_token(part),
            f"The {feature.kind} feature {feature.name!r} takes `=`, `!=`, `in {{...}}` or `not in {{...}}`.",
        )
    values = tuple(reader.category(token, feature) for token in part.children[1:])
    return _Part(feature, values=values, negated=part.data in ("unequal", "without", "known"))


def _read_same(part: Any, reader: TokenReader) -> _Part:
    """Read `a1 is a2`, `a1 is not a2`."""
    names = part.children[:2]
    for node in names:
        if not isinstance(node, Token):
            raise reader.error(first_token(node), "`is` compares two columns of values. Compare expressions by `=`.")
    token = names[0]
    with reader.pointing_at(token):
        one, other = (reader.feature(node).name for node in names)
        feature = derived_feature(Same((one, other)))
    feature = reader.derived(feature, token)
    if part.data == "same_missing":
        return _Part(feature, missing=_chance(part.children[2], reader))
    return _Part(feature, values=_SAME[part.data], negated=part.data == "same_known")


def _read_count(part: Any, reader: TokenReader) -> _Part:
    """Read `at least 2 of {...}`, `2 to 3 of {...}`."""
    *how, members = part.children
    token = how[0]
    conditions = [read_condition(member, reader) for member in members.children]
    with reader.pointing_at(first_token(members)):
        count = count_of(conditions, reader.features)
    feature = reader.derived(derived_feature(count), token)
    most = len(conditions)
    if part.data == "numbers_of":
        low, high = (reader.count(each) for each in how)
    else:
        number = reader.count(how[1])
        kind = str(how[0]).casefold().split()[-1]
        low, high = {"least": (number, most), "most": (0, number)}.get(kind, (number, number))
    if low == most + 1 and high == most:  # no count is as large: the condition never holds
        return _Part(feature)
    if not 0 <= low <= high <= most:
        raise reader.error(how[-1], f"Of {most} members, 0 to {most} can hold, the lower number first.")
    ends = Boundary(float(low)) if low else None, Boundary(high + 1.0) if high < most else None
    return _Part(feature, (Interval(*ends),))


def _read_rows(part: Any, reader: TokenReader) -> _Part:
    """Read `some visits (...)`, `no visits (...)`, `all visits (...)`, `at least 2 visits (...)`, `2 to 3 visits`."""
    *how, children = part.children
    quantifier = str(how[0]).casefold()
    count = read_child_count(children, reader, every=quantifier == "all")
    feature = reader.derived(derived_feature(count), how[0])
    low: int | None
    high: int | None
    if part.data == "some_rows":
        low, high = (1, None) if quantifier == "some" else (0, 0)
    elif part.data == "numbers_of_rows":
        low, high = (reader.count(each) for each in how)
    else:
        number = reader.count(how[1])
        kind = quantifier.split()[-1]
        low, high = {"least": (number, None), "most": (0, number)}.get(kind, (number, number))
    if high == -1:  # what `simplify` makes of a condition that never holds
        return _Part(feature)
    if low < 0 or (high is not None and high < low):
        raise reader.error(how[-1], "Rows are counted from 0 on, the lower number first.")
    ends = Boundary(float(low)) if low else None, None if high is None else Boundary(high + 1.0)
    return _Part(feature, (Interval(*ends),))


def read_child_count(node: Any, reader: TokenReader, *, every: bool = False) -> ChildCount:
    """Read the rows of a child table that count: `visits (dept = ER AND creatinine >= 1.3)`.

    With `every`, those count that fail the condition. There must be one: how rows fail two of them is no conjunction.
    """
    name, premises = node.children
    table = reader.table(name)
    inner = reader.inside(table)
    conditions = [] if premises is None else [read_condition(each, inner) for each in premises.children]
    if inner.found:
        raise reader.error(name, f"Conditions on the rows of {table.name} ask about columns, and do not calculate.")
    if every and len(conditions) != 1:
        hint = (
            "Write `all ... (...) AND all ... (...)`."
            if conditions
            else f"Say what: `all {spelled(table.name)} (...)`."
        )
        raise reader.error(name, f"`all` takes one condition that all rows of {spelled(table.name)} satisfy. {hint}")
    with reader.pointing_at(name):
        return child_count_of(map(opposite, conditions) if every else conditions, table)


def _read_whole_values(part: Any, feature: Feature, reader: TokenReader) -> tuple[Interval, ...]:
    """Read `x = 3`, `x in {1, 3}`, `x in 1 to 3` or the same with `!=` or `not in`, about whole numbers."""
    if not feature.whole:
        about = "also has fractions and " if feature.kind == "continuous" and part.data in ("inside", "outside") else ""
        about = f"The {feature.kind} feature {feature.name!r} {about}takes `<` or `>=`"
        raise reader.error(_subject_token(part), f"{about}, not values.")
    tokens = part.children[1:]
    numbers = [read_whole(token, feature, reader) for token in tokens]
    with reader.pointing_at(tokens[0]):
        if part.data in ("inside", "outside"):
            inner = [Interval(Boundary(numbers[0]), Boundary(numbers[1] + 1))]
        else:
            inner = [Interval(Boundary(x), Boundary(x + 1)) for x in sorted(set(numbers))]
    if part.data in ("equal", "within", "inside"):
        return tuple(inner)
    lows, highs = [None, *(x.high for x in inner)], [*(x.low for x in inner), None]
    gaps = ((a, b) for a, b in zip(lows, highs, strict=True) if a is None or a != b)
    return tuple(Interval(low, high) for low, high in gaps)


def _subject_token(part: Any) -> Token:
    """Return the token that an error about a part points at: the name of its feature."""
    if part.data == "range":
        bounds = [child for child in part.children[::2] if child is not None]
        names = [first_token(bound) for bound in bounds]
        middle = names[1:2] if len(names) == 3 else [token for token in names if token.type != "NUMBER"]
        return (middle or names)[0]
    return first_token(part)
