"""`nln report` as people run it."""

from __future__ import annotations

import csv

import pandas as pd
import pytest

from nln.report import write_report
from tests.cli.commands import complaint, run_here
from tests.report import programs


@pytest.fixture
def files(tmp_path):
    """A program file and a table with its target."""
    example = programs.binary()
    example.program.save(tmp_path / "program.json")
    with open(tmp_path / "data.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*example.X, "class"])
        writer.writerows(zip(*example.X.values(), example.y, strict=True))
    return tmp_path / "program.json", tmp_path / "data.csv"


def test_the_command_writes_the_page_of_write_report(capfd, files, tmp_path):
    model, data = files
    output = tmp_path / "out.html"
    arguments = "report", model, data, "--target", "class", "--include-rows", "30", "--title", "T", "-o", output
    done = run_here(capfd, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"Wrote {output}.\n")
    example = programs.binary()
    same = write_report(
        example.program, pd.DataFrame(example.X), example.y, tmp_path / "same.html", include_rows=30, title="T"
    )
    assert output.read_bytes() == same.read_bytes()
    output.write_text("mine")
    assert "--force" in complaint(run_here(capfd, *arguments))
    assert output.read_text() == "mine"
    assert run_here(capfd, *arguments, "--force").returncode == 0
    assert output.read_bytes() == same.read_bytes()


def test_mistakes_are_named(capfd, files, tmp_path):
    model, data = files
    rows = ["-o", tmp_path / "a.html", "--include-rows"]
    assert "takes a number of rows, all or none, not '-3'" in complaint(
        run_here(capfd, "report", model, data, *rows, "-3")
    )
    assert "There is no file" in complaint(run_here(capfd, "report", model, tmp_path / "no.csv", *rows, "all"))
    assert "has no column 'kind'" in complaint(run_here(capfd, "report", model, data, "--target", "kind", *rows, "all"))
    assert "no folder" in complaint(run_here(capfd, "report", model, data, "-o", tmp_path / "no" / "a.html"))
    assert not (tmp_path / "a.html").exists()
