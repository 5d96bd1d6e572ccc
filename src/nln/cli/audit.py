"""`nln audit`: what a model does to groups of people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nln.cli.arguments import AsJson, DataFile, Force, Missing, ModelFile, TargetColumn
from nln.cli.errors import refusals_as_input_errors
from nln.cli.inputs import load_program, open_table, used_schema
from nln.cli.outputs import check_output, print_json, print_notes, print_text, spinner, write_output
from nln.compose import Audit
from nln.compose import audit as audit_program
from nln.rules import LogicProgram
from nln.tables.files.table_file import Chunk

_Groups = Annotated[
    list[str], typer.Option(metavar="COLUMN", help="Protected column whose values form the groups; may be repeated.")
]
_ProxyThreshold = Annotated[
    float, typer.Option(metavar="NUMBER", help="Association with a group from which another column counts as a proxy.")
]
_Bands = Annotated[int, typer.Option(metavar="N", help="Number of groups that a column of numbers is cut into.")]
_MinRows = Annotated[int, typer.Option(metavar="N", help="Rates of groups with fewer rows are not compared.")]
_Page = Annotated[
    Path | None, typer.Option(metavar="PAGE.html", help="Also write an HTML page about the model and the audit.")
]


def audit(
    model: ModelFile,
    data: DataFile,
    group: _Groups,
    target: TargetColumn = None,
    proxy_threshold: _ProxyThreshold = 0.5,
    bands: _Bands = 4,
    min_rows: _MinRows = 30,
    missing: Missing = None,
    report: _Page = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Compare what a model does to groups: rates, gaps between them, the rules that widen gaps, and proxies."""
    check_output(report, force)
    program = load_program(model)
    with refusals_as_input_errors():
        with spinner(f"reading {data}"):
            rows = _read(data, program, group, target, missing, whole=report is not None)
        with spinner("auditing"):
            found = audit_program(
                program, rows.table(), rows.y, group, proxy_threshold=proxy_threshold, bands=bands, min_rows=min_rows
            )
    if report is not None:
        write_output(_page(program, rows, found), report)
    print_json(found.to_dict()) if as_json else print_text(str(found))


def _read(
    data: Path, program: LogicProgram, group: list[str], target: str | None, missing: list[str] | None, *, whole: bool
) -> Chunk:
    """Read the features that the file has, those that rules ask about in any case, and groups that are no features."""
    file = open_table(data, missing)
    schema = program.schema if whole else used_schema(program, also=file.names)
    rows = file.rows(schema, target=target, further=[name for name in dict.fromkeys(group) if name not in schema.names])
    print_notes(file.notes)
    return rows


def _page(program: LogicProgram, rows: Chunk, found: Audit) -> bytes:
    from nln.report import render, summarize

    summary = summarize(program, rows.columns(program.schema), rows.truth(program.schema), audit=found)
    return render(summary).encode()
