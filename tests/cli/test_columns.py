"""The table of columns that `nln fit` shows: readings, how to override them, and proposals; predictions read alike."""

from __future__ import annotations

import csv
import json

import pytest

from nln import load_model
from tests.cli.commands import run_here

HEAD = ["price", "crp", "admission", "discharge", "severity", "ward_code", "answer"]


def row(i):
    long_stay = (7 * i) % 30 >= 14
    price = "-" if i == 5 else f"${1000 + 37 * i:,}.00"
    discharge = f"2021-{1 + i % 12:02}-{(28 if long_stay else 9):02}"
    severity = ("mild", "moderate", "severe")[i % 3]
    crp = "<0.006" if i % 4 == 0 else f"{0.01 * i:.2f}"
    return [price, crp, f"2021-{1 + i % 12:02}-05", discharge, severity, 1 + i % 5, "long" if long_stay else "short"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("columns") / "table.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([HEAD, *map(row, range(60))])
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tmp_path_factory.mktemp("columns") / "model.json"


def test_readings_are_shown_with_how_to_override_them(capfd, table, model):
    done = run_here(capfd, "fit", table, "--target", "answer", "-o", model, "--json")
    assert done.returncode == 0, done.stderr
    columns = {column["name"]: column for column in json.loads(done.stdout)["columns"]}
    assert columns["price"]["kind"] == "continuous"
    assert columns["price"]["missing"] == 1
    assert "numbers in $; as text: --types price=categorical" in columns["price"]["note"]
    assert "15 cells at a limit count as the limit" in columns["crp"]["note"]
    assert columns["discharge"]["kind"] == "date"
    assert "days since admission; as text: --types discharge=categorical" in columns["discharge"]["note"]
    assert columns["severity"]["note"] == "ordered? --types severity=ordinal:mild,moderate,severe"
    assert columns["ward_code"]["note"] == "codes? --types ward_code=categorical"
    assert load_model(model).program_.features_used == ("days from admission to discharge",)


def test_new_rows_are_read_as_the_table_was(capfd, table, model):
    done = run_here(capfd, "predict", model, table)
    decided = [line.split(",")[1] for line in done.stdout.splitlines()[1:]]
    assert decided == [row(i)[-1] for i in range(60)]
    explained = run_here(capfd, "explain", model, table, "--row", "2", "--counterfactuals")
    assert "days from admission to discharge" in explained.stdout


def test_a_cell_that_does_not_fit_is_an_error(capfd, tmp_path, model):
    path = tmp_path / "new.csv"
    path.write_text("admission,discharge\n2021-01-01,2021-01-03\n2021-01-01,tomorrow\n")
    done = run_here(capfd, "predict", model, path)
    assert done.returncode == 2
    assert "Column 'discharge' is read as dates" in done.stderr
    assert "row 1 holds 'tomorrow'" in done.stderr


def test_what_is_shown_can_be_overridden(capfd, table, tmp_path):
    output = tmp_path / "model.json"
    types = [
        "price=categorical",
        "admission=categorical",
        "severity=ordinal:mild,moderate,severe",
        "discharge=date:dmy",
    ]
    options = [part for one in types for part in ("--types", one)]
    done = run_here(capfd, "fit", table, "--target", "answer", "-o", output, *options)
    assert done.returncode == 0, done.stderr
    kinds = {feature.name: feature.kind for feature in load_model(output).schema_.features}
    assert (kinds["price"], kinds["admission"], kinds["severity"]) == ("categorical", "categorical", "ordinal")
    assert "discharge month" in kinds
