"""Arguments that several commands share, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

ModelFile = Annotated[Path, typer.Argument(metavar="MODEL.json", help="File of a model or of a program.")]
Force = Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON for machines, in place of the text.")]
ModelOutput = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write the new model, as JSON.")
]
RowsFile = Annotated[
    Path | None, typer.Option("--data", metavar="DATA", help="Table file with rows; - is standard input.")
]
Price = Annotated[
    float | None,
    typer.Option(metavar="NUMBER", help="Squared error, in rows, that a literal must save to stay; 0 by default."),
]
BiasMethod = Annotated[
    Literal["coverage", "error"] | None,
    typer.Option(help="Probabilities of rules from what they cover, the default, or by least squares."),
]
