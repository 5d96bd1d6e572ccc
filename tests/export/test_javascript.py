"""Exported JavaScript agrees with programs in Node; one process takes all cases."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings

from nln.export import to_javascript
from nln.export.javascript import literal
from nln.rules import LogicProgram
from tests import tools
from tests.export.agree import check_decisions, check_probabilities
from tests.export.strategies import cases

DRIVER = """
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { source, rows } = JSON.parse(line);
  const load = (text) => import("data:text/javascript;base64," + Buffer.from(text).toString("base64"));
  const program = await load(source);
  const table = (await load("export default " + rows)).default;
  const place = (decision) => (Array.isArray(decision) ? decision : program.labels.indexOf(decision));
  console.log(JSON.stringify({
    labels: program.labels.length,
    texts: program.rules.map((rule) => rule.text),
    memberships: table.map((row) => program.memberships(row)),
    probabilities: table.map((row) => program.predictProba(row)),
    decisions: table.map((row) => place(program.predict(row))),
  }));
}
"""


@pytest.fixture(scope="module")
def node() -> Iterator[subprocess.Popen[str]]:
    command = [tools.program("node"), "--input-type=module", "-e", DRIVER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        yield process
        assert process.stdin
        process.stdin.close()


def entry(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    return literal(value)


def run(node: subprocess.Popen[str], program: LogicProgram, rows: list[dict[str, Any]]) -> Any:
    assert node.stdin and node.stdout
    pairs = (", ".join(f"[{literal(name)}, {entry(value)}]" for name, value in row.items()) for row in rows)
    table = f"[{', '.join(f'Object.fromEntries([{row}])' for row in pairs)}]"
    node.stdin.write(json.dumps({"source": to_javascript(program), "rows": table}) + "\n")
    node.stdin.flush()
    return json.loads(node.stdout.readline())


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
