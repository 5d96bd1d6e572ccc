"""`nln report`: an HTML page about a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nln.cli.arguments import DataFile, Force, Missing, ModelFile, TargetColumn
from nln.cli.children import ChildFiles
from nln.cli.errors import InputError, refusals_as_input_errors
from nln.cli.inputs import load_saved, open_table
from nln.cli.outputs import check_output, spinner, write_output
from nln.cli.rows import read_rows
from nln.report import render, summarize
from nln.report.write import read_all


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
    tables: ChildFiles = None,
    missing: Missing = None,
    force: Force = False,
) -> None:
    """Write an HTML page about a model: its rules, their scores on a table, and tools to try them."""
    shown = _read_number_of_rows(include_rows)
    check_output(output, force)
    saved = load_saved(model)
    program = saved.program_
    used = {*program.features_used, *saved.path_.features_used}
    file = open_table(data, missing)
    rows = read_rows(file, program.schema, used=used, tables=tables, missing=missing, target=target)
    with refusals_as_input_errors():
        columns, truth = read_all(saved, rows.X, rows.tables).columns, rows.truth(program.schema)
    with spinner("writing the page"):
        found = summarize(program, columns, truth, title=title, include_rows=shown, model=saved, path=saved.path_)
        write_output(render(found).encode(errors="replace"), output)


def _read_number_of_rows(text: str) -> bool | int:
    if text in ("all", "none"):
        return text == "all"
    if not (text.isascii() and text.isdigit() and int(text)):
        raise InputError(f"--include-rows takes a number of rows, all or none, not {text!r}.")
    return int(text)
