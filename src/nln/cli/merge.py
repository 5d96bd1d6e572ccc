"""`nln merge`: the rules of several models in one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from nln.cli.arguments import AsJson, BiasMethod, Force, Missing, ModelOutput, Price, RowsFile, TargetColumn
from nln.cli.children import ChildFiles
from nln.cli.errors import InputError, refusals_as_input_errors
from nln.cli.inputs import load_program, open_table, used_schema
from nln.cli.outputs import check_output, print_result, spinner, write_model
from nln.cli.rows import read_rows
from nln.compose import merge as merge_programs


def merge(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL.json", help="Model files or program files for one target.")
    ],
    data: RowsFile = None,
    target: TargetColumn = None,
    price: Price = None,
    method: BiasMethod = None,
    tables: ChildFiles = None,
    missing: Missing = None,
    output: ModelOutput = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Merge models for one target, learned from different folds, with different seeds or at different sites.

    With a table, also prune the rules and adjust their weights on its rows.
    """
    if data is None:
        _check_unused(price=price, method=method, target=target, missing=missing or None, table=tables or None)
    check_output(output, force)
    programs = [load_program(path) for path in models]
    rows: dict[str, Any] = {}
    if data is not None:
        file = open_table(data, missing)
        read = read_rows(file, used_schema(*programs), tables=tables, missing=missing, target=target)
        rows = {"X": read.X, "y": read.y, "tables": read.tables}
    with refusals_as_input_errors(), spinner("merging"):
        merged = merge_programs(
            programs, names=names_of(models), price=price or 0.0, method=method or "coverage", **rows
        )
    write_model(merged.program, output)
    print_result(merged, merged.to_records(), as_json)


def names_of(paths: list[Path]) -> list[str]:
    """Name files by their stems, or by their paths if two stems are equal."""
    stems = [path.stem for path in paths]
    return stems if len(set(stems)) == len(stems) else [path.as_posix() for path in paths]


def _check_unused(**options: Any) -> None:
    """Refuse options about rows if no rows are given."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"--{name} is about rows, but no rows are given. Give them with --data DATA.")
