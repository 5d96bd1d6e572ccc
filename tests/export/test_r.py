"""Exported R agrees with programs in R; one process takes all cases."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nln.export import to_r
from nln.export.r import number_literal, text_literal
from nln.export.wording import result_names, spelling
from nln.rules import Boundary, Feature, Interval, IntervalCondition, LogicProgram, Rule, Schema, Target
from tests import tools
from tests.export.agree import check_decisions, check_probabilities
from tests.export.strategies import cases, is_plain, values_of

DRIVER = """
input <- file("stdin", "r")
while (length(line <- readLines(input, 1))) {
  case <- new.env()
  source(line, local = case, encoding = "UTF-8")
  for (data in case$tables) {
    answer <- tryCatch({
      found <- case$predict_rules(data)
      stopifnot(nrow(found) == nrow(data), identical(enc2utf8(names(found)), enc2utf8(case$names)))
      decided <- found[-seq_len(case$probabilities)]
      if (length(case$labels)) decided <- match(decided[[1]], case$labels) - 1
      sprintf("%.17g", unlist(c(found[seq_len(case$probabilities)], decided)))
    }, error = conditionMessage)
    cat(gsub("[\\n\\t]", " ", answer), sep = "\\t")
    cat("\\n")
  }
}
"""

Process = tuple["subprocess.Popen[str]", Path]


@pytest.fixture(scope="module")
def rscript(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    folder = tmp_path_factory.mktemp("r")
    (folder / "driver.R").write_text(DRIVER)
    command = [tools.program("Rscript"), "--vanilla", str(folder / "driver.R")]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
    ) as process:
        yield process, folder
        assert process.stdin
        process.stdin.close()


def cell(value: Any) -> str:
    if value is None:
        return "NA"
    if isinstance(value, str):
        return text_literal(value)
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": "NaN", "inf": "Inf", "-inf": "-Inf"}[str(value)]
    return number_literal(value + 0)


def table(rows: list[dict[str, Any]]) -> str:
    columns = ", ".join(f"c({', '.join(cell(row[name]) for row in rows)})" for name in rows[0])
    names = ", ".join(map(text_literal, rows[0]))
    return f"structure(list({columns}), names = c({names}), row.names = c(NA, -{len(rows)}L), class = 'data.frame')"


def run(rscript: Process, program: LogicProgram, tables: list[str]) -> list[list[str]]:
    """Run the exported function on tables, written in R; return the fields of its answer to each."""
    process, folder = rscript
    assert process.stdin and process.stdout
    names = result_names(program.schema, labels=True)
    labels = program.schema.target.labels
    if len({isinstance(label, str) for label in labels}) > 1:
        labels = tuple(map(spelling, labels))
    decided = () if program.schema.target.kind == "multilabel" else labels
    lines = [
        f"tables <- list({', '.join(tables)})",
        f"labels <- c({', '.join(map(cell, decided))})",
        f"names <- c({', '.join(map(text_literal, (*names.probabilities, *names.decisions)))})",
        f"probabilities <- {len(labels)}",
    ]
    (folder / "case.R").write_text("\n".join([to_r(program), *lines, ""]), encoding="utf-8")
    process.stdin.write(f"{folder / 'case.R'}\n")
    process.stdin.flush()
    return [process.stdout.readline().rstrip("\n").split("\t") for _ in tables]


@settings(max_examples=100, deadline=None)
@given(case=cases())
def test_r_agrees(rscript: Process, case: tuple[LogicProgram, list[dict[str, Any]]]) -> None:
    program, rows = case
    assume(all(map(is_plain, [*values_of(program), *program.schema.names])))
    answers = [[float(field) for field in answer] for answer in run(rscript, program, [table([row]) for row in rows])]
    k = len(program.schema.target.labels)
    check_probabilities(program, rows, [answer[:k] for answer in answers])
    decisions = [[int(field) for field in answer[k:]] for answer in answers]
    is_multilabel = program.schema.target.kind == "multilabel"
    check_decisions(program, rows, decisions if is_multilabel else [one for (one,) in decisions])


def test_a_table_of_many_rows_is_decided_at_once_and_factors_are_text(rscript: Process) -> None:
    features = (Feature("colour", "categorical", ("blue", "red")), Feature("x", "continuous"))
    schema = Schema(features, Target("y", "binary", (False, True)))
    program = LogicProgram.parse("IF colour = red AND x < 3 ± 1 or missing (0.5) THEN y = true", schema=schema)
    rows = [{"colour": c, "x": x} for c in ("blue", "red", None) for x in (1, 3.5, None)]
    plain = table(rows)
    factors = f"transform({plain}, colour = factor(colour))"
    for (answer,) in (run(rscript, program, [plain]), run(rscript, program, [factors])):
        numbers = [float(field) for field in answer]
        check_probabilities(program, rows, list(zip(numbers[:9], numbers[9:18], strict=True)))
        check_decisions(program, rows, [int(number) for number in numbers[18:]])
    (empty,) = run(rscript, program, [f"{plain}[0, ]"])
    assert empty == [""]


def test_wrong_columns_are_refused(rscript: Process) -> None:
    features = (Feature("x", "continuous"), Feature("p", "probability"))
    schema = Schema(features, Target("y", "binary", (0, 1)))
    program = LogicProgram.parse("IF x < 3 AND p = 1 THEN y = 1", schema=schema)
    tables = ["data.frame(p = 0)", "data.frame(x = 'a', p = 0)", "data.frame(x = 1, p = 2)"]
    answers = run(rscript, program, tables)
    assert "The data lack the column 'x'." in answers[0][0]
    assert "The column 'x' must hold numbers." in answers[1][0]
    assert "The column 'p' must hold probabilities from 0 to 1." in answers[2][0]


def test_text_is_ascii_and_numbers_are_exact(rscript: Process) -> None:
    assert text_literal('a"\\\n😀') == r'"a\"\\\U{a}\U{1f600}"'
    assert [number_literal(number) for number in (3, 12.9, 3.0, 1e-7)] == ["3", "12.9", "3", "0x1.ad7f29abcaf48p-24"]
    with pytest.raises(ValueError, match="do not hold the whole number 9007199254740993"):
        number_literal(2**53 + 1)
    with pytest.raises(ValueError, match="NUL"):
        text_literal("\0")


@settings(max_examples=20, deadline=None)
@given(numbers=st.lists(st.floats(-1e300, 1e300), min_size=20, max_size=20))
def test_r_reads_every_number_exactly(rscript: Process, numbers: list[float]) -> None:
    numbers += [float(f"{x:.14e}") for x in numbers] + [float(f"{x % 1e6:.6g}") for x in numbers]
    schema = Schema((Feature("x", "continuous"),), Target("y", "binary", (0, 1)))
    for start in range(0, len(numbers), 10):
        some = sorted(set(numbers[start : start + 10]))
        cuts = tuple(Interval(Boundary(a), Boundary(math.nextafter(a, math.inf))) for a in some)
        program = LogicProgram(schema, (Rule((IntervalCondition("x", cuts),), 1, 1.0),), (0.0,), (0.5,))
        rows = [{"x": x} for a in some for x in (math.nextafter(a, -math.inf), a, math.nextafter(a, math.inf))]
        (answer,) = run(rscript, program, [table(rows)])
        check_decisions(program, rows, [int(field) for field in answer[2 * len(rows) :]])
