"""`nln audit`: what a model does to groups of people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from nln.cli.arguments import AsJson, DataFile, Force, Missing, ModelFile, TargetColumn
from nln.cli.children import ChildFiles
from nln.cli.errors import refusals_as_input_errors
from nln.cli.inputs import load_saved, open_table, used_schema
from nln.cli.outputs import check_output, print_result, spinner, write_output
from nln.cli.rows import read_rows
from nln.compose import audit as audit_program

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
    tables: ChildFiles = None,
    missing: Missing = None,
    report: _Page = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Compare what a model does to groups: rates, gaps between them, the rules that widen gaps, and proxies."""
    check_output(report, force)
    saved = load_saved(model)
    program = saved.program_
    file = open_table(data, missing)
    # The page shows every feature. Without it, features that no rule asks about may be absent from the file.
    schema = used_schema(program, also=file.names) if report is None else program.schema
    further = [name for name in dict.fromkeys(group) if name not in schema.names]
    used = program.features_used
    rows = read_rows(file, schema, used=used, tables=tables, missing=missing, target=target, further=further)
    with refusals_as_input_errors(), spinner("auditing"):
        limits: dict[str, Any] = {"proxy_threshold": proxy_threshold, "bands": bands, "min_rows": min_rows}
        found = audit_program(program, rows.table(), rows.y, group, **limits, tables=rows.tables)
    if report is not None:
        from nln.report import render, summarize
        from nln.report.write import read_all

        columns = read_all(program, rows.X, rows.tables).columns
        summary = summarize(program, columns, rows.truth(schema), audit=found, model=saved)
        write_output(render(summary).encode(errors="replace"), report)
    print_result(found, found.to_dict(), as_json)
