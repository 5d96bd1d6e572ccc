"""Commands with `--table`: files whose rows belong to rows of the table."""

from __future__ import annotations

import csv
import io
import json

import pandas as pd
import pytest

from nln.rules import ChildTable, Feature, LogicProgram, Schema, Target
from tests.cli.commands import complaint, run_here

VISITS = ChildTable(
    "visits", "patient_id", (Feature("dept", "categorical", ("ER", "eye")), Feature("level", "continuous"))
)
TEXT = "IF age >= 30 AND at least 2 visits (dept = ER AND level >= 1.5) THEN risk = high (weight 0.8)"
PROGRAM = LogicProgram.parse(
    TEXT, schema=Schema((Feature("age", "continuous"),), Target("risk", "binary", ("low", "high")), (VISITS,))
)
ROWS = pd.DataFrame({"patient_id": ["a", "b", "c"], "age": [40, 50, 60], "risk": ["high", "low", "low"]})
CHILDREN = pd.DataFrame(
    {"patient_id": ["b", "a", "a", "x"], "dept": ["ER", "ER", "ER", "ER"], "level": ["1.7", "1.5", "9", ""]}
)


@pytest.fixture
def files(tmp_path):
    PROGRAM.save(tmp_path / "rules.json")
    ROWS.to_csv(tmp_path / "rows.csv", index=False)
    CHILDREN.to_csv(tmp_path / "visits.csv", index=False)
    return tmp_path / "rules.json", tmp_path / "rows.csv"


def option(files, name="visits"):
    return ["--table", f"{name}={files[0].parent / 'visits.csv'}"]


def test_decisions_are_those_of_the_program(files, capfd):
    done = run_here(capfd, "predict", *files, *option(files))
    assert done.returncode == 0, done.stderr
    found = [row["risk"] for row in csv.DictReader(io.StringIO(done.stdout))]
    assert found == ["high", "low", "low"]


def test_an_explanation_names_the_rows(files, capfd):
    done = run_here(capfd, "explain", *files, "--row", 0, *option(files))
    assert "here 2 of 2 visits: row 1 (dept = ER, level = 1.5), row 2 (dept = ER, level = 9)" in done.stdout


def test_scores_count_the_rows(files, capfd):
    done = run_here(capfd, "evaluate", *files, *option(files), "--json")
    assert json.loads(done.stdout)["scores"]["accuracy"] == 1


def test_what_is_missing_or_unknown_is_said(files, capfd):
    assert "give them by --table visits=FILE" in complaint(run_here(capfd, "predict", *files))
    assert "knows no table 'stays'" in complaint(run_here(capfd, "predict", *files, *option(files, "stays")))
    assert "NAME=FILE:KEY" in complaint(run_here(capfd, "predict", *files, "--table", "visits"))
    twice = [*option(files), *option(files)]
    assert "twice" in complaint(run_here(capfd, "predict", *files, *twice))


def test_commands_that_read_one_table_refuse(files, capfd):
    output = files[0].parent / "report.html"
    assert "take --table" in complaint(run_here(capfd, "report", *files, "-o", output))


def test_learning_takes_the_file_and_its_key(files, capfd):
    folder = files[0].parent
    n = 120
    y = ["yes" if i % 3 == 0 else "no" for i in range(n)]
    rows = pd.DataFrame({"id": range(n), "x": [i % 7 for i in range(n)], "y": y})
    kinds = [kind for answer in y for kind in ("hot" if answer == "yes" else "cold", "mild")]
    children = pd.DataFrame({"id": [i for i in range(n) for _ in range(2)], "kind": kinds})
    rows.to_csv(folder / "train.csv", index=False)
    children.to_csv(folder / "parts.csv", index=False)
    model = folder / "model.json"
    arguments = [folder / "train.csv", "--target", "y", "-o", model]
    done = run_here(capfd, "fit", *arguments, "--table", f"parts={folder / 'parts.csv'}:id")
    assert done.returncode == 0, done.stderr
    assert "IF   some parts (kind = hot)" in done.stdout
    without = ["--force", "--table", f"parts={folder / 'parts.csv'}"]
    assert "lacks the key" in complaint(run_here(capfd, "fit", *arguments, *without))
