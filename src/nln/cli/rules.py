"""`nln rules`: print the rules of a model."""

from __future__ import annotations

from nln.cli.arguments import AsJson, ModelFile
from nln.cli.inputs import load_program
from nln.cli.outputs import print_json, print_text


def rules(
    model: ModelFile,
    as_json: AsJson = False,
) -> None:
    """Print the rules of a model."""
    program = load_program(model)
    print_json(program.to_records()) if as_json else print_text(str(program))
