"""Programs and rows for exports, beside the general ones of `tests.rules.strategies`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from nln.rules import Boundary, Condition, Feature, Interval, IntervalCondition, LogicProgram, Rule, Schema
from tests.rules.strategies import entries, programs

NASTY = [
    "</script>", "<!--", "-->", "]]>", "'; DROP TABLE data; --", '"', "''", "\\", "\\'", "\n", "\r\n", "\t", "\u2028",
    "*/", "/*", "--", "//", "%", "#", "{}", "${x}", "$$", "`", "```", "|", "&lt;", "&", "[x](y)", "*a*", "__proto__",
    "constructor", "toString", "select", "order", "rowid", "null", "NULL", "nan", "NaN", "inf", "true", "missing",
    "ümläut", "ß", "名前", "😀", "e\u0301", "\ufeff", "\x01", "\x7f", " ", "a b", "0", "1", "1.0", "-1", "~", "^", "_",
]  # fmt: skip
"""Texts that some language or format takes for its own."""


def is_plain(text: Any, most: int = 2**53) -> bool:
    """Tell whether databases and solvers can hold a value: no NUL, no integer beyond the floats."""
    if isinstance(text, str):
        return "\0" not in text
    return isinstance(text, float) or abs(text) < most


def _renamed(program: LogicProgram, names: list[str]) -> LogicProgram:
    """Give the features other names."""
    new = dict(zip(program.schema.names, names, strict=False))
    features = tuple(replace(feature, name=new[feature.name]) for feature in program.schema.features)
    rules = tuple(
        replace(rule, conditions=tuple(replace(c, feature=new[c.feature]) for c in rule.conditions))
        for rule in program.rules
    )
    return replace(program, schema=Schema(features, program.schema.target), rules=rules)


def _crisp_condition(condition: Condition, feature: Feature) -> Condition:
    missing = float(condition.missing >= 0.5)
    if not isinstance(condition, IntervalCondition):
        values = () if feature.kind == "probability" else condition.values
        return replace(condition, values=values, missing=missing)
    intervals = tuple(Interval(*(end and Boundary(end.value) for end in (i.low, i.high))) for i in condition.intervals)
    return replace(condition, intervals=intervals, missing=missing)


def crisp_rule(rule: Rule, schema: Schema) -> Rule:
    return replace(rule, conditions=tuple(_crisp_condition(c, schema[c.feature]) for c in rule.conditions))


@st.composite
def cases(draw: st.DrawFn, *, plain: bool = False, crisp: bool = False) -> tuple[LogicProgram, list[dict[str, Any]]]:
    """A program and rows.

    Parameters
    ----------
    draw : callable
        Given by hypothesis.
    plain : bool
        Only values that databases and solvers can hold, and feature names that differ by more than case.
    crisp : bool
        Only crisp rules.
    """
    program = draw(programs())
    if draw(st.booleans()) or plain:
        nasty = st.lists(st.sampled_from(NASTY), min_size=4, max_size=4, unique_by=str.casefold)
        program = _renamed(program, draw(nasty))
    if crisp:
        program = replace(program, rules=tuple(crisp_rule(rule, program.schema) for rule in program.rules))
    row = st.fixed_dictionaries({feature.name: entries(feature, program) for feature in program.schema.features})
    return program, draw(st.lists(row, min_size=1, max_size=6))


def values_of(program: LogicProgram) -> list[Any]:
    return [*program.schema.target.labels, *(v for f in program.schema.features for v in f.values)]
