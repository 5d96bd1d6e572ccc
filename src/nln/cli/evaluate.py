"""`nln evaluate`: the scores of a model on a table file with known classes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from nln.cli.arguments import AsJson, DataFile, Missing, ModelFile, TargetColumn
from nln.cli.children import ChildFiles, child_files
from nln.cli.errors import refusals_as_input_errors
from nln.cli.inputs import load_program, open_table
from nln.cli.outputs import counting_rows, print_json, print_notes, print_text, text_table
from nln.cli.rows import chunks_of
from nln.rules import LogicProgram, memberships, probabilities
from nln.rules.language.text import conclusion_text
from nln.rules.language.words import counted, spelled
from nln.rules.rule import add_coverage
from nln.scores import TITLES, Outcomes, compute_scores, count_confusion, find_outcomes, join_outcomes
from nln.tables.files.table_file import Chunk


def evaluate(
    model: ModelFile,
    data: DataFile,
    target: TargetColumn = None,
    tables: ChildFiles = None,
    missing: Missing = None,
    as_json: AsJson = False,
) -> None:
    """Score a model on a table: accuracy, F1, AUC, log loss, Brier score, confusion, and what each rule covers."""
    program = load_program(model)
    children = child_files(program.schema, program.features_used, tables)
    table = open_table(data, missing)
    with refusals_as_input_errors():
        chunks = chunks_of(table, program, children, missing, target=target, truth=True)
        program, outcomes, silent = judge(program, counting_rows(chunks))
    print_notes(table.notes)
    scores, confusion = compute_scores(outcomes), count_confusion(outcomes)
    rows = len(outcomes.holds)
    if as_json:
        labels = list(program.schema.target.labels)
        about = {"rows": rows, "scores": scores, "labels": labels, "confusion": confusion}
        print_json({**about, "rows_no_rule_covers": silent, "rules": program.to_records()})
        return
    print_text("\n".join(_lines(program, scores, confusion, rows, silent)))


def judge(program: LogicProgram, chunks: Iterable[Chunk]) -> tuple[LogicProgram, Outcomes, int]:
    """Return the program with the coverage of its rules, the outcome of each row, and how many rows no rule covers."""
    found, counts, silent = [], [], 0
    for chunk in chunks:
        rows = len(chunk.rows)
        columns, truth = chunk.columns(program.schema, only=program.features_used), chunk.truth(program.schema)
        found.append(find_outcomes(program, probabilities(program, columns, rows=rows), truth))
        counts.append([rule.coverage for rule in program.count_coverage(columns, truth).rules])
        silent += int(np.count_nonzero((memberships(program, columns, rows=rows) < 0.5).all(axis=1)))
    totals = [reduce(add_coverage, some) for some in zip(*counts, strict=True)]
    rules = [replace(rule, coverage=total) for rule, total in zip(program.rules, totals, strict=True)]
    return replace(program, rules=tuple(rules)), join_outcomes(found), silent


def _lines(
    program: LogicProgram, scores: dict[str, float | None], confusion: list[list[int]], rows: int, silent: int
) -> list[str]:
    said = [(TITLES[name], "not defined" if v is None else f"{v:.3f}") for name, v in scores.items()]
    return [
        f"{counted(program.n_rules, 'rule')} on {counted(rows, 'row')}",
        "",
        *text_table(said),
        "",
        *_confusion_lines(program, confusion),
        "",
        *(_rule_lines(program) if program.rules else ["The model has no rules."]),
        f"No rule covers {counted(silent, 'row')}.",
    ]


def _confusion_lines(program: LogicProgram, confusion: list[list[int]]) -> list[str]:
    labels = [spelled(label) for label in program.schema.target.labels]
    head = ["true class", *(f"decided {label}" for label in labels)]
    if program.schema.target.kind == "multilabel":
        head = ["label", "right", "wrongly decided", "missed", "rightly not"]
    cells = [head, *([label, *map(str, row)] for label, row in zip(labels, confusion, strict=True))]
    return text_table(cells, right=range(1, len(head)))


def _rule_lines(program: LogicProgram) -> list[str]:
    target, cells = program.schema.target, [["rule", "concludes", "rows", "right", "conditions"]]
    for record, rule in zip(program.to_records(), program.rules, strict=True):
        precision: Any = record["precision"]
        right = "-" if precision is None else f"{precision:.0%}".replace("%", " %")
        said = conclusion_text(target, rule.label)
        cells.append([str(record["rule"]), said, str(record["rows"]), right, str(record["conditions"])])
    return text_table(cells, right=(0, 2, 3))
