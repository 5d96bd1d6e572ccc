"""Exported Python source agrees with programs."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given, settings

from nln.export import to_python
from nln.rules import Feature, LogicProgram, Schema, Target
from tests.export.agree import check_decisions, check_probabilities
from tests.export.loading import loaded
from tests.export.strategies import cases


@settings(max_examples=120, deadline=None)
@given(cases())
def test_python_agrees(case: tuple[LogicProgram, list[dict[str, Any]]]) -> None:
    program, rows = case
    module = loaded(to_python(program))
    labels = program.schema.target.labels
    probabilities = [module["predict_proba"](row) for row in rows]
    assert all(tuple(p) == labels for p in probabilities)
    check_probabilities(program, rows, [list(p.values()) for p in probabilities])
    decided = [module["predict"](row) for row in rows]
    is_dict = program.schema.target.kind == "multilabel"
    check_decisions(program, rows, [list(d.values()) if is_dict else labels.index(d) for d in decided])


@settings(max_examples=50, deadline=None)
@given(cases())
def test_python_imports_math_only_and_needs_no_encoding(case: tuple[LogicProgram, Any]) -> None:
    source = to_python(case[0])
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imports] == ["import math"]
    source.encode()


def test_text_in_place_of_a_number_is_refused() -> None:
    schema = Schema((Feature("x", "continuous"),), Target("y", "binary", ("no", "yes")))
    module = loaded(to_python(LogicProgram.parse("IF x < 1 THEN y = yes", schema=schema)))
    with pytest.raises(TypeError, match=r"not '0\.5'"):
        module["predict"]({"x": "0.5"})
