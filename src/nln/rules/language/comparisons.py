"""From text to intervals: `x < 3 ± 0.5`, `1 <= x < 3`, `x * y > z * w`."""

from __future__ import annotations

from typing import Any, TypeAlias

from lark import Token

from nln.rules.circle import arc
from nln.rules.condition import Boundary, Interval
from nln.rules.derived.regions import REGIONS
from nln.rules.derived.rounding import just_after
from nln.rules.language.expressions import place, read_expression
from nln.rules.language.tokens import TokenReader, first_token
from nln.rules.language.words import spelled
from nln.rules.schema import LARGEST_WHOLE, Feature

_End: TypeAlias = tuple[Any, str]  # a bound, and the sign that stands between the feature and it

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def read_range(part: Any, reader: TokenReader) -> tuple[Feature, tuple[Interval, ...]]:
    """Read a comparison of a feature or an expression with numbers, or of two expressions."""
    bounds = [child for child in part.children[::2] if child is not None]
    signs = [str(child) for child in part.children[1::2] if child is not None]
    if len(bounds) == 3:
        return _read_chain(bounds, signs, part.children[3], reader)
    (left, right), (sign,) = bounds, signs
    is_left, is_right = (_is_subject(bound, reader) for bound in bounds)
    if is_left and is_right and _takes_numbers(left, reader):
        return read_comparison(left.children[0], right.children[0], sign, reader, (left.children[1], right.children[1]))
    if not is_left and (is_right or (_is_number(left) and not _is_number(right))):
        left, right, sign = right, left, _TURNED[sign]
    end = right, sign
    return _read_ends(left, None, end, reader) if sign[0] == "<" else _read_ends(left, end, None, reader)


def read_comparison(
    left: Any, right: Any, sign: str, reader: TokenReader, widths: tuple[Any, ...] = ()
) -> tuple[Feature, tuple[Interval, ...]]:
    """Read a comparison of two expressions: one of their difference with 0."""
    for width in widths:
        if width is not None:
            raise reader.error(width, "A comparison of columns is crisp. Write `x - y < 0 ± 0.5` for a width.")
    one, other = read_expression(left, reader), read_expression(right, reader)
    token = first_token(left)
    with reader.pointing_at(token):
        difference = one.join("-", other)
    return place(difference, REGIONS[sign], token, reader)


def takes_expression(node: Any, reader: TokenReader) -> bool:
    """Tell whether a node is an expression or names a column of numbers that are not whole."""
    if not isinstance(node, Token):
        return True
    known = reader.schema.by_name.get(str(reader.value(node))) if node.type in ("WORD", "STRING") else None
    return known is not None and known.kind == "continuous"


def read_subject(node: Any, intervals: tuple[Interval, ...], reader: TokenReader) -> tuple[Feature, Any]:
    """Return the feature that a node names or calculates, and the region of it that is asked for."""
    if isinstance(node, Token):
        return reader.feature(node), intervals
    return place(read_expression(node, reader), intervals, first_token(node), reader)


def read_whole(token: Token, feature: Feature, reader: TokenReader) -> float:
    """Read one of the numbers of a feature of whole numbers."""
    found = reader.number(token)
    if not found.is_integer() or abs(found) > LARGEST_WHOLE:
        name = spelled(feature.name)
        raise reader.error(token, f"{name} holds whole numbers, and {token} is none. Write `{name} < {token}`.")
    return found


def _read_chain(
    bounds: list[Any], signs: list[str], second: Token, reader: TokenReader
) -> tuple[Feature, tuple[Interval, ...]]:
    """Read `low <= x < high`, or the same from high to low."""
    if signs[0][0] != signs[1][0]:
        raise reader.error(second, "The two signs of a range point the same way: `1 <= x < 3`.")
    if signs[0][0] == ">":
        bounds, signs = bounds[::-1], [_TURNED[sign] for sign in reversed(signs)]
    low, subject, high = bounds
    return _read_ends(subject, (low, _TURNED[signs[0]]), (high, signs[1]), reader)


def _read_ends(
    subject: Any, low: _End | None, high: _End | None, reader: TokenReader
) -> tuple[Feature, tuple[Interval, ...]]:
    node, width = subject.children
    token = first_token(node)
    if width is not None:
        reader.feature(token)
        raise reader.error(token, "A width `±` belongs to a boundary, not to a feature: write `x < 3 ± 0.5`.")
    if not isinstance(node, Token):
        expression = read_expression(node, reader)
        numbers = Feature(expression.text, "continuous")
        ends = _boundary(low, numbers, reader), _boundary(high, numbers, reader)
        with reader.pointing_at(token):
            return place(expression, (Interval(*ends),), token, reader)
    feature = reader.feature(node)
    if not feature.is_ordered:
        raise reader.error(
            token, f"The {feature.kind} feature {feature.name!r} takes `=`, `!=`, `in {{...}}` or `not in {{...}}`."
        )
    ends = _boundary(low, feature, reader), _boundary(high, feature, reader)
    with reader.pointing_at(token):
        return feature, (Interval(*ends),) if feature.period is None else _read_arc(*ends, feature.period)


def _boundary(end: _End | None, feature: Feature, reader: TokenReader) -> Boundary | None:
    """Read a boundary; with `>` and `<=` the number itself lies below it."""
    if end is None:
        return None
    (token, width), after = end[0].children, end[1] in (">", "<=")
    if not isinstance(token, Token):
        raise reader.error(first_token(token), "Write a number here: two expressions are compared by one sign.")
    if not feature.is_numeric:
        return _read_rank(token, width, after, feature, reader)
    if feature.whole and after:
        if width is not None:
            raise reader.error(
                width, "A number after `<=` is the last one inside and has no width: write `x < 3 ± 0.5`."
            )
        return Boundary(read_whole(token, feature, reader) + 1)
    if feature.period is not None and after:
        name = spelled(feature.name)
        raise reader.error(token, f"The periodic feature {name} takes `<` and `>=`: write `1 <= {name} < 3`.")
    with reader.pointing_at(token):
        value, half = reader.number(token), 0.0 if width is None else reader.number(width)
        return Boundary(just_after(value) if after and not half else value, half)


def _read_rank(token: Token, width: Any, after: bool, feature: Feature, reader: TokenReader) -> Boundary:
    value = reader.category(token, feature)
    if width is not None:
        raise reader.error(width, f"The boundaries of the ordinal feature {feature.name!r} are crisp: leave out `±`.")
    rank = feature.values.index(value) + after
    name = spelled(feature.name)
    if rank == 0:
        raise reader.error(token, f"No value of {name} lies below this one. Write `{name} not missing` for any value.")
    if rank == len(feature.values):
        raise reader.error(token, f"No value of {name} lies above this one. Write `{name} not missing` for any value.")
    return Boundary(float(rank))


def _read_arc(low: Boundary | None, high: Boundary | None, period: float) -> tuple[Interval, ...]:
    """Turn what the text says into intervals within the period; an absent end is that of the period."""
    if any(end is not None and end.width for end in (low, high)):
        raise ValueError("The boundaries of a periodic feature are crisp: leave out `±`.")
    return arc(0.0 if low is None else low.value, period if high is None else high.value, period)


def _is_subject(bound: Any, reader: TokenReader) -> bool:
    node = bound.children[0]
    if not isinstance(node, Token):
        return True
    return node.type in ("WORD", "STRING") and str(reader.value(node)) in reader.schema.by_name


def _is_number(bound: Any) -> bool:
    return isinstance(bound.children[0], Token) and bound.children[0].type == "NUMBER"


def _takes_numbers(bound: Any, reader: TokenReader) -> bool:
    """Tell whether a subject is an expression or a column of numbers: an ordinal feature is compared with a value."""
    return takes_expression(bound.children[0], reader)
