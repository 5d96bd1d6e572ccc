"""`nln transfer`: the rules of a model put to use for another target."""

from __future__ import annotations

from typing import Annotated

import typer

from nln.cli.arguments import AsJson, BiasMethod, DataFile, Force, Missing, ModelFile, ModelOutput, Price
from nln.cli.inputs import load_program, open_table, users_mistakes
from nln.cli.outputs import check_output, print_json, print_notes, print_text, write_model
from nln.cli.rows import used_schema
from nln.cli.stages import stage


def transfer(
    model: ModelFile,
    data: DataFile,
    target: Annotated[
        list[str],
        typer.Option(metavar="COLUMN", help="Column of the new classes. Repeated: columns of 0 and 1, one a label."),
    ],
    price: Price = None,
    method: BiasMethod = None,
    missing: Missing = None,
    output: ModelOutput = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Put the rules of a model to use for another target: copied, pruned and adjusted on a table."""
    from nln.compose import transfer as transfer_rules  # noqa: PLC0415 - heavy, as all of composing

    options = {name: given for name, given in (("price", price), ("method", method)) if given is not None}
    if output is not None:
        check_output(output, force)
    program = load_program(model)
    with users_mistakes():
        with stage(f"reading {data}"):
            file = open_table(data, missing)
            rows = file.rows(used_schema(program), also=target, truth=False)
        print_notes(file.notes)
        with stage("pruning and adjusting"):
            y = rows.also[target[0]] if len(target) == 1 else rows.also
            found = transfer_rules(program, rows.X, y, **options)
    if output is not None:
        write_model(found, output)
    print_json(found.to_records()) if as_json else print_text(found.summary())
