"""Programs and rows for exports, beside the general ones of `tests.rules.strategies`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from nln.rules import Boundary, Condition, Feature, Interval, IntervalCondition, LogicProgram, Rule, Schema
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.count import Count
from tests.rules.strategies import conditions, entries, programs, targets, with_calculation

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
    if draw(st.booleans()):
        return draw(calculating_cases(crisp=crisp))
    nasty = st.lists(st.sampled_from(NASTY), min_size=1, max_size=4, unique_by=str.casefold)
    program = draw(programs(nasty) if draw(st.booleans()) or plain else programs())
    if crisp:
        program = replace(program, rules=tuple(crisp_rule(rule, program.schema) for rule in program.rules))
    columns = program.schema.plain(program.schema.names)
    row = st.fixed_dictionaries({feature.name: entries(feature, program) for feature in columns})
    return program, draw(st.lists(row, min_size=1, max_size=6))


COLUMNS = (
    *(Feature(name, "continuous") for name in ("x", "capital-gain", "a b")),
    Feature("n", "continuous", whole=True),
    *(Feature(name, "categorical", ("p", "q", "r")) for name in ("g", "select")),
    Feature("hour", "periodic", period=24.0),
)
SMALL = st.integers(-4, 4).map(float) | st.sampled_from([0.1, 0.2, 0.3, -0.5, 1.5, 12.34, 1e3])


@st.composite
def calculating_cases(draw: st.DrawFn, *, crisp: bool = False) -> tuple[LogicProgram, list[dict[str, Any]]]:
    """A program whose rules all ask about calculations, and rows of numbers that make them come out even."""
    schema = Schema(COLUMNS, draw(targets()))
    for _ in range(draw(st.integers(2, 5))):
        schema = draw(with_calculation(schema))
    derived = [feature for feature in schema.features if feature.derived is not None]
    rules = []
    for _ in range(draw(st.integers(1, 3))):
        asked = draw(st.lists(st.sampled_from(derived), min_size=1, max_size=2, unique=True))
        found = tuple(draw(_small_condition(feature, crisp)) for feature in asked)
        rules.append(Rule(found, draw(st.sampled_from(schema.target.outputs)), draw(st.sampled_from([0.25, 0.5, 1.0]))))
    outputs = len(schema.target.outputs)
    thresholds = () if schema.target.kind == "multiclass" else (0.5,) * outputs
    cells = {
        feature.name: st.none() | (SMALL if feature.is_numeric else st.sampled_from([*feature.values, "new"]))
        for feature in COLUMNS
    }
    rows = draw(st.lists(st.fixed_dictionaries(cells), min_size=4, max_size=8))
    return LogicProgram(schema, tuple(rules), (0.125,) * outputs, thresholds), rows


@st.composite
def _small_condition(draw: st.DrawFn, feature: Feature, crisp: bool) -> Condition:
    if not isinstance(feature.derived, Arithmetic):
        found = draw(conditions(feature))
    else:
        places = sorted(draw(st.lists(SMALL, min_size=1, max_size=3, unique=True)))
        after = draw(st.booleans())
        widths = [0.0 if crisp else draw(st.sampled_from([0.0, 0.0, 0.5])) for _ in places]
        ends = [
            Boundary(math.nextafter(place, math.inf) if after and not width else place, width)
            for place, width in zip(places, widths, strict=True)
        ]
        pairs = list(zip([None, *ends], [*ends, None], strict=True))
        found = IntervalCondition(feature.name, tuple(Interval(*pair) for pair in pairs[draw(st.integers(0, 1)) :: 2]))
    return _crisp_condition(found, feature) if crisp and not isinstance(feature.derived, Count) else found


def values_of(program: LogicProgram) -> list[Any]:
    return [*program.schema.target.labels, *(v for f in program.schema.features for v in f.values)]
