"""Exported JavaScript agrees with programs in Node; one process takes all cases."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings

from nln.export import to_javascript
from nln.export.javascript import evaluator_source, literal
from nln.rules import LogicProgram
from tests.export.agree import check_decisions, check_probabilities
from tests.export.nodejs import run, started
from tests.export.strategies import cases


@pytest.fixture(scope="module")
def node() -> Iterator[subprocess.Popen[str]]:
    with started() as process:
        yield process


@settings(max_examples=100, deadline=None)
@given(case=cases())
def test_javascript_agrees(node: subprocess.Popen[str], case: tuple[LogicProgram, list[dict[str, Any]]]) -> None:
    program, rows = case
    answer = run(node, program, rows)
    assert answer["labels"] == len(program.schema.target.labels)
    assert len(answer["texts"]) == len(program.rules)
    assert all(len(m) == len(program.rules) for m in answer["memberships"])
    check_probabilities(program, rows, answer["probabilities"])
    check_decisions(program, rows, answer["decisions"])


@settings(max_examples=40, deadline=None)
@given(cases())
def test_javascript_cannot_leave_a_script_element(case: tuple[LogicProgram, Any]) -> None:
    source = to_javascript(case[0], module=False)
    assert source.isascii()
    assert "</" not in source and "<!" not in source
    assert "export " not in source.replace('"', "\n").split("\n")[0] and "\nexport " not in source


def test_literals_are_safe_in_a_script_element() -> None:
    assert literal(("</script>", True, 2**60, None)) == r'["\u003c/script>", true, 1152921504606846976n, null]'
    assert evaluator_source().startswith(
        "function evaluator({ kind, labels, biases, thresholds, rules, calculations }) {"
    )
