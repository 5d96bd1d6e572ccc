"""What was calculated for a row: the parts and the result, `12.3 * 4 - 5 * 9 = 4.2`; `2 of 3 hold: x < 3, y > 1`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from nln.rules.cells import Column
from nln.rules.children.bags import Bags
from nln.rules.condition import Condition, IntervalCondition
from nln.rules.derived.arithmetic import Arithmetic, Term
from nln.rules.derived.child_count import ChildCount
from nln.rules.derived.count import Count
from nln.rules.derived.regions import oriented
from nln.rules.derived.same import Same
from nln.rules.evaluate import membership
from nln.rules.explain.children import children_shown
from nln.rules.language.text import condition_text
from nln.rules.language.words import cell_text, number, spelled
from nln.rules.schema import Feature, Schema, Value


def calculation_shown(
    condition: Condition, row: int, columns: Mapping[str, Column], schema: Schema, bags: Mapping[str, Bags]
) -> str | None:
    """Write how a feature was calculated for a row; None if it is a column of the table."""
    feature = schema[condition.feature]
    derived = feature.derived
    if isinstance(derived, ChildCount):
        if derived.table not in bags:  # the count was given as a column
            return f"{number(float(columns[feature.name][row]))} {spelled(derived.table)}"
        text = condition_text(condition, feature)
        return children_shown(
            derived, row, bags[derived.table], schema.table(derived.table), every=text == derived.every_text
        )
    if isinstance(derived, Count):
        return _count(derived, row, columns, schema)
    if isinstance(derived, Same):
        values = (cell_text(_value(columns[name][row], schema[name])) for name in derived.features)
        return " and ".join(values)
    if not isinstance(derived, Arithmetic):
        return None
    assert isinstance(condition, IntervalCondition)
    shown = derived if feature.is_named else oriented(derived, condition.intervals)[0]
    result = float(columns[feature.name][row]) * (1 if shown == derived else -1)
    said = "missing" if math.isnan(result) else number(result + 0.0)
    return f"{_quotient(shown, {name: float(columns[name][row]) for name in derived.features})} = {said}"


def _quotient(expression: Arithmetic, cells: Mapping[str, float]) -> str:
    """Write an expression with numbers in the place of its columns."""
    texts = {name: _operand(cell) for name, cell in cells.items()}
    above, below = expression.numerator, expression.denominator
    said = _sum(above, texts)
    if below == (((), 1),):
        return said
    said = f"({said})" if len(above) > 1 else said
    if len(below) > 1:
        return f"{said} / ({_sum(below, texts)})"
    return " / ".join([said, *(texts[name] for name in below[0][0])])


def _sum(terms: tuple[Term, ...], texts: Mapping[str, str]) -> str:
    parts = [(" + " if sign > 0 else " - ") + " * ".join(texts[name] for name in monomial) for monomial, sign in terms]
    return "".join(parts).removeprefix(" + ").strip()


def _operand(cell: float) -> str:
    if math.isnan(cell):
        return "missing"
    return number(cell) if cell >= 0 else f"({number(cell)})"


def _count(count: Count, row: int, columns: Mapping[str, Column], schema: Schema) -> str:
    held = [
        text
        for member, text in zip(count.members, count.texts, strict=True)
        if membership(member, columns[member.feature][row : row + 1], schema[member.feature])[0]
    ]
    said = f"{len(held)} of {len(count.members)} hold{'s' if len(held) == 1 else ''}"
    return f"{said}: {', '.join(held)}" if held else said


def _value(entry: Any, feature: Feature) -> Value | None:
    return feature.values[entry] if entry >= 0 else None
