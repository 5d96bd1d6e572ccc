"""Conditions as Excel formulas that give a membership from the cell of a feature.

Only functions that every Excel has are used. An empty cell is missing. Text is compared by EXACT, since `=` ignores
case, and equals text only; truth values count as 0 and 1. Values that are listed stand in cells, so that no text is
part of a formula.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from nln.export.plain import question
from nln.rules.condition import Boundary, Condition
from nln.rules.derived.regions import shown
from nln.rules.schema import Feature, Value

_FAR = 350
"""Widths from a boundary beyond which a membership is 0 or 1 to the last bit, and EXP would overflow."""

_LARGEST = 1e307
"""Excel takes no larger numbers."""

_EXACT_INTEGERS = 10**15
"""Excel keeps 15 digits."""


class Listed(NamedTuple):
    """Where the values that a condition lists stand: texts and numbers; None if there are none."""

    texts: str | None
    numbers: str | None


def membership_formula(condition: Condition, feature: Feature, cell: str, listed: Listed) -> str:
    """Write how far the value in a cell satisfies a plain condition."""
    asked = question(condition, feature)
    missing, x = number(condition.missing), f"N({cell})"
    if "values" in asked:
        found = [f"ISTEXT({cell})*SUMPRODUCT(--EXACT({cell},{listed.texts}))"] if listed.texts else []
        found += [f"NOT(ISTEXT({cell}))*SUMPRODUCT(--({listed.numbers}={x}))"] if listed.numbers else []
        inside, outside = (0, 1) if asked["negated"] else (1, 0)
        held = f"IF({'+'.join(found)}>0,{inside},{outside})" if found else str(outside)
        return f'=IF({cell}="",{missing},{held})'
    if "chance" in asked:
        held = f"IF(OR({x}<0,{x}>1),NA(),{x if asked['chance'] == 1 else f'1-{x}'})"
    elif "period" in asked:
        period = number(asked["period"])
        place = f"IF(AND({x}>=0,{x}<{period}),{x},{x}-{period}*INT({x}/{period}))"
        held = f"IF(ABS({x})<{number(asked['limit'])},{_union(asked['intervals'], place)},{missing})"
    else:
        held = _union(asked["intervals"], x)
    return f'=IF({cell}="",{missing},IF(ISTEXT({cell}),NA(),{held}))'


def number(value: float) -> str:
    """Write a number as it stands in a formula, or refuse it if Excel cannot hold it."""
    if abs(value) >= _LARGEST or (isinstance(value, int) and abs(value) >= _EXACT_INTEGERS):
        raise ValueError(f"Excel cannot hold the number {value!r}.")
    return f"({value!r})" if value < 0 else repr(value).removesuffix(".0").upper()


def split_values(values: tuple[Value, ...]) -> tuple[list[str], list[float]]:
    """Split values into texts and numbers, which Excel compares in different ways."""
    texts = [value for value in values if isinstance(value, str)]
    numbers = [value + 0 for value in values if not isinstance(value, str)]
    for value in numbers:
        number(value)
    return texts, numbers


def _union(intervals: tuple[tuple[Any, ...], ...], x: str) -> str:
    inside = [_interval(x, *ends) for ends in intervals]
    if len(inside) < 2:
        return inside[0] if inside else "0"
    return f"1-{'*'.join(f'(1-{one})' for one in inside)}"


def _interval(x: str, low: float | None, low_width: float, high: float | None, high_width: float) -> str:
    sides = [] if low is None else [_side(x, low, low_width, is_low=True)]
    sides += [] if high is None else [_side(x, high, high_width, is_low=False)]
    return "*".join(sides) or "1"


def _side(x: str, place: float, width: float, *, is_low: bool) -> str:
    written, is_before = shown(Boundary(place, width))  # Excel keeps 15 digits: it takes the number after 3 for 3
    signs = (">", "<=") if is_before else (">=", "<")
    crisp = f"IF({x}{signs[0] if is_low else signs[1]}{number(written)},1,0)"
    if not width:
        return crisp
    distance, slope = f"({x}-{number(place)})", "-LN(9)" if is_low else "LN(9)"
    soft = f"1/(1+EXP({slope}*{distance}/{number(width)}))"
    return f"IF(ABS{distance}>={_FAR}*{number(width)},{crisp},{soft})"
