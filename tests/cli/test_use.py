"""`nln predict`, `nln explain`, `nln evaluate` on a program written by hand: what they print, from every source."""

from __future__ import annotations

import json

import pytest

from nln.rules import Feature, LogicProgram, Schema, Target
from tests.cli.commands import complaint, run_here
from tests.cli.patients import ROWS

PREDICTED = """\
row,Outcome,P(healthy),P(ill)
0,ill,0.225,0.775
1,ill,0.09,0.91
2,healthy,0.9,0.1
3,ill,0.0225,0.9775
4,healthy,0.9,0.1
5,healthy,0.9,0.1
"""
EXPLAINED = """\
Decided ill: probability 78 %, and ill is decided from 50 %.
Because Age >= 60 (here 71) and Smoker = yes.
"""
DETAILS = """
P(Outcome = ill) = 0.78, decided ill (from 0.5).
  Fired: rule 2 (weight 0.75; share 93 %): Age >= 60 [Age = 71], Smoker = yes [Smoker = yes].
  Without any rule: 0.1 (share 7 %).
  Nearest miss: rule 1 (weight 0.9): "Blood pressure" >= 15.5 fails ["Blood pressure" = 12].
"""
CHANGES = """
The smallest changes that lead to another decision:
  Outcome = healthy if Age from 71 to below 60.
  Outcome = healthy if Smoker from yes to no.
"""
EVALUATED = """\
2 rules on 5 rows

accuracy           0.800
F1                 0.800
macro F1           0.800
balanced accuracy  0.833
AUC                0.667
log loss           0.871
Brier score        0.207

true class  decided healthy  decided ill
healthy                   2            1
ill                       0            2

rule  concludes      rows  right  conditions
   1  Outcome = ill     2   50 %  "Blood pressure" >= 15.5
   2  Outcome = ill     2   50 %  Age >= 60 AND Smoker = yes
No rule covers 2 rows.
"""


def test_predict_prints_a_csv(capfd, model, data):
    done = run_here(capfd, "predict", model, data)
    assert (done.returncode, done.stdout, done.stderr) == (0, PREDICTED, "")


def test_predict_prints_json_lines(capfd, model, data):
    done = run_here(capfd, "predict", model, data, "--json")
    first = json.loads(done.stdout.splitlines()[0])
    assert first["row"] == 0 and first["decision"] == "ill"
    assert first["probabilities"] == {"healthy": pytest.approx(0.225), "ill": pytest.approx(0.775)}
    assert len(done.stdout.splitlines()) == 6


def test_another_threshold_decides_otherwise(capfd, model, data, tmp_path):
    def decided(*options):
        lines = run_here(capfd, "predict", model, data, *options).stdout.splitlines()[1:]
        return [line.split(",")[1] for line in lines]

    assert decided("--threshold", 0) == ["ill"] * 6
    assert decided("--threshold", 1) == ["healthy"] * 6
    assert decided("--threshold", 0.5) == decided()
    done = run_here(capfd, "predict", model, data, "--threshold", 1.5)
    assert done.returncode == 2 and "--threshold" in done.stderr
    schema = Schema((Feature("Age", "continuous"),), Target("Outcome", "multiclass", ("a", "b", "c")))
    LogicProgram.parse("IF Age < 3 THEN Outcome = b (0.9)", schema=schema).save(tmp_path / "three.json")
    done = run_here(capfd, "predict", tmp_path / "three.json", data, "--threshold", 0.5)
    assert "--threshold is for two classes" in complaint(done)


def test_explain_names_the_rules(capfd, model, data):
    done = run_here(capfd, "explain", model, data, "--row", "0")
    assert (done.returncode, done.stdout, done.stderr) == (0, EXPLAINED, "")
    done = run_here(capfd, "explain", model, data, "--row", "0", "--counterfactuals")
    assert done.stdout == EXPLAINED + CHANGES
    done = run_here(capfd, "explain", model, data, "--row", "0", "--details", "--counterfactuals")
    assert done.stdout == EXPLAINED + DETAILS + CHANGES


def test_explain_as_json(capfd, model, data):
    done = run_here(capfd, "explain", model, data, "--row", "2", "--counterfactuals", "--frozen", "Age", "--json")
    document = json.loads(done.stdout)
    assert document["row"] == 2 and document["decision"] == "healthy"
    assert document["values"] == {"Age": None, "Blood pressure": 12.5, "Smoker": "yes"}
    (change,) = document["counterfactuals"]
    assert change["changes"][0]["feature"] == "Blood pressure"


def test_evaluate_prints_scores_confusion_and_coverage(capfd, model, data):
    done = run_here(capfd, "evaluate", model, data)
    assert (done.returncode, done.stdout) == (0, EVALUATED)
    assert done.stderr == "nln: note: 1 row has no value of the target and is left out.\n"


def test_evaluate_as_json(capfd, model, data):
    document = json.loads(run_here(capfd, "evaluate", model, data, "--json").stdout)
    assert list(document) == ["rows", "scores", "labels", "confusion", "rows_no_rule_covers", "rules"]
    assert document["confusion"] == [[2, 1], [0, 2]] and document["rows_no_rule_covers"] == 2
    assert document["scores"]["accuracy"] == 0.8 and document["rules"][0]["rows"] == 2


def test_another_column_can_be_the_target(capfd, model, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text(ROWS.replace("Outcome", "Result"))
    assert run_here(capfd, "evaluate", model, path).returncode == 2
    assert run_here(capfd, "evaluate", model, path, "--target", "Result").stdout == EVALUATED


def test_only_the_columns_that_rules_ask_about_are_needed(capfd, model, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("Smoker;Blood pressure;Age\nyes;12,0;71\n")
    assert run_here(capfd, "predict", model, path).stdout.splitlines()[1] == "0,ill,0.225,0.775"


def test_missing_spellings_can_be_given(capfd, model, tmp_path):
    path = tmp_path / "spelled.csv"
    path.write_text("Smoker,Blood pressure,Age\nyes,12.0,unknown\n")
    assert "row 0 holds 'unknown'" in run_here(capfd, "predict", model, path).stderr
    done = run_here(capfd, "predict", model, path, "--missing", "unknown")
    assert done.stdout.splitlines()[1] == "0,healthy,0.9,0.1"


def test_a_failed_prediction_leaves_the_file_as_it_was(capfd, model, tmp_path):
    path, output = tmp_path / "wrong.csv", tmp_path / "out.csv"
    path.write_text("Smoker,Blood pressure,Age\nyes,12.0,much\n")
    output.write_text("mine")
    done = run_here(capfd, "predict", model, path, "-o", output, "--force")
    assert done.returncode == 2 and output.read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.csv", "rules.json", "wrong.csv"]
