"""`nln transfer`: the rules of a model reused for another target."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

import typer

from nln.cli.arguments import AsJson, BiasMethod, DataFile, Force, Missing, ModelFile, ModelOutput, Price
from nln.cli.children import ChildFiles
from nln.cli.errors import InputError, refusals_as_input_errors
from nln.cli.inputs import load_program, open_table, used_schema
from nln.cli.outputs import check_output, print_notes, print_result, spinner, write_model
from nln.cli.rows import read_rows
from nln.compose import transfer as transfer_rules
from nln.rules import LogicProgram, Value
from nln.rules.language.words import spelled
from nln.tables.files.table_file import Chunk, TableFile, left_out

_Targets = Annotated[
    list[str],
    typer.Option(metavar="COLUMN", help="Column of the new classes; repeat it for labels, each a column of 0 and 1."),
]
_Fallback = Annotated[
    str | None,
    typer.Option(
        metavar="CLASS",
        help="Of several classes, the one that gets no rules; by default the most frequent.",
    ),
]


def transfer(
    model: ModelFile,
    data: DataFile,
    target: _Targets,
    fallback: _Fallback = None,
    price: Price = None,
    method: BiasMethod = None,
    tables: ChildFiles = None,
    missing: Missing = None,
    output: ModelOutput = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Reuse the rules of a model for another target: copy them, then prune and adjust them on a table."""
    if len({*target}) < len(target):
        raise InputError("A column is given twice as --target. Give each label once.")
    check_output(output, force)
    program = load_program(model)
    asked = [name for name in target if name in program.features_used]
    if asked:
        raise InputError(
            f"Rules of {model} ask about {asked[0]!r}, so it cannot be the new target: they would know the answer. "
            f"Learn a model with nln fit --ignore {shlex.quote(asked[0])}, or give another column."
        )
    rows = _read(open_table(data, missing), program, target, tables, missing)
    y = rows.further[target[0]] if len(target) == 1 else rows.further
    with refusals_as_input_errors(), spinner("pruning and adjusting"):
        found = transfer_rules(
            program,
            rows.X,
            y,
            fallback=None if fallback is None else _find_class(fallback, y),
            price=price or 0.0,
            method=method or "coverage",
            name=target[0] if len(target) == 1 else None,
            tables=rows.tables,
        )
    write_model(found, output)
    print_result(found, found.to_records(), as_json)


def _read(
    file: TableFile, program: LogicProgram, target: list[str], tables: list[str] | None, missing: list[str] | None
) -> Chunk:
    """Read the rows whose new class or labels are known."""
    rows = read_rows(file, used_schema(program), tables=tables, missing=missing, truth=False, further=target)
    known = rows.known()
    if not len(known.rows):
        raise InputError(f"{file.name} has no row with a value of {target[0]!r}. Give rows whose class is known.")
    if len(known.rows) < len(rows.rows):
        print_notes([left_out(len(rows.rows) - len(known.rows))])
    return known


def _find_class(text: str, y: Any) -> Value:
    """Find the class that is written like this; the text itself if there is none, so that an error can name it."""
    values = y.unique().drop_null().to_pylist() if hasattr(y, "unique") else []
    return next((value for value in values if text in (spelled(value), str(value))), text)
