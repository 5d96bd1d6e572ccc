"""Arguments and options that several commands share, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

ModelFile = Annotated[Path, typer.Argument(metavar="MODEL.json", help="Model file or program file.")]
DataFile = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="Table file with named columns: CSV, TSV, Parquet, Arrow or JSON lines, which may be compressed (.gz); "
        "- is standard input.",
    ),
]
TargetColumn = Annotated[
    str | None,
    typer.Option("--target", metavar="COLUMN", help="Column of the true classes; by default the model's target."),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="TEXT",
        help="Text in a cell that means a missing value, instead of NA, ?, null and the like; may be repeated. Blank "
        "cells are always missing.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="File to write; standard output by default.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of text.")]
ModelOutput = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Model file to write, as JSON.")
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
    typer.Option(help="Set the weights of rules from the rows they cover, the default, or by least squares."),
]
