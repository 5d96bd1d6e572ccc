"""Files that commands are run on."""

from __future__ import annotations

import json

import pytest

from nln import LogicProgram
from nln.rules import Feature, Schema, Target
from tests.cli.commands import run
from tests.cli.composing import write_files
from tests.cli.patients import messy

SCHEMA = Schema(
    (
        Feature("Age", "continuous"),
        Feature("Blood pressure", "continuous"),
        Feature("Smoker", "categorical", ("no", "yes")),
    ),
    Target("Outcome", "binary", ("healthy", "ill")),
)
RULES = """
IF "Blood pressure" >= 15.5 THEN Outcome = ill (0.9)
IF Age >= 60 AND Smoker = yes THEN Outcome = ill (0.75)
OTHERWISE Outcome = healthy (P(Outcome = ill) = 0.1; Outcome = ill from 0.5)
"""
ROWS = """\
ID,Age,Blood pressure,Smoker,Outcome
a,71,12.0,yes,ill
b,35,16.0,no,ill
c,NA,12.5,yes,healthy
d,64,17.5,yes,healthy
e,50,13.0,?,healthy
f,20,11.0,no,
"""


@pytest.fixture
def model(tmp_path):
    """A program written by hand."""
    path = tmp_path / "rules.json"
    LogicProgram.parse(RULES, schema=SCHEMA).save(path)
    return path


@pytest.fixture
def data(tmp_path):
    """A small table with a missing number, a missing word and a missing class."""
    path = tmp_path / "data.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def patients_csv(tmp_path_factory):
    """The messy table."""
    path = tmp_path_factory.mktemp("patients") / "patients.csv"
    path.write_bytes(messy().encode())
    return path


@pytest.fixture(scope="session")
def fitted(patients_csv, tmp_path_factory):
    """`nln fit` on the messy table: the process, its JSON and the model file."""
    output = tmp_path_factory.mktemp("fitted") / "model.json"
    done = run("fit", patients_csv, "--target", "Outcome", "--ignore", "Patient ID", "-o", output, "--json")
    assert done.returncode == 0, done.stderr
    return done, json.loads(done.stdout), output


@pytest.fixture(scope="session")
def given(tmp_path_factory):
    """A folder of model files and tables for the commands that work with programs; no test may change it."""
    return write_files(tmp_path_factory.mktemp("given"))
