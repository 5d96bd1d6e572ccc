"""`nln explain`: why a row got its decision, and what would change it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from nln.cli.arguments import AsJson, DataFile, Missing, ModelFile
from nln.cli.children import ChildFiles, child_files
from nln.cli.errors import InputError, refusals_as_input_errors
from nln.cli.inputs import load_program, open_table
from nln.cli.outputs import print_json, print_text
from nln.cli.rows import chunks_of
from nln.rules.children.reading import Tables
from nln.rules.explain.counterfactuals import Counterfactual
from nln.tables.files.table_file import Chunk

_MISSES = 3
"""How many rules that did not fire the details show for each class."""


def explain(
    model: ModelFile,
    data: DataFile,
    row: Annotated[int, typer.Option(metavar="N", min=0, help="Row to explain; row 0 is the first below the header.")],
    tables: ChildFiles = None,
    details: Annotated[
        bool,
        typer.Option("--details", help="Also show all rules that fired and their shares, and the nearest misses."),
    ] = False,
    counterfactuals: Annotated[
        bool, typer.Option("--counterfactuals", help="Also show the smallest changes that lead to another decision.")
    ] = False,
    frozen: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Column that must stay as it is; may be repeated.")
    ] = None,
    missing: Missing = None,
    as_json: AsJson = False,
) -> None:
    """Say why a row got its decision, in plain sentences."""
    program = load_program(model)
    if frozen and not counterfactuals:
        raise InputError("--frozen restricts what --counterfactuals shows. Give both or neither.")
    named = child_files(program.schema, program.features_used, tables)
    table = open_table(data, missing)
    with refusals_as_input_errors():
        cells, children = _find_row(chunks_of(table, program, named, missing), row, table.name)
        explanation = program.explain(cells, tables=children)
        changes = program.counterfactuals(cells, frozen=frozen or (), tables=children) if counterfactuals else None
    if as_json:
        found = {} if changes is None else {"counterfactuals": [change.to_dict() for change in changes]}
        print_json({"row": row, "values": cells, **explanation.to_dict(), **found})  # type: ignore[union-attr]
    else:
        more = ["", explanation.details(_MISSES)] if details else []  # type: ignore[union-attr]
        print_text("\n".join([str(explanation), *more, *_change_lines(changes)]))


def _find_row(chunks: Iterable[Chunk], row: int, file: str) -> tuple[dict[str, Any], Tables | None]:
    """Read as far as a row and return its cells as plain values, and the child tables."""
    rows = 0
    for chunk in chunks:
        if row < rows + len(chunk.rows):
            return {name: cells.cell(row - rows) for name, cells in chunk.X.items()}, chunk.tables
        rows += len(chunk.rows)
    raise InputError(f"{file} has no row {row}; its rows are 0 to {rows - 1}.")


def _change_lines(changes: list[Counterfactual] | None) -> list[str]:
    if changes is None:
        return []
    if not changes:
        return ["", "No change of these features leads to another decision."]
    return ["", "The smallest changes that lead to another decision:", *(f"  {change}." for change in changes)]
