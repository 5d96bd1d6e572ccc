"""`nln report`: an HTML page about a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nln.cli.arguments import Force, ModelFile
from nln.cli.inputs import InputError, load_program
from nln.cli.outputs import check_output, write_output


def report(
    model: ModelFile,
    table: Annotated[Path, typer.Argument(metavar="DATA.csv", help="Rows to score, with a header; may end in .gz.")],
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the true classes; by default the model's target.")
    ] = None,
    include_rows: Annotated[
        str, typer.Option(metavar="N|all|none", help="Rows that the page may hold; records may be private.")
    ] = "none",
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write.")] = Path(
        "report.html"
    ),
    force: Force = False,
) -> None:
    """Write an HTML page about a model: its rules, their scores on a table, and tools to try them."""
    from nln.report import render, summarize  # noqa: PLC0415 - needs an extra
    from nln.tables.csvfile import read_csv  # noqa: PLC0415

    rows = _read_rows(include_rows)
    check_output(output, force)
    program = load_program(model)
    try:
        columns, truth = read_csv(table, program.schema, target)
    except FileNotFoundError:
        raise InputError(f"There is no file {table}. Give a comma-separated file with a header.") from None
    except ValueError as error:
        raise InputError(str(error)) from None
    found = summarize(program, columns, truth, title=title, include_rows=rows)
    write_output(render(found).encode(), output)


def _read_rows(text: str) -> bool | int:
    if text in ("all", "none"):
        return text == "all"
    if not (text.isascii() and text.isdigit() and int(text)):
        raise InputError(f"--include-rows takes a number of rows, all or none, not {text!r}.")
    return int(text)
