from __future__ import annotations

import json

import pytest

from nln import load_model
from nln.compose import merge
from tests.cli.commands import run_here
from tests.compose.examples import HERE, THERE, table

TEXT = """\
rule 1  class = yes  31 rows  81 %  x < 3 AND colour in {blue, red} (weight 0.93)  from here, there
rule 2  class = yes  12 rows  83 %  size >= L (weight 0.82)                        from here
rule 3  class = yes  4 rows   75 %  x >= 8 ± 0.5 (weight 0.26)                     from there
"""


def test_models_are_merged_without_rows(capfd, given, tmp_path):
    output = tmp_path / "merged.json"
    done = run_here(capfd, "merge", "here.json", "there.json", "-o", output, folder=given)
    assert (done.returncode, done.stderr, done.stdout) == (0, f"Wrote {output}.\n", TEXT)
    assert load_model(tmp_path / "merged.json").program_ == merge([HERE, THERE]).program
    told = run_here(capfd, "rules", tmp_path / "merged.json")
    assert told.stdout == f"{merge([HERE, THERE]).program}\n"


def test_models_are_merged_on_rows(capfd, given, tmp_path):
    output = tmp_path / "merged.json"
    done = run_here(
        capfd, "merge", "here.json", "there.json", "--data", "data.csv", "--price", "2", "-o", output, folder=given
    )
    assert (done.returncode, done.stderr) == (0, f"Wrote {output}.\n")
    X, y = table()
    expected = merge([HERE, THERE], X=X, y=y, price=2.0, names=["here", "there"])
    assert done.stdout == f"{expected}\n"
    assert load_model(output).program_ == expected.program


@pytest.mark.parametrize("method", ["coverage", "error"])
def test_json_has_the_rules_with_their_origins(given, capfd, method):
    files = [given / name for name in ("here.json", "there.json")]
    done = run_here(capfd, "merge", *files, "--data", given / "data.csv", "--method", method, "--json")
    X, y = table()
    expected = merge([HERE, THERE], X=X, y=y, method=method, names=["here", "there"])
    assert json.loads(done.stdout) == expected.to_records()
    assert {name for record in expected.to_records() for name in record["origins"]} == {"here", "there"}


def test_files_of_the_same_name_are_told_apart_by_their_folders(given, capfd, tmp_path):
    HERE.save(tmp_path / "there.json")
    done = run_here(capfd, "merge", tmp_path / "there.json", given / "there.json", "--json")
    origins = {name for record in json.loads(done.stdout) for name in record["origins"]}
    assert origins == {(tmp_path / "there.json").as_posix(), (given / "there.json").as_posix()}


def test_a_file_is_replaced_only_by_force(given, capfd, tmp_path):
    output = tmp_path / "merged.json"
    output.write_text("mine")
    arguments = "merge", given / "here.json", given / "there.json", "-o", output
    done = run_here(capfd, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--force" in done.stderr
    assert output.read_text() == "mine"
    assert run_here(capfd, *arguments, "--force").returncode == 0
    assert load_model(output).program_.n_rules == 3
