"""`nln rules`: print the rules of a model."""

from __future__ import annotations

from nln.cli.arguments import AsJson, ModelFile
from nln.cli.inputs import load_program
from nln.cli.outputs import print_program


def rules(
    model: ModelFile,
    as_json: AsJson = False,
) -> None:
    """Print the rules of a model."""
    program = load_program(model)
    print_program(program, program.to_records(), as_json)
