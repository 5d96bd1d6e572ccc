"""`nln rules`: print the rules of a model."""

from __future__ import annotations

import json

from nln.cli.arguments import AsJson, ModelFile
from nln.cli.inputs import load_program
from nln.cli.outputs import print_text


def rules(
    model: ModelFile,
    as_json: AsJson = False,
) -> None:
    """Print the rules of a model."""
    program = load_program(model)
    print_text(json.dumps(program.to_records(), ensure_ascii=False, indent=2) if as_json else str(program))
