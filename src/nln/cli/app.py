"""The list of the commands of `nln`. Each is a function of its own file; its docstring and annotations are its help.

Commands return when all went well and raise `InputError` for a mistake of the user's; `nln.cli` turns what is raised
into a line and an exit code. They never ask questions. What is heavy is imported in the command that needs it.
"""

from __future__ import annotations

import typer

from nln.cli.audit import audit
from nln.cli.diff import diff
from nln.cli.export import export
from nln.cli.merge import merge
from nln.cli.plot import plot
from nln.cli.report import report
from nln.cli.rules import rules
from nln.cli.select import select
from nln.cli.transfer import transfer

app = typer.Typer(help="Read, export and report logic programs.", add_completion=False, pretty_exceptions_enable=False)

for command in (rules, export, report, diff, merge, select, transfer, audit, plot):
    app.command()(command)
