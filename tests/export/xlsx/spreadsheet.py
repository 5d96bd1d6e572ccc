"""Cases typed into exported workbooks, and what LibreOffice computes for them."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from nln.export import to_xlsx
from nln.export.calculations import asked_columns, asked_prefixes, calculations
from nln.rules import LogicProgram
from tests import tools

Case = tuple[LogicProgram, dict[str, Any]]
Answer = tuple[list[float], Any, list[Any]]
"""Probabilities of the labels, the decision, and the last column of the table of labels."""


def answers(cases: Sequence[Case], folder: Path) -> list[Answer]:
    """Type each case into its workbook, and let one process of LibreOffice compute them all."""
    openpyxl, soffice = tools.package("openpyxl"), tools.program("soffice")
    tools.package("xlsxwriter")
    for place, (program, row) in enumerate(cases):
        book = openpyxl.load_workbook(BytesIO(to_xlsx(program)))
        for cells in book["Case"].iter_rows(5, 4 + len(asked_columns(program))):
            if row[cells[0].value or ""] is not None:
                cells[1].value = row[cells[0].value or ""]
                cells[1].data_type = "s" if isinstance(cells[1].value, str) else cells[1].data_type
        book.save(folder / f"case{place}.xlsx")  # without the values that the export computed
    files = [str(folder / f"case{place}.xlsx") for place in range(len(cases))]
    done = folder / "done"
    command = [soffice, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless", "--convert-to", "xlsx"]
    subprocess.run([*command, "--outdir", str(done), *files], check=True, capture_output=True, timeout=300)
    return [shown((done / f"case{place}.xlsx").read_bytes(), program) for place, (program, _) in enumerate(cases)]


def shown(content: bytes, program: LogicProgram) -> Answer:
    """Read the values that a workbook shows."""
    sheet = tools.package("openpyxl").load_workbook(BytesIO(content), data_only=True)["Case"]
    made = len(asked_prefixes(program)) + len(calculations(program))
    first = 5 + len(asked_columns(program)) + made + 1
    assert sheet.cell(first, 1).value == "decision"
    lines = range(first + 2, first + 2 + len(program.schema.target.labels))
    probabilities = [sheet.cell(line, 2).value for line in lines]
    return probabilities, sheet.cell(first, 2).value, [sheet.cell(line, 5).value for line in lines]
