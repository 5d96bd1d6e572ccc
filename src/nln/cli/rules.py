"""`nln rules`: print the rules of a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from nln.cli.arguments import AsJson, Force, ModelFile, ModelOutput
from nln.cli.errors import refusals_as_input_errors
from nln.cli.inputs import load_saved
from nln.cli.outputs import check_output, print_program, write_output
from nln.rules.storage.files import model_bytes

_MaxRules = Annotated[
    int | None,
    typer.Option(metavar="N", min=0, help="Turn the dial: the program of at most N rules that was learned with it."),
]


def rules(
    model: ModelFile,
    max_rules: _MaxRules = None,
    output: ModelOutput = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Print the rules of a model, or those of another stage of its dial, and write that stage as a model."""
    check_output(output, force)
    saved = load_saved(model)
    if max_rules is not None:
        with refusals_as_input_errors():
            saved = replace(saved, program_=saved.at(max_rules), importances=())
    if output is not None:
        write_output(model_bytes(saved.to_dict()), output)
    print_program(saved.program_, saved.program_.to_records(), as_json)
