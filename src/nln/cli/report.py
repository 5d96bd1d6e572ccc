"""`nln report`: an HTML page about a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nln.cli.arguments import DataFile, Force, Missing, ModelFile, TargetColumn
from nln.cli.errors import InputError, refusals_as_input_errors
from nln.cli.inputs import load_saved, open_table, read_rows
from nln.cli.outputs import check_output, spinner, write_output
from nln.report import render, summarize


def report(
    model: ModelFile,
    data: DataFile,
    target: TargetColumn = None,
    include_rows: Annotated[
        str, typer.Option(metavar="N|all|none", help="How many rows the page may contain; records may be private.")
    ] = "none",
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File to write.")] = Path(
        "report.html"
    ),
    missing: Missing = None,
    force: Force = False,
) -> None:
    """Write an HTML page about a model: its rules, their scores on a table, and tools to try them."""
    rows = _read_number_of_rows(include_rows)
    check_output(output, force)
    saved = load_saved(model)
    program = saved.program_
    table = read_rows(open_table(data, missing), program.schema, target=target)
    with refusals_as_input_errors():
        columns, truth = table.columns(program.schema), table.truth(program.schema)
    with spinner("writing the page"):
        found = summarize(program, columns, truth, title=title, include_rows=rows, model=saved, path=saved.path_)
        write_output(render(found).encode(errors="replace"), output)


def _read_number_of_rows(text: str) -> bool | int:
    if text in ("all", "none"):
        return text == "all"
    if not (text.isascii() and text.isdigit() and int(text)):
        raise InputError(f"--include-rows takes a number of rows, all or none, not {text!r}.")
    return int(text)
