"""Commands with `--table`: files whose rows belong to rows of the table."""

from __future__ import annotations

import csv
import inspect
import io
import json
from importlib import import_module

import pandas as pd
import pytest

from nln.cli.app import COMMANDS
from nln.rules import ChildTable, Feature, LogicProgram, Schema, Target
from tests.cli.commands import complaint, run_here

VISITS = ChildTable(
    "visits", "patient_id", (Feature("dept", "categorical", ("ER", "eye")), Feature("level", "continuous"))
)
TEXT = "IF age >= 30 AND at least 2 visits (dept = ER AND level >= 1.5) THEN risk = high (weight 0.8)"
PROGRAM = LogicProgram.parse(
    TEXT, schema=Schema((Feature("age", "continuous"),), Target("risk", "binary", ("low", "high")), (VISITS,))
)
ROWS = pd.DataFrame(
    {"patient_id": ["a", "b", "c"], "age": [40, 50, 60], "risk": ["high", "low", "low"], "sex": list("mff")}
)
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


TABLE = ["report", "audit", "select", "transfer", "card", "plot", "diff", "merge"]


def command(name, files, output):
    """A command that judges rows, and what else it needs."""
    return {
        "report": ["report", *files, "-o", output],
        "card": ["card", *files],
        "audit": ["audit", *files, "--group", "sex", "--min-rows", 1, "--json"],
        "select": ["select", *files, "--json"],
        "transfer": ["transfer", *files, "--target", "sex", "--json"],
        "plot": ["plot", files[0], "coverage", files[1], "-o", output.with_suffix(".svg")],
        "diff": ["diff", files[0], files[0], "--data", files[1], "--json"],
        "merge": ["merge", files[0], "--data", files[1], "--json"],
    }[name]


@pytest.mark.parametrize("name", TABLE)
def test_commands_that_judge_rows_take_the_table(files, capfd, name):
    arguments = command(name, files, files[0].parent / "page.html")
    assert "give them by --table visits=FILE" in complaint(run_here(capfd, *arguments))
    done = run_here(capfd, *arguments, *option(files))
    assert done.returncode == 0, done.stderr
    expected = {
        "audit": lambda found: [group["selection rate"] for group in found["groups"]] == [0, 1],
        "select": lambda found: found["score"] == 1,
        "transfer": lambda found: (found[0]["rows"], found[0]["label"]) == (1, "m"),
        "diff": lambda found: (found["rows"]["rows"], found["rows"]["different"]) == (3, 0),
        "merge": lambda found: (found[0]["rows"], found[0]["precision"]) == (1, 1),
    }
    if name in expected:
        assert expected[name](json.loads(done.stdout)), done.stdout
    if name == "card":
        assert "rows.csv (3 rows) | 1.000" in done.stdout


def test_a_page_counts_the_rows_of_the_file(files, capfd):
    output = files[0].parent / "page.html"
    done = run_here(capfd, "report", *files, "-o", output, "--include-rows", "all", *option(files))
    assert done.returncode == 0, done.stderr
    data = json.loads(output.read_text(encoding="utf-8").partition('id="report-data">')[2].partition("</script>")[0])
    place = [feature["name"] for feature in data["features"]].index("number of visits (dept = ER AND level >= 1.5)")
    assert data["rows"]["columns"][place] == [2, 1, 0]
    assert "calculated" not in data["features"][place]


def test_changes_of_a_count_are_shown(files, capfd):
    done = run_here(capfd, "explain", *files, "--row", 0, "--counterfactuals", *option(files))
    assert '"number of visits (dept = ER AND level >= 1.5)" from 2 to 1 or less' in done.stdout


def test_a_table_without_rows_is_refused(files, capfd):
    for arguments in (["diff", files[0], files[0]], ["card", files[0]], ["plot", files[0], "rules"]):
        assert "Give both or neither" in complaint(run_here(capfd, *arguments, *option(files)))
    assert "--data DATA" in complaint(run_here(capfd, "merge", files[0], *option(files)))


def test_all_commands_with_rows_have_the_option():
    with_rows = {"fit", "predict", "explain", "evaluate", *TABLE}
    for name in COMMANDS:
        parameters = inspect.signature(getattr(import_module(f"nln.cli.{name}"), name)).parameters
        assert ("data" in parameters) == ("tables" in parameters) == (name in with_rows), name


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


def test_an_order_and_a_date_follow_the_key(files, capfd):
    folder, n = files[0].parent, 200
    rows = pd.DataFrame(
        {"id": range(n), "day": ["2024-03-01", "2024-06-01"] * (n // 2), "x": [i % 7 for i in range(n)]}
    )
    rows["y"] = ["yes" if i % 3 == 0 else "no" for i in range(n)]
    near, far = ("2024-02-20", "2024-05-25"), ("2024-01-01", "2024-02-20")
    when = [(far if i % 3 else near)[i % 2] for i in range(n)]
    first = pd.DataFrame({"id": range(n), "date": when})
    later = pd.DataFrame({"id": range(n), "date": ["2024-08-01"] * n})
    rows.to_csv(folder / "train.csv", index=False)
    pd.concat([first, later]).assign(kind="a").to_csv(folder / "parts.csv", index=False)
    table = f"parts={folder / 'parts.csv'}"
    arguments = [folder / "train.csv", "--target", "y", "-o", folder / "model.json"]
    done = run_here(capfd, "fit", *arguments, "--table", f"{table}:id,order=date,before=day")
    assert done.returncode == 0, done.stderr
    assert "some parts (days_before <= " in done.stdout
    done = run_here(capfd, "evaluate", folder / "model.json", folder / "train.csv", "--table", table, "--json")
    assert json.loads(done.stdout)["scores"]["accuracy"] == 1


@pytest.mark.parametrize("name", TABLE)
def test_tables_that_no_rule_counts_may_be_left_out(files, capfd, name):
    bare = LogicProgram.parse("IF some visits THEN risk = high", schema=PROGRAM.schema).schema
    LogicProgram.parse("IF age >= 30 THEN risk = high (weight 0.8)", schema=bare).save(files[0])
    for given in ([], option(files)):
        output = files[0].parent / f"page{len(given)}.html"
        done = run_here(capfd, *command(name, files, output), *given)
        assert done.returncode == 0, done.stderr
