"""Exported workbooks agree with programs in LibreOffice."""

from __future__ import annotations

import math
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from nln.export import to_xlsx
from nln.export.calculations import calculations
from nln.rules import (
    Boundary,
    Feature,
    IntervalCondition,
    LogicProgram,
    Rule,
    Schema,
    Target,
    ValueCondition,
    read_columns,
)
from nln.rules.derived.count import Count
from tests import tools
from tests.export.agree import CLOSE, outputs
from tests.export.strategies import cases, values_of
from tests.export.xlsx.spreadsheet import Case, answers, shown
from tests.rules.kidney import PROGRAM, SICK

NEAR = 1e-9
"""Excel keeps 15 digits, and compares no more: numbers this near, or thresholds, may be taken for equal."""


def is_typed(value: Any) -> bool:
    """Tell whether a user could type a value: no control characters, no long or huge numbers, not nothing."""
    if isinstance(value, str):
        return value != "" and value.isprintable() and value == value.strip() and not value.startswith(("=", "_x", "'"))
    if value is None or isinstance(value, bool):
        return True
    return math.isfinite(value) and (value == 0 or 1e-12 < abs(value) < 1e12) and value == float(f"{value:.12g}")


def ends(program: LogicProgram) -> list[tuple[Feature, Boundary]]:
    """All boundaries, each with its feature."""
    counts = [feature.derived for feature in calculations(program) if isinstance(feature.derived, Count)]
    members = [member for count in counts for member in count.members]
    conditions = [*members, *(c for rule in program.rules for c in rule.conditions)]
    asked = [c for c in conditions if isinstance(c, IntervalCondition)]
    return [(program.schema[c.feature], end) for c in asked for end in c.boundaries]


def is_near(program: LogicProgram, row: dict[str, Any]) -> bool:
    """Tell whether a number lies next to a boundary, but not on it."""
    found = read_columns([row], program.schema, only=[feature.name for feature, _ in ends(program)])
    for feature, end in ends(program):
        value = float(found[feature.name][0])
        if feature.is_numeric and not math.isnan(value):
            x = value % feature.period if feature.period else value
            if x != end.value and abs(x - end.value) <= NEAR * max(1.0, abs(x), abs(end.value)):
                return True
    return False


def is_writable(program: LogicProgram) -> bool:
    numbers = [number for _, end in ends(program) for number in (end.value, end.width)]
    periods = [feature.period for feature in program.schema.features]
    return all(map(is_typed, (*values_of(program), *program.schema.names, *numbers, *periods)))


@st.composite
def typed_cases(draw: st.DrawFn) -> Case:
    """A program and one row that can be typed."""
    program, rows = draw(cases().filter(lambda case: is_writable(case[0])))
    row = {name: value if is_typed(value) else None for name, value in rows[0].items()}
    assume(not is_near(program, row))
    return program, row


def check(case: Case, answer: tuple[list[float], Any, list[Any]]) -> None:
    program, row = case
    probabilities, decision, last = answer
    np.testing.assert_allclose(probabilities, program.predict_proba([row])[0], rtol=0, atol=CLOSE)
    P, kind, labels = outputs(program, [row])[0], program.schema.target.kind, program.schema.target.labels
    thresholds = np.array(program.thresholds or (1.0,) * len(P))
    if kind == "multilabel":
        clear = np.abs(P - thresholds) > NEAR
        assert (np.array(last) == (thresholds <= P))[clear].all()
        assert decision == f"{sum(last)} of {len(labels)} labels"
    elif kind == "binary":
        assert abs(P[0] - thresholds[0]) <= NEAR or decision == labels[int(P[0] >= thresholds[0])]
    else:
        ranked = np.sort(P / thresholds)
        assert ranked[-1] - ranked[-2] <= NEAR * ranked[-1] or decision == labels[int(np.argmax(P / thresholds))]


@pytest.mark.slow
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(some=st.lists(typed_cases(), min_size=10, max_size=15))
def test_workbooks_agree(tmp_path_factory: pytest.TempPathFactory, some: list[Case]) -> None:
    for case, answer in zip(some, answers(some, tmp_path_factory.mktemp("xlsx")), strict=True):
        check(case, answer)


def test_cases_of_a_learned_like_program_agree(tmp_path: Path) -> None:
    rows = [SICK, dict.fromkeys(SICK), {**SICK, "hemoglobin": 12.9, "albumin": 0}, {**SICK, "appetite": "Poor"}]
    some = [(PROGRAM, row) for row in rows]
    for case, answer in zip(some, answers(some, tmp_path), strict=True):
        check(case, answer)
    assert answers([(PROGRAM, {**SICK, "hemoglobin": "high"})], tmp_path)[0][1] == "Check the values."


def test_workbooks_calculate_and_count(tmp_path: Path) -> None:
    features = tuple(Feature(name, "continuous") for name in ("x", "y", "z"))
    values = tuple(Feature(name, "categorical", ("p", "q")) for name in ("g", "h"))
    text = """
    IF x * x > y * z AND g is h THEN class = yes (0.5)
    IF x / y >= 0.2 ± 0.1 THEN class = yes (0.25)
    IF at least 2 of {g = p; x - y < 0.2; z > 1} THEN class = yes (0.125)
    """
    program = LogicProgram.parse(text, schema=Schema((*features, *values), Target("class", "binary", ("no", "yes"))))
    rows = [
        {"x": 0.3, "y": 0.1, "z": 0.9, "g": "p", "h": "p"},
        {"x": 3.0, "y": 1.0, "z": 2.0, "g": "q", "h": "p"},
        {"x": 3.0, "y": 0.0, "z": 2.0, "g": "q", "h": "q"},
        {"x": 0.3, "y": 0.1, "z": 2.0, "g": "new", "h": "new"},
        dict.fromkeys("xyzgh"),
    ]
    some = [(program, row) for row in rows]
    for case, answer in zip(some, answers(some, tmp_path), strict=True):
        check(case, answer)


def test_the_file_shows_the_empty_case_before_anything_is_computed_and_is_the_same_each_time() -> None:
    tools.package("xlsxwriter")
    for target, text in (
        (Target("y", "binary", (False, True)), "IF x < 3 or missing (0.25) THEN y = true"),
        (Target("y", "multiclass", ("a", "b", "c")), "IF x < 3 or missing THEN y = b (0.5) IF x >= 3 THEN y = a"),
        (Target("y", "multilabel", ("a", "b")), "IF x < 3 or missing THEN b"),
    ):
        program = LogicProgram.parse(text, schema=Schema((Feature("x", "continuous"),), target))
        content = to_xlsx(program)
        assert content == to_xlsx(program)
        check((program, {"x": None}), shown(content, program))


def test_the_table_of_rules_can_be_read(tmp_path: Path) -> None:
    tools.package("xlsxwriter")
    sheet = tools.package("openpyxl").load_workbook(BytesIO(to_xlsx(PROGRAM)))["Rules"]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert rows[0] == ["rule", "IF", "THEN", "rows", "precision", "of its label", "weight"]
    assert rows[1][:4] == [1, "albumin != 0\nAND hemoglobin < 12.9 ± 0.3", "class = ckd", 231]
    assert rows[1][4:] == pytest.approx([190 / 231, 190 / 250, 0.97])
    assert rows[3][3:] == [None, None, None, 1]
    assert rows[5][1].startswith("OTHERWISE class = notckd")


def test_texts_that_look_like_formulas_stay_texts() -> None:
    tools.package("xlsxwriter")
    feature = Feature("=1+1", "categorical", ("=HYPERLINK(A1)", "@x", "a"))
    schema = Schema((feature,), Target("=y", "binary", ("=no", "+yes")))
    program = LogicProgram.parse('IF "=1+1" = "=HYPERLINK(A1)" THEN "=y" = "+yes"', schema=schema)
    book = tools.package("openpyxl").load_workbook(BytesIO(to_xlsx(program)))
    formulas = [c.value for sheet in book for row in sheet.iter_rows() for c in row if c.data_type == "f"]
    assert formulas and not any("HYPERLINK" in formula or "1+1" in formula for formula in formulas)


@pytest.mark.parametrize("value", [10**15, 1e308, "a\0b", "x" * 40_000])
def test_what_no_cell_can_hold_is_refused(value: Any) -> None:
    tools.package("xlsxwriter")
    kind = ("a", value) if isinstance(value, str) else (0, value)
    schema = Schema((Feature("x", "categorical", kind),), Target("y", "binary", (0, 1)))
    program = LogicProgram(schema, (Rule((ValueCondition("x", (value,)),), 1, 0.5),), (0.5,), (0.5,))
    with pytest.raises(ValueError, match="Excel"):
        to_xlsx(program)
