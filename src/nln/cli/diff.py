"""`nln diff`: what two models have in common and where they differ."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nln.cli.arguments import AsJson, Missing, RowsFile
from nln.cli.children import ChildFiles, check_has_rows
from nln.cli.errors import refusals_as_input_errors
from nln.cli.inputs import load_program, open_table, used_schema
from nln.cli.outputs import print_result, spinner
from nln.cli.rows import read_rows
from nln.compose import diff as diff_programs


def diff(
    first: Annotated[Path, typer.Argument(metavar="A.json", help="Model file or program file.")],
    second: Annotated[Path, typer.Argument(metavar="B.json", help="The file to compare it with.")],
    data: RowsFile = None,
    tables: ChildFiles = None,
    missing: Missing = None,
    as_json: AsJson = False,
) -> None:
    """Show which rules two models share, which of them changed and how, and which only one of the models has.

    With a table, also show which rows they decide differently.
    """
    check_has_rows(data, tables)
    programs = load_program(first), load_program(second)
    X, children = None, None
    if data is not None:
        schema = used_schema(*programs)
        rows = read_rows(open_table(data, missing), schema, tables=tables, missing=missing, truth=False)
        X, children = rows.X, rows.tables
    with refusals_as_input_errors(), spinner("comparing"):
        found = diff_programs(*programs, X, names=(str(first), str(second)), tables=children)
    print_result(found, found.to_dict(), as_json)
