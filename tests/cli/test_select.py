from __future__ import annotations

import json

import pyarrow.csv
import pyarrow.parquet
import pytest
from sklearn.metrics import f1_score

from nln import load_model
from nln.compose import select
from nln.rules import LogicProgram
from tests.cli.commands import run_here
from tests.compose.examples import SCHEMA, table

RULES = """
    IF size >= L THEN class = yes (0.9)
    IF x >= 8 THEN class = yes (0.9)
    IF x < 3 AND colour in {blue, red} THEN class = yes (0.9)
    IF x >= 9 THEN class = yes (0.9)
    IF colour = green AND x < 1 THEN class = yes (0.1)
"""


@pytest.fixture
def many(tmp_path):
    """Five rules, of which three do all the work."""
    LogicProgram.parse(RULES, schema=SCHEMA).save(tmp_path / "many.json")
    return tmp_path / "many.json"


def test_the_fewest_rules_are_kept_and_written(capfd, given, many, tmp_path):
    output = tmp_path / "few.json"
    done = run_here(capfd, "select", many, given / "data.csv", "-o", output)
    X, y = table()
    expected = select(LogicProgram.load(many), X, y)
    assert (done.returncode, done.stderr, done.stdout) == (0, f"Wrote {output}.\n", f"{expected}\n")
    score = f1_score(y, expected.program.predict(X), pos_label="yes")
    assert done.stdout.startswith(f"3 of 5 rules: f1 {score:.6g}, proved to be the best; 1 choice\n")
    assert load_model(output).program_ == expected.program


def test_the_number_of_rules_the_score_and_the_metric_are_options(given, many, capfd):
    arguments = "select", many, given / "data.csv", "--json"
    told = json.loads(run_here(capfd, *arguments, "--max-rules", 2, "--metric", "accuracy").stdout)
    assert told == select(LogicProgram.load(many), *table(), n_rules=2, metric="accuracy").to_dict()
    assert (len(told["rules"]), told["given"], told["metric"]) == (2, 5, "accuracy")
    told = json.loads(run_here(capfd, *arguments, "--score", 0.5).stdout)
    assert told["score"] >= 0.5
    assert len(told["rules"]) == 1
    assert all(1 <= number <= 5 for choice in told["kept"] for number in choice)


def test_decisions_are_kept_without_a_target(capfd, given, many, tmp_path):
    rows = pyarrow.csv.read_csv(given / "data.csv").select(["x", "colour", "size"])
    pyarrow.csv.write_csv(rows, tmp_path / "rows.csv")
    done = run_here(capfd, "select", many, tmp_path / "rows.csv", "--decisions", "-o", tmp_path / "few.json")
    program, X = LogicProgram.load(many), table()[0]
    assert (done.returncode, done.stderr) == (0, f"Wrote {tmp_path / 'few.json'}.\n")
    assert done.stdout == f"{select(program, X, metric='accuracy')}\n"
    assert done.stdout.startswith("3 of 5 rules: accuracy 1, proved")
    assert load_model(tmp_path / "few.json").predict(X).tolist() == program.predict(X).tolist()


def test_a_table_may_be_in_another_format_and_its_target_in_another_column(given, many, capfd, tmp_path):
    rows = pyarrow.csv.read_csv(given / "data.csv")
    renamed = rows.rename_columns([{"class": "truth"}.get(name, name) for name in rows.column_names])
    pyarrow.parquet.write_table(renamed, tmp_path / "data.parquet")
    done = run_here(capfd, "select", many, tmp_path / "data.parquet", "--target", "truth")
    assert done.stdout == f"{select(LogicProgram.load(many), *table())}\n"


def test_columns_that_no_rule_asks_about_may_be_absent(given, capfd, tmp_path):
    LogicProgram.parse("IF x < 3 THEN class = yes", schema=SCHEMA).save(tmp_path / "short.json")
    rows = pyarrow.csv.read_csv(given / "data.csv").select(["class", "x"])
    pyarrow.csv.write_csv(rows, tmp_path / "short.csv")
    done = run_here(capfd, "select", tmp_path / "short.json", tmp_path / "short.csv")
    assert done.stdout.startswith("1 of 1 rules")


def test_a_program_without_rules_has_nothing_to_choose(given, capfd, tmp_path):
    LogicProgram(SCHEMA, (), (0.1,), (0.5,)).save(tmp_path / "empty.json")
    done = run_here(capfd, "select", tmp_path / "empty.json", given / "data.csv")
    assert (done.returncode, done.stdout) == (0, "0 of 0 rules: f1 0, proved to be the best; 1 choice\n")


def test_a_terminal_sees_what_takes_its_time_and_the_result_stays_clean(capfd, monkeypatch, given, many):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    done = run_here(capfd, "select", many, given / "data.csv")
    assert "choosing rules" in done.stderr
    assert done.stdout == f"{select(LogicProgram.load(many), *table())}\n"
