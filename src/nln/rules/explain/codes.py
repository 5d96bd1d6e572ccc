"""Counterfactuals about codes: not a level but the code changes, and all its levels with it.

`icd_first_1` cannot become K while `icd_first_3` stays I21. So the search meets one column of codes in the place of its
levels: its values are the prefixes that the levels know, and conditions on levels ask which of them begin as they say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nln.rules.cells import read_codes
from nln.rules.condition import Condition, ValueCondition
from nln.rules.decoding import decode
from nln.rules.language.words import spelled
from nln.rules.readings import PrefixReading
from nln.rules.rule import Rule
from nln.rules.schema import Feature, Schema, Value

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram


def levels_of(program: LogicProgram, cells: Mapping[str, Any]) -> dict[str, str]:
    """Return the column of each level that rules ask about, if the row holds the column.

    Levels that are counted or compared stay as they are, and so do those that the row gives by themselves.
    """
    schema = program.schema
    calculated = {name for f in schema.features if f.derived is not None for name in f.derived.features}
    found: dict[str, str] = {}
    for feature in schema.plain(program.features_used):
        if isinstance(feature.reading, PrefixReading) and feature.reading.column in cells:
            found[feature.name] = feature.reading.column
    fixed = {column for level, column in found.items() if level in calculated or level in cells}
    return {level: column for level, column in found.items() if column not in fixed and column not in schema.names}


def on_codes(
    program: LogicProgram, cells: Mapping[str, Any], levels: Mapping[str, str]
) -> tuple[LogicProgram, dict[str, Any]]:
    """Return the program with conditions on codes in the place of those on their levels, and the row with its codes."""
    schema, row = program.schema, dict(cells)
    known: dict[str, list[Value]] = {column: [] for column in levels.values()}
    for level, column in levels.items():
        known[column] += schema[level].values
    for column in known:
        row[column] = code = read_codes(column, decode(column, [cells[column]])).cell(0)
        known[column] += [] if code is None else [code]
    codes = {column: Feature(column, "categorical", tuple(dict.fromkeys(values))) for column, values in known.items()}
    others = (feature for feature in schema.features if feature.name not in levels)
    rules = tuple(_on_codes(rule, levels, schema, codes) for rule in program.rules)
    return replace(program, schema=Schema((*others, *codes.values()), schema.target, schema.tables), rules=rules), row


def starts_text(values: Collection[Value], known: Iterable[Value]) -> str:
    """Write which codes are meant; a group stands for all longer prefixes if it and they are among the values."""
    chosen = {str(value) for value in values}
    groups = [start for start in chosen if all(str(value) in chosen for value in known if str(value).startswith(start))]
    texts = [one for one in sorted(chosen) if not any(one != start and one.startswith(start) for start in groups)]
    return f"a code that starts with {' or '.join(map(spelled, texts))}"


def _on_codes(rule: Rule, levels: Mapping[str, str], schema: Schema, codes: Mapping[str, Feature]) -> Rule:
    """Join the conditions of a rule on levels of one column into one condition on its codes."""
    conditions: list[Condition] = [c for c in rule.conditions if c.feature not in levels]
    asked: dict[str, list[Condition]] = {}
    for condition in rule.conditions:
        if condition.feature in levels:
            asked.setdefault(levels[condition.feature], []).append(condition)
    for column, parts in asked.items():
        conditions.append(_joined(parts, schema, codes[column]))
    return replace(rule, conditions=tuple(conditions))


def _joined(parts: Iterable[Condition], schema: Schema, code: Feature) -> ValueCondition:
    inside, unseen, missing = list(code.values), True, 1.0
    for part in parts:
        reading = schema[part.feature].reading
        assert isinstance(part, ValueCondition) and isinstance(reading, PrefixReading)
        inside = [value for value in inside if (reading.of(str(value)) in part.values) != part.negated]
        unseen, missing = unseen and part.negated, missing * part.missing
    values = tuple(value for value in code.values if value not in inside) if unseen else tuple(inside)
    return ValueCondition(code.name, values, unseen, missing)
