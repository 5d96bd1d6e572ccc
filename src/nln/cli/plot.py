"""`nln plot`: a figure of a model, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import typer

from nln.cli.arguments import Force, Missing, ModelFile, TargetColumn
from nln.cli.children import ChildFiles, check_has_rows
from nln.cli.errors import InputError, refusals_as_input_errors
from nln.cli.inputs import load_saved, open_table, used_schema
from nln.cli.outputs import check_output, spinner, write_output
from nln.cli.rows import read_rows
from nln.rules import LogicProgram
from nln.tables.files.table_file import Chunk, TableFile

FORMATS = ("svg", "png", "pdf")


class Kind(NamedTuple):
    """A figure: the function of `nln.plots` that draws it, and what it needs of a table."""

    function: str
    table: Literal["no", "may", "rows", "truth"]


KINDS = {
    "network": Kind("plot_network", "no"),
    "rules": Kind("plot_rules", "may"),
    "coverage": Kind("plot_coverage", "truth"),
    "overlap": Kind("plot_overlap", "rows"),
    "roc": Kind("plot_roc", "truth"),
    "precision-recall": Kind("plot_precision_recall", "truth"),
    "calibration": Kind("plot_calibration", "truth"),
    "scores": Kind("plot_scores", "truth"),
    "confusion": Kind("plot_confusion", "truth"),
    "comparison": Kind("plot_comparison", "rows"),
    "boards": Kind("plot_boards", "no"),
    "wiring": Kind("plot_wiring", "no"),
    "path": Kind("plot_path", "no"),
}
"""The figures that need no more than a model file and a table, which leaves out the history of training."""

_Kind = Annotated[str, typer.Argument(metavar="KIND", help=f"One of: {', '.join(KINDS)}.")]
_Data = Annotated[Path | None, typer.Argument(metavar="DATA", help="Table file; - is standard input.")]
_Rules = Annotated[
    list[int] | None, typer.Option(metavar="N", help="For rules: the number of a rule to draw; may be repeated.")
]
_Other = Annotated[Path | None, typer.Option(metavar="B.json", help="For comparison: the model file to compare with.")]
_Figure = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File to write: .svg, .png or .pdf.")]


def plot(
    model: ModelFile,
    kind: _Kind,
    data: _Data = None,
    target: TargetColumn = None,
    rule: _Rules = None,
    other: _Other = None,
    tables: ChildFiles = None,
    missing: Missing = None,
    output: _Figure = Path("figure.svg"),
    force: Force = False,
) -> None:
    """Draw a figure of a model: its rules, or what they do on a table."""
    _check(kind, data, target, rule, other, output)
    check_has_rows(data, tables)
    check_output(output, force)
    given = tuple(load_saved(file) for file in (model, other) if file is not None)
    programs = tuple(saved.program_ for saved in given)
    rows = None if data is None else _rows(kind, programs, open_table(data, missing), target, tables, missing)
    with refusals_as_input_errors(), spinner("drawing"):
        content = _draw(kind, given if kind == "path" else programs, rows, rule, output.suffix[1:].lower())
    write_output(content, output)


def _check(
    kind: str, data: Path | None, target: str | None, rule: list[int] | None, other: Path | None, output: Path
) -> None:
    if kind not in KINDS:
        raise InputError(f"There is no figure {kind!r}; known: {', '.join(KINDS)}.")
    if output.suffix[1:].lower() not in FORMATS:
        raise InputError(f"The name {output} does not say the format. End it in one of: .{', .'.join(FORMATS)}.")
    table = KINDS[kind].table
    if data is None and table in ("rows", "truth"):
        raise InputError(f"The figure {kind} needs a table file: nln plot MODEL.json {kind} DATA.")
    if data is not None and table == "no":
        raise InputError(f"The figure {kind} shows the rules alone and takes no table. Leave {data} out.")
    if target is not None and table not in ("may", "truth"):
        raise InputError(f"The figure {kind} does not show the true classes. Leave --target out.")
    if rule and kind != "rules":
        raise InputError(f"--rule is for the figure rules, not for {kind}. Leave it out.")
    if (other is None) == (kind == "comparison"):
        raise InputError("The figure comparison takes a second model, --other B.json; other figures take none.")


def _rows(
    kind: str,
    programs: tuple[LogicProgram, ...],
    file: TableFile,
    target: str | None,
    tables: list[str] | None,
    missing: list[str] | None,
) -> Chunk:
    """Read what the figure needs of the table: its columns, or its columns and the true classes."""
    schema = used_schema(*programs)
    truth = KINDS[kind].table == "truth"
    if KINDS[kind].table == "may":  # classes that are known are told apart by the shade behind the conditions
        truth = target is not None or schema.target.name in file.names
    return read_rows(file, schema, tables=tables, missing=missing, target=target, truth=truth)


def _draw(kind: str, given: tuple[Any, ...], rows: Chunk | None, rule: list[int] | None, name: str) -> bytes:
    from nln import plots
    from nln.plots.style import figure_bytes

    if (kind, name) == ("network", "svg"):
        return plots.network_svg(given[0]).encode()
    options: dict[str, Any] = {"rules": rule} if rule else {}
    data: tuple[Any, ...] = ()
    if rows is not None:
        data, options["tables"] = (rows.X,) if rows.y is None else (rows.X, rows.y), rows.tables
    return figure_bytes(getattr(plots, KINDS[kind].function)(*given, *data, **options), name)
