"""Arguments that several commands share, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ModelFile = Annotated[Path, typer.Argument(metavar="MODEL.json", help="File of a model or of a program.")]
Force = Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON for machines, in place of the text.")]
