"""`nln select`: the few rules of a model that do most of its work."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from nln.cli.arguments import AsJson, DataFile, Force, Missing, ModelFile, ModelOutput, TargetColumn
from nln.cli.children import ChildFiles
from nln.cli.errors import InputError, refusals_as_input_errors
from nln.cli.inputs import load_program, open_table, used_schema
from nln.cli.outputs import check_output, print_result, spinner, write_model
from nln.cli.rows import read_rows
from nln.compose import select as select_rules

_Decisions = Annotated[
    bool,
    typer.Option("--decisions", help="Score agreement with the decisions of the whole model: no target is needed."),
]
_MaxRules = Annotated[int | None, typer.Option(metavar="N", min=0, help="Choose at most N rules.")]
_Score = Annotated[
    float | None, typer.Option(metavar="NUMBER", help="Score that is good enough; by default the best possible.")
]
_Metric = Annotated[
    Literal["f1", "accuracy", "balanced_accuracy"] | None,
    typer.Option(help="Score to compute on the rows: f1 by default, accuracy with --decisions."),
]


def select(
    model: ModelFile,
    data: DataFile,
    target: TargetColumn = None,
    decisions: _Decisions = False,
    max_rules: _MaxRules = None,
    score: _Score = None,
    metric: _Metric = None,
    tables: ChildFiles = None,
    missing: Missing = None,
    output: ModelOutput = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Choose the fewest rules that reach the best score on a table, or a given score, or the best N rules."""
    if decisions and target is not None:
        raise InputError("--decisions compares with what the model decides, not with --target. Leave one of them out.")
    check_output(output, force)
    program = load_program(model)
    file = open_table(data, missing)
    rows = read_rows(file, used_schema(program), tables=tables, missing=missing, target=target, truth=not decisions)
    with refusals_as_input_errors(), spinner("choosing rules"):
        scored = metric or ("accuracy" if decisions else "f1")
        found = select_rules(program, rows.X, rows.y, n_rules=max_rules, score=score, metric=scored, tables=rows.tables)
    write_model(found.program, output)
    print_result(found, found.to_dict(), as_json)
