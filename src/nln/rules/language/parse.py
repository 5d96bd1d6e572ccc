"""From text to the parts of a program: the inverse of `nln.rules.language.text`.

Evaluation never sees text. Whatever the text names is looked up in the schema; what is not there is an error that shows
the place and the nearest known name. This module loads lark, so `LogicProgram.parse` imports it when it is first used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lark import Token, Tree

from nln.rules.circle import arc
from nln.rules.condition import Boundary, Condition, Interval, IntervalCondition, ValueCondition
from nln.rules.language.grammar import parse_tree
from nln.rules.language.tokens import TokenReader
from nln.rules.language.words import is_percent, spelled
from nln.rules.rule import Coverage, ProgramParts, Rule, check_starts
from nln.rules.schema import DEFAULT_THRESHOLD, LARGEST_WHOLE, Feature, Schema, Value
from nln.rules.validate import LEAST_CLASS_THRESHOLD

Node: TypeAlias = Tree[Token]

_RANGES = ("below", "above", "between", "closed")
_WHOLE = ("equal", "unequal", "within", "without", "inside", "outside")  # what only whole numbers take beside ranges


def parse_program(text: str, schema: Schema) -> ProgramParts:
    """Read a program's text; if left out, a weight is 1, a bias 0 and a threshold 0.5."""
    if not isinstance(text, str):
        raise TypeError(f"A program's text is a string, not {type(text).__name__}.")
    reader = TokenReader(text, schema)
    sections: list[Any] = [section for section in parse_tree(text).children if section is not None]
    rules = tuple(_read_rule(section, reader) for section in sections if section.data == "rule")
    closing = sections[-1] if sections[-1].data == "otherwise" else None
    biases, thresholds = _read_closing(closing, reader)
    return ProgramParts(schema, rules, biases, thresholds)


def _read_rule(node: Any, reader: TokenReader) -> Rule:
    premises, claim, weight = node.children
    conditions = _read_premises(premises, reader)
    label = _read_claim(claim, reader)
    if weight is None:
        return Rule(conditions, label)
    if weight.data == "earlier":
        number, *counts = weight.children
        coverage = None if counts[0] is None else _read_earlier_coverage(counts, label, reader)
        return Rule(conditions, label, reader.probability(number, "weight"), coverage)
    counts, starts, number = weight.children
    coverage = None if counts is None else _read_coverage(counts.children, label, reader)
    found = None if starts is None else _read_starts(starts, reader)
    return Rule(conditions, label, reader.probability(number, "weight"), coverage, found)


def _read_premises(node: Node, reader: TokenReader) -> tuple[Condition, ...]:
    conditions: dict[str, Condition] = {}
    for child in node.children:
        part: Any = child
        condition = _read_condition(part, reader)
        if condition.feature in conditions:
            raise reader.error(
                _name_token(part.children[0]),
                f"The rule has a condition on {condition.feature!r} already. Join the two into one condition.",
            )
        conditions[condition.feature] = condition
    return tuple(conditions.values())


def _read_coverage(parts: Any, label: Value, reader: TokenReader) -> Coverage:
    """Read `124 rows, 98 % malignant; 121 of 241 malignant in 699 rows`; the percentage must fit the counts."""
    rows, share, *shared, hits, of_hits, claim, of_rows = parts
    _check_counted(claim, label, reader)
    with reader.pointing_at(hits):
        found = Coverage(reader.count(rows), reader.count(of_rows), reader.count(hits), reader.count(of_hits))
    if share is not None:
        _check_counted(shared[0] if shared else None, label, reader)
        if found.rows == 0 or not is_percent(share, found.hits / found.rows):
            raise reader.error(share, f"{share} % contradicts the counts: {found.hits} of {found.rows} rows have it.")
    return found


def _read_earlier_coverage(parts: Any, label: Value, reader: TokenReader) -> Coverage:
    """Read `covers 190 of 250 ckd, 231 of 400 rows`, as earlier versions wrote it."""
    hits, of_hits, claim, rows, of_rows = parts
    _check_counted(claim, label, reader)
    with reader.pointing_at(hits):
        return Coverage(reader.count(rows), reader.count(of_rows), reader.count(hits), reader.count(of_hits))


def _check_counted(claim: Any, label: Value, reader: TokenReader) -> None:
    if claim is None:  # a long label is not repeated
        return
    named, value = claim.children
    token = named if value is None else value
    counted = reader.label(token) if value is None else _read_claim(claim, reader)
    if counted != label:
        raise reader.error(token, f"The rule concludes {spelled(label)}, so rows of that label are counted.")


def _read_starts(node: Any, reader: TokenReader) -> tuple[int, int]:
    found, of = (reader.count(token) for token in node.children)
    with reader.pointing_at(node.children[0]):
        check_starts(found, of)
    return found, of


def _read_claim(node: Any, reader: TokenReader) -> Value:
    """Read `class = yes`, or the label alone for a multi-label target; only outputs may be claimed."""
    target = reader.schema.target
    token = _label_token(node, reader)
    label = reader.label(token)
    if label not in target.outputs:
        raise reader.error(
            token, f"Rules conclude {spelled(target.outputs[0])}; {spelled(label)} is what holds OTHERWISE."
        )
    return label


def _label_token(node: Any, reader: TokenReader) -> Token:
    target = reader.schema.target
    name: Token
    value: Token | None
    name, value = node.children
    if target.kind == "multilabel":
        if value is not None:
            raise reader.error(value, "The target has several labels: name one alone, without `=`.")
        return name
    if value is None or reader.value(name) != target.name:
        raise reader.error(name, f"The target is {spelled(target.name)}: write `{spelled(target.name)} = ...`.")
    return value


def _read_closing(node: Any, reader: TokenReader) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Read biases and thresholds."""
    target = reader.schema.target
    biases: dict[Value, float] = {}
    thresholds: dict[Value, float] = {}
    if node is not None:
        claim, *entries = node.children
        if claim is not None:
            _check_closing_claim(claim, reader)
        for entry in entries:
            if entry is not None:
                _read_entry(entry, biases if entry.data == "bias" else thresholds, reader)
    limits = target.default_thresholds
    if thresholds:
        limits = tuple(thresholds.get(label, DEFAULT_THRESHOLD) for label in target.outputs)
    return tuple(biases.get(label, 0.0) for label in target.outputs), limits


def _check_closing_claim(claim: Any, reader: TokenReader) -> None:
    target = reader.schema.target
    if target.kind != "binary":
        raise reader.error(
            claim.children[0], "OTHERWISE names a label only if there are two; write `OTHERWISE (P(...) = ...)`."
        )
    token = _label_token(claim, reader)
    if reader.label(token) != target.labels[0]:
        raise reader.error(
            token, f"What holds OTHERWISE is {spelled(target.labels[0])}: the rules conclude the other class."
        )


def _read_entry(entry: Any, found: dict[Value, float], reader: TokenReader) -> None:
    claim, number = entry.children
    label = _read_claim(claim, reader)
    start = claim.children[0]
    if label in found:
        raise reader.error(start, f"The {entry.data} of {spelled(label)} is given twice. Leave one out.")
    found[label] = reader.probability(number)
    is_divisor = entry.data == "threshold" and reader.schema.target.kind == "multiclass"
    if is_divisor and found[label] < LEAST_CLASS_THRESHOLD:
        raise reader.error(start, f"The threshold of one of several classes must be at least {LEAST_CLASS_THRESHOLD}.")


@dataclass(slots=True)
class _Parts:
    """What the parts of a condition, joined by `or`, say together."""

    feature: Feature
    start: Token
    values: tuple[Value, ...] | None = None
    negated: bool = False
    intervals: list[Interval] = field(default_factory=list)
    missing: float | None = None


def _read_condition(node: Node, reader: TokenReader) -> Condition:
    """Read one condition: `x < 3 or 5 <= x < 8 or missing (0.6)`."""
    start = _name_token(node.children[0])
    parts = _Parts(reader.feature(start), start)
    for part in node.children:
        _read_part(part, parts, reader)
    missing = parts.missing or 0.0
    with reader.pointing_at(start):
        if parts.feature.kind == "periodic":  # an arc over 0 gives two intervals, which stand at the two ends
            parts.intervals.sort(key=lambda interval: -math.inf if interval.low is None else interval.low.value)
        if parts.feature.is_ordered:
            return IntervalCondition(parts.feature.name, tuple(parts.intervals), missing)
        return ValueCondition(parts.feature.name, parts.values or (), parts.negated, missing)


def _read_part(part: Any, parts: _Parts, reader: TokenReader) -> None:
    if part.data == "or_missing":
        _read_missing(part.children[0], parts, reader)
        return
    token = _name_token(part)
    feature = reader.feature(token)
    if feature.name != parts.feature.name:
        raise reader.error(
            token, f"`or` joins parts about one feature; the first is about {parts.feature.name!r}. Write two rules."
        )
    if part.data == "missing":
        _read_missing(part.children[1], parts, reader)
    elif feature.is_ordered:
        parts.intervals.extend(_read_intervals(part, feature, reader))
    else:
        _read_values(part, parts, reader)


def _read_missing(chance: Token | None, parts: _Parts, reader: TokenReader) -> None:
    if parts.missing is not None:
        raise reader.error(parts.start, "This condition names `missing` twice. Leave one out.")
    parts.missing = 1.0 if chance is None else reader.probability(chance)


def _read_values(part: Node, parts: _Parts, reader: TokenReader) -> None:
    name, feature = _name_token(part), parts.feature
    if part.data in (*_RANGES, "inside", "outside"):
        raise reader.error(
            name, f"The {feature.kind} feature {feature.name!r} takes `=`, `!=`, `in {{...}}` or `not in {{...}}`."
        )
    if parts.values is not None:
        raise reader.error(name, f"Join the values of {feature.name!r} into one set: `in {{...}}`.")
    tokens: list[Any] = part.children[1:]
    parts.values = tuple(reader.category(token, feature) for token in tokens)
    parts.negated = part.data in ("unequal", "without", "known")


def _read_intervals(part: Any, feature: Feature, reader: TokenReader) -> tuple[Interval, ...]:
    name = _name_token(part)
    if part.data == "known":
        return (Interval(),)
    if part.data in _WHOLE:
        return _read_whole_values(part, feature, reader)
    bounds = part.children
    ends: tuple[Boundary | None, Boundary | None]
    if _named_bound(part).children[1] is not None:
        raise reader.error(name, "A width `±` belongs to a boundary, not to a feature: write `x < 3 ± 0.5`.")
    if _is_at_most(part):
        ends = None, _read_last(bounds[1], feature, reader)
    else:
        low = {"below": None, "above": bounds[1]}.get(part.data, bounds[0])
        high = {"below": bounds[1], "above": None}.get(part.data, bounds[-1])
        read_high = _read_last if part.data == "closed" else _read_boundary
        ends = _read_boundary(low, feature, reader), read_high(high, feature, reader)
    with reader.pointing_at(name):
        return (Interval(*ends),) if feature.period is None else _read_arc(*ends, feature.period)


def _read_whole_values(part: Any, feature: Feature, reader: TokenReader) -> tuple[Interval, ...]:
    """Read `x = 3`, `x in {1, 3}`, `x in 1 to 3` or the same with `!=` or `not in`, about whole numbers."""
    if not feature.whole:
        about = "also has fractions and " if feature.kind == "continuous" and part.data in ("inside", "outside") else ""
        about = f"The {feature.kind} feature {feature.name!r} {about}takes `<` or `>=`"
        raise reader.error(_name_token(part), f"{about}, not values.")
    numbers = [_read_whole(token, feature, reader) for token in part.children[1:]]
    with reader.pointing_at(part.children[1]):
        if part.data in ("inside", "outside"):
            inner = [Interval(Boundary(numbers[0]), Boundary(numbers[1] + 1))]
        else:
            inner = [Interval(Boundary(x), Boundary(x + 1)) for x in sorted(set(numbers))]
    if part.data in ("equal", "within", "inside"):
        return tuple(inner)
    lows, highs = [None, *(x.high for x in inner)], [*(x.low for x in inner), None]
    gaps = ((a, b) for a, b in zip(lows, highs, strict=True) if a is None or a != b)
    return tuple(Interval(low, high) for low, high in gaps)


def _read_last(bound: Any, feature: Feature, reader: TokenReader) -> Boundary:
    """Read the largest number of `x <= 3`: the boundary is the number that follows it."""
    token, width = bound.children
    if width is not None:
        raise reader.error(width, "A number after `<=` is the last one inside and has no width: write `x < 3 ± 0.5`.")
    if not feature.whole:
        name = spelled(feature.name)
        raise reader.error(
            token, f"`<=` before a number is for features of whole numbers, which {name} is not: write `{name} < ...`."
        )
    return Boundary(_read_whole(token, feature, reader) + 1)


def _read_whole(token: Token, feature: Feature, reader: TokenReader) -> float:
    found = reader.number(token)
    if not found.is_integer() or abs(found) > LARGEST_WHOLE:
        name = spelled(feature.name)
        raise reader.error(token, f"{name} holds whole numbers, and {token} is none. Write `{name} < {token}`.")
    return found


def _read_arc(low: Boundary | None, high: Boundary | None, period: float) -> tuple[Interval, ...]:
    """Turn what the text says into intervals within the period; an absent end is that of the period."""
    if any(end is not None and end.width for end in (low, high)):
        raise ValueError("The boundaries of a periodic feature are crisp: leave out `±`.")
    return arc(0.0 if low is None else low.value, period if high is None else high.value, period)


def _read_boundary(bound: Any, feature: Feature, reader: TokenReader) -> Boundary | None:
    if bound is None:
        return None
    token, width = bound.children
    if feature.is_numeric:
        with reader.pointing_at(token):
            return Boundary(reader.number(token), 0.0 if width is None else reader.number(width))
    value = reader.category(token, feature)
    if width is not None:
        raise reader.error(width, f"The boundaries of the ordinal feature {feature.name!r} are crisp: leave out `±`.")
    rank = feature.values.index(value)
    if rank == 0:
        name = spelled(feature.name)
        raise reader.error(token, f"No value of {name} lies below this one. Write `{name} not missing` for any value.")
    return Boundary(float(rank))


def _named_bound(part: Any) -> Any:
    """Return the bound that holds the feature: the middle one of `low <= x < high`, else the left one."""
    return part.children[1 if part.data in ("between", "closed") and not _is_at_most(part) else 0]


def _is_at_most(part: Any) -> bool:
    """Tell whether a part reads `x <= 3` and not `3 <= x`."""
    left, right, *more = (bound.children[0].type for bound in part.children if bound is not None)
    return part.data == "between" and not more and right == "NUMBER" and left != "NUMBER"


def _name_token(part: Any) -> Token:
    """Return the token that names the feature of a part."""
    named = _named_bound(part) if part.data in _RANGES else part
    token: Token = named.children[0]
    return token
