"""The page's evaluator agrees with programs and with the JavaScript export, in Node, and so does the text it writes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.export.javascript import evaluator_source
from nln.report.counts import describe_feature
from nln.report.pagedata import program_data, rows_data
from nln.rules import Feature, LogicProgram, Schema, Target, read_columns
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.language.text import rule_line
from nln.rules.language.words import percent
from tests import tools
from tests.export import nodejs
from tests.export.agree import CLOSE, check_decisions, check_probabilities
from tests.export.strategies import cases
from tests.rules.children import strategies as children

DRIVER = """
import { createInterface } from "node:readline";
const [evaluatorSource, wordsSource] = process.argv.slice(1);
const evaluator = new Function(evaluatorSource + "; return evaluator")();
const words = new Function("features", wordsSource + "; return { conditionText, ruleLine, percent }");
for await (const line of createInterface({ input: process.stdin })) {
  const { program, features, columns, shares } = JSON.parse(line);
  const { conditionText, ruleLine, percent } = words(features);
  const rows = columns[0].map((_, i) => columns.map((column) => column[i]));
  const model = evaluator(program);
  console.log(JSON.stringify({
    memberships: rows.map((row) => model.memberships(row)),
    probabilities: rows.map((row) => model.predictProba(row)),
    decisions: rows.map((row) => model.predict(row)),
    shares: shares.map((share) => percent(share)),
    texts: program.rules.map((rule) => ruleLine({
      ...rule, conditions: rule.conditions.map((condition) => ({ ...condition, text: conditionText(condition) })),
    })),
  }));
}
"""


@pytest.fixture(scope="module")
def page() -> Iterator[subprocess.Popen[str]]:
    words = files("nln.report").joinpath("page", "words.js").read_text(encoding="utf-8")
    command = [tools.program("node"), "--input-type=module", "-e", DRIVER, evaluator_source(), words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        yield process
        assert process.stdin
        process.stdin.close()


@pytest.fixture(scope="module")
def export() -> Iterator[subprocess.Popen[str]]:
    with nodejs.started() as process:
        yield process


def run(
    page: subprocess.Popen[str],
    program: LogicProgram,
    rows: list[dict[str, Any]],
    shares: tuple[float, ...] = (),
    tables: Any = None,
) -> Any:
    assert page.stdin and page.stdout
    columns = read_columns(rows, program.schema, tables=tables)
    truth = np.zeros((len(rows), len(program.schema.target.outputs)), bool)
    cells = rows_data(columns, truth, np.arange(len(rows)), program.schema)["columns"]
    features = [describe_feature(f, columns[f.name], truth) for f in program.schema.features]
    asked = {"program": program_data(program), "features": features, "columns": cells, "shares": shares}
    sent = json.dumps(asked, allow_nan=False)
    page.stdin.write(sent + "\n")
    page.stdin.flush()
    return json.loads(page.stdout.readline())


@settings(max_examples=100, deadline=None)
@given(case=cases())
def test_the_evaluator_agrees(
    page: subprocess.Popen[str], export: subprocess.Popen[str], case: tuple[LogicProgram, list[dict[str, Any]]]
) -> None:
    program, rows = case
    answer = run(page, program, rows)
    check_probabilities(program, rows, answer["probabilities"])
    check_decisions(program, rows, answer["decisions"])
    exported = nodejs.run(export, program, rows)
    for name in ("memberships", "probabilities"):
        np.testing.assert_allclose(np.array(answer[name], float), np.array(exported[name], float), rtol=0, atol=CLOSE)
    # What the page writes of an edited rule means the same when it is parsed.
    for rule, text in zip(program.rules, answer["texts"], strict=True):
        parsed = LogicProgram.parse(text, schema=program.schema)
        asked = [program.schema[condition.feature] for condition in rule.conditions]
        if all(feature.is_named or not isinstance(feature.derived, Arithmetic) for feature in asked):
            assert text == rule_line(parsed.rules[0], program.schema)  # of arithmetic the page writes the plain form
        written = replace(program, rules=(replace(rule, coverage=None),))
        assert meaning(parsed) == meaning(written)


@settings(max_examples=100, deadline=None)
@given(program=children.programs(), given=children.tables())
def test_counted_rows_are_given_as_columns(
    page: subprocess.Popen[str], program: LogicProgram, given: children.Tables
) -> None:
    rows = given[0] or [{"patient": 1, "age": 1.0}]
    tables = {"visits": given[1]}
    answer = run(page, program, rows, tables=tables)
    expected = program.predict_proba(rows, tables=tables)
    np.testing.assert_allclose(np.array(answer["probabilities"], float), expected, rtol=0, atol=CLOSE)
    plain = Schema((children.AGE,), children.TARGET, (children.VISITS,))
    for rule, text in zip(program.rules, answer["texts"], strict=True):
        assert LogicProgram.parse(text, schema=plain).rules[0].conditions == rule.conditions
        assert text == rule_line(rule, program.schema)


@settings(max_examples=50, deadline=None)
@given(counts=st.lists(st.integers(0, 10**6).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of + 1)))))
def test_percents_read_as_in_python(page: subprocess.Popen[str], counts: list[tuple[int, int]]) -> None:
    program = LogicProgram(Schema((Feature("x", "continuous"),), Target("y", "binary", (0, 1))), (), (0.5,), (0.5,))
    shares = (0.0, 1.0, 0.5, 0.005, 0.995, 1 / 3, 1e-9, *(hits / of for hits, of in counts))
    assert run(page, program, [{"x": 1}], shares)["shares"] == [percent(share) for share in shares]


def meaning(program: LogicProgram) -> list[dict[str, Any]]:
    """The rules as the page computes with them, without their text."""
    rules: list[dict[str, Any]] = program_data(program)["rules"]
    for rule in rules:
        del rule["numbers"], rule["starts"]
        for condition in rule["conditions"]:
            del condition["text"]
            if "values" in condition:
                condition["values"].sort()
    return rules
