"""Files that commands are run on."""

from __future__ import annotations

import json

import pytest

from tests.cli.commands import run
from tests.cli.composing import write_files
from tests.cli.patients import PROGRAM, ROWS, messy


@pytest.fixture
def model(tmp_path):
    """A program written by hand."""
    path = tmp_path / "rules.json"
    PROGRAM.save(path)
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
