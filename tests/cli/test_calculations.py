"""Commands on a program that calculates and counts: files hold the columns behind it."""

from __future__ import annotations

import csv
import io

import pandas as pd
import pytest

from nln.rules import Feature, LogicProgram, Schema, Target
from tests.cli.commands import complaint, run_here

FEATURES = (
    *(Feature(name, "continuous") for name in ("weight", "height", "pulse")),
    Feature("sex", "binary", ("f", "m")),
)
TEXT = """
IF weight / height / height >= 30 THEN risk = high (weight 0.8)
IF at least 2 of {pulse > 90; weight > 100; sex = m} THEN risk = high (weight 0.9)
"""
PROGRAM = LogicProgram.parse(TEXT, schema=Schema(FEATURES, Target("risk", "binary", ("low", "high"))))
ROWS = pd.DataFrame(
    {
        "weight": [100.0, 60.0, 110.0, None],
        "height": [1.7, 1.7, 0.0, 1.8],
        "pulse": [60.0, 95.0, 70.0, 95.0],
        "sex": ["f", "m", "f", "m"],
        "risk": ["high", "high", "low", "high"],
    }
)


@pytest.fixture
def files(tmp_path):
    PROGRAM.save(tmp_path / "rules.json")
    ROWS.to_csv(tmp_path / "rows.csv", index=False)
    return tmp_path / "rules.json", tmp_path / "rows.csv"


def test_decisions_are_those_of_the_program(files, capfd):
    done = run_here(capfd, "predict", *files)
    found = [float(row["P(high)"]) for row in csv.DictReader(io.StringIO(done.stdout))]
    assert found == pytest.approx(PROGRAM.predict_proba(ROWS)[:, 1], abs=1e-9)


def test_an_explanation_shows_what_was_calculated(files, capfd):
    done = run_here(capfd, "explain", *files, "--row", "0")
    assert "weight / height / height >= 30 (here 100 / 1.7 / 1.7 = 34.602076125)" in done.stdout


def test_a_file_without_a_column_behind_is_refused(files, capfd):
    model, rows = files
    ROWS.drop(columns="height").to_csv(rows, index=False)
    assert "'height'" in complaint(run_here(capfd, "predict", model, rows))


@pytest.mark.parametrize("command", ["evaluate", "select", "card"])
def test_other_commands_take_the_file(files, capfd, command):
    done = run_here(capfd, command, *files)
    assert done.returncode == 0, done.stderr
