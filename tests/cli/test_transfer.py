from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from nln import load_model
from nln.compose import transfer
from nln.rules import Target
from nln.rules.storage.programs import shared_schema
from tests.cli.commands import run_here
from tests.cli.composing import write_csv
from tests.compose.examples import HERE, THERE, table


def kinds():
    X, y = table()
    return X, ["none" if label == "no" else "low" if x < 3 else "high" for x, label in zip(X["x"], y, strict=True)]


def test_rules_are_put_to_use_for_another_target(capfd, given, tmp_path):
    output = tmp_path / "kinds.json"
    done = run_here(capfd, "transfer", "there.json", "data.csv", "--target", "kind", "-o", output, folder=given)
    X, y = kinds()
    expected = transfer(THERE, X, y, name="kind")
    assert (done.returncode, done.stderr, done.stdout) == (0, f"Wrote {output}.\n", f"{expected}\n")
    assert load_model(output).program_ == replace(expected, schema=shared_schema(expected))
    assert expected.schema.target == Target("kind", "multiclass", ("high", "low", "none"))
    assert run_here(capfd, "rules", output).stdout == f"{expected}\n"


def test_options_reach_the_package(given, capfd):
    done = run_here(
        capfd, "transfer", given / "here.json", given / "data.csv", "--target", "kind", "--price", 3, "--method",
        "error", "--json",
    )  # fmt: skip
    X, y = kinds()
    assert json.loads(done.stdout) == transfer(HERE, X, y, price=3.0, method="error", name="kind").to_records()


@pytest.mark.parametrize(("classes", "written"), [(("none", "low", "high"), "none"), ((0, 1, 2), "0")])
def test_the_class_to_fall_back_on_is_written_as_in_the_table(capfd, given, tmp_path, classes, written):
    X, y = kinds()
    named = [classes[("none", "low", "high").index(kind)] for kind in y]
    write_csv(tmp_path / "data.csv", {**X, "kind": named})
    arguments = "transfer", given / "there.json", tmp_path / "data.csv", "--target", "kind", "--fallback", written
    done = run_here(capfd, *arguments, "--json")
    expected = transfer(THERE, X, named, fallback=classes[0], name="kind")
    assert json.loads(done.stdout) == expected.to_records()
    assert {rule.label for rule in expected.rules} == set(classes[1:])


def test_several_columns_are_labels(capfd, given, tmp_path):
    X, y = table()
    large = [int(size == "L") for size in X["size"]]
    yes = [int(label == "yes") for label in y]
    write_csv(tmp_path / "labels.csv", {**X, "yes": yes, "large": large})
    arguments = "transfer", given / "here.json", tmp_path / "labels.csv", "--target", "yes", "--target", "large"
    assert run_here(capfd, *arguments, "-o", tmp_path / "labels.json").returncode == 0
    found = load_model(tmp_path / "labels.json").program_
    assert (found.schema.target.kind, found.schema.target.labels) == ("multilabel", ("yes", "large"))
    assert np.mean(found.predict(X)[:, 1] == large) == 1.0


def test_rows_without_the_new_class_are_left_out_and_told(capfd, given, tmp_path):
    X, y = kinds()
    write_csv(tmp_path / "data.csv", {**X, "kind": ["" if row < 7 else kind for row, kind in enumerate(y)]})
    done = run_here(capfd, "transfer", given / "here.json", tmp_path / "data.csv", "--target", "kind", "--json")
    assert done.stderr == "nln: note: 7 rows have no value of the target and are left out.\n"
    rest = {name: column[7:] for name, column in X.items()}
    assert json.loads(done.stdout) == transfer(HERE, rest, y[7:], name="kind").to_records()


@pytest.mark.parametrize(
    ("cell", "expected"), [("", "no row with a value of 'kind'"), ("one", "at least 2 classes to tell apart")]
)
def test_a_target_that_tells_nothing_is_refused(capfd, given, tmp_path, cell, expected):
    X, y = kinds()
    write_csv(tmp_path / "data.csv", {**X, "kind": [cell] * len(y)})
    done = run_here(capfd, "transfer", given / "here.json", tmp_path / "data.csv", "--target", "kind")
    assert done.returncode == 2
    assert expected in done.stderr
