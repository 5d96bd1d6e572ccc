"""`nln card`: a model card, the facts about a model on one page, with the rest left to fill in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from nln.cli.arguments import Force, Missing, ModelFile, Output, TargetColumn
from nln.cli.children import ChildFiles, check_has_rows, child_files
from nln.cli.errors import refusals_as_input_errors
from nln.cli.evaluate import judge
from nln.cli.inputs import load_saved, open_table
from nln.cli.outputs import as_lines, check_output, counting_rows, print_notes, print_text, write_output
from nln.cli.rows import chunks_of
from nln.made import Made
from nln.report.card import model_card
from nln.rules.language.words import counted
from nln.scores import compute_scores

_Rows = Annotated[
    Path | None, typer.Argument(metavar="[DATA]", help="Table file with known classes to score the model on.")
]


def card(
    model: ModelFile,
    data: _Rows = None,
    target: TargetColumn = None,
    tables: ChildFiles = None,
    missing: Missing = None,
    output: Output = None,
    force: Force = False,
) -> None:
    """Write a model card in Markdown: data, seed, versions, scores and rules. Intended use is left to fill in."""
    check_has_rows(data, tables)
    check_output(output, force)
    found = load_saved(model)
    if data is not None:
        program = found.program_
        children = child_files(program.schema, program.features_used, tables)
        table = open_table(data, missing)
        with refusals_as_input_errors():
            chunks = chunks_of(table, program, children, missing, target=target, truth=True)
            _, outcomes, _ = judge(program, counting_rows(chunks))
        print_notes(table.notes)
        scores = {name: score for name, score in compute_scores(outcomes).items() if score is not None}
        where = f"{Path(table.name).name} ({counted(len(outcomes.holds), 'row')})"
        made = found.made_ or Made()
        found = replace(found, made_=replace(made, scores={**made.scores, where: scores}))
    text = model_card(found)
    if output is None:
        print_text(text)
    else:
        write_output(as_lines(text), output)
