"""Every format is found by its name, and the formats that read back give the same program."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given, settings

from nln.export import EXPORTERS, export, to_json, to_text
from nln.rules import Feature, LogicProgram, Schema, Target
from nln.rules.storage.programs import shared_schema
from tests import tools
from tests.export.strategies import cases


def test_every_format_is_found_by_name_and_takes_every_kind_of_target() -> None:
    x = Feature("x", "continuous")
    for target in (
        Target("y", "binary", ("no", "yes")),
        Target("y", "multiclass", (1, 2.5, 3)),
        Target("y", "multilabel", (True, "b")),
    ):
        outputs = len(target.outputs)
        thresholds = () if target.kind == "multiclass" else (0.5,) * outputs
        program = LogicProgram(Schema((x,), target), (), (0.25,) * outputs, thresholds)
        for name, function in EXPORTERS.items():
            if name == "xlsx" and not tools.REQUIRED and find_spec("xlsxwriter") is None:
                continue
            assert program.export(name) == export(program, name) == function(program) != ""


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    program = LogicProgram(Schema((), Target("y", "binary", (0, 1))), (), (0.0,), (0.5,))
    with pytest.raises(ValueError, match="no format 'cobol'; known: 'text', 'markdown'"):
        program.export("cobol")


def test_exports_load_no_optional_package() -> None:
    optional = {"sqlglot", "duckdb", "clingo", "pandas", "lark", "xlsxwriter"}
    code = f"import sys, nln.export; print({optional} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"


@settings(max_examples=50, deadline=None)
@given(cases())
def test_text_and_json_read_back(case: tuple[LogicProgram, Any]) -> None:
    program, _ = case
    assert LogicProgram.parse(to_text(program), schema=program.schema) == program
    again = LogicProgram.from_dict(json.loads(to_json(program, indent=None)))
    assert again == replace(program, schema=shared_schema(program))
