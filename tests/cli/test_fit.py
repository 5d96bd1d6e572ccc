"""`nln fit`: its options, and what it says of the table."""

from __future__ import annotations

import json

import pytest

from nln import NLNClassifier, load_model
from nln.cli import main
from tests.cli.commands import run_here

ROWS = "id,size,hour,w,answer\n" + "".join(
    f"{i},{('S', 'M', 'L')[i % 3]},{i * 5 % 24},{1 + i % 2},{'TRUE' if i % 3 == 2 else 'false'}\n" for i in range(36)
)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(ROWS)
    return path


def test_the_json_document_holds_all_that_is_shown(fitted):
    done, document, path = fitted
    assert list(document) == ["model", "rules", "scores", "columns", "notes"]
    assert document["model"] == str(path)
    assert document["scores"]["training"]["rows"] == 94
    assert document["scores"]["cross_validation"] == []
    columns = {column["name"]: column for column in document["columns"]}
    assert columns["Age (years)"] == {
        "name": "Age (years)",
        "kind": "continuous",
        "values": "20 to 86",
        "missing": 11,
        "association": pytest.approx(0.4, abs=0.3),
        "note": "",
    }
    assert columns["Ward"]["kind"] == "left out"
    assert "'many' in row 7" in document["notes"][0] and document["notes"][0] in done.stderr


def test_options_reach_learning(capfd, table, tmp_path):
    output = tmp_path / "model.json"
    options = ["--types", "size=ordinal:S,M,L", "--types", "hour=periodic:24", "--ignore", "id", "--weights", "w"]
    done = run_here(
        capfd, "fit", table, "--target", "answer", *options, "--max-rules", "1", "-o", output, "--seed", "3"
    )
    assert done.returncode == 0, done.stderr
    model = load_model(output)
    kinds = {feature.name: (feature.kind, feature.values, feature.period) for feature in model.schema_.features}
    assert kinds == {"size": ("ordinal", ("S", "M", "L"), None), "hour": ("periodic", (), 24.0)}
    assert model.program_.n_rules == 1
    assert model.schema_.target.labels == (False, True)
    assert done.stdout == f"{model.program_}\n"


def test_the_positive_class_is_the_one_that_rules_conclude(capfd, table, tmp_path):
    output = tmp_path / "model.json"
    done = run_here(capfd, "fit", table, "--target", "size", "--ignore", "id", "--positive", "M", "-o", output)
    assert "names one of two classes" in done.stderr and done.returncode == 2
    done = run_here(capfd, "fit", table, "--target", "answer", "--ignore", "id", "--positive", "false", "-o", output)
    assert done.returncode == 0
    model = load_model(output)
    assert model.schema_.target.labels == (True, False)
    assert all(rule.label is False for rule in model.program_.rules)
    capfd.readouterr()
    assert main(["evaluate", str(output), str(table), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["scores"]["accuracy"] == 1.0


@pytest.mark.parametrize("options", [["size"], ["answer", "--positive", "false"]])
def test_the_dial_is_kept_and_turned_by_rules(capfd, table, tmp_path, options):
    output, small = tmp_path / "model.json", tmp_path / "small.json"
    assert run_here(capfd, "fit", table, "-o", output, "--target", *options).returncode == 0
    model = load_model(output)
    assert all(point.program.schema == model.schema_ for point in model.path_)
    fewest = min(point.n_rules for point in model.path_)
    done = run_here(capfd, "rules", output, "--max-rules", fewest, "-o", small)
    assert (done.returncode, done.stdout) == (0, f"{model.at(fewest)}\n")
    assert load_model(small).program_ == model.at(fewest)
    assert load_model(small).path_ == model.path_, "it can be turned again"


def test_a_model_without_a_dial_cannot_be_turned(capfd, model):
    done = run_here(capfd, "rules", model, "--max-rules", 1)
    assert done.returncode == 2 and "There is no path" in done.stderr


def test_repeated_targets_are_labels(capfd, tmp_path):
    table, output = tmp_path / "labels.csv", tmp_path / "model.json"
    rows = "".join(f"{i % 2},{i // 2 % 2},{i % 2},{(i % 2) & (i // 2 % 2)}\n" for i in range(24))
    table.write_text(f"x,y,left,both\n{rows}")
    done = run_here(capfd, "fit", table, "--target", "left", "--target", "both", "-o", output, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["scores"]["training"]["accuracy"] == 1.0
    done = run_here(capfd, "predict", output, table)
    assert done.stdout.splitlines()[0] == "row,left,both,P(left),P(both)"
    assert done.stdout.splitlines()[4].startswith("3,1,1,")
    done = run_here(capfd, "evaluate", output, table)
    assert "label  right  wrongly decided  missed  rightly not" in done.stdout


def test_cross_validation_comes_before_the_model(capfd, table, tmp_path):
    arguments = ["fit", table, "--target", "answer", "--ignore", "id", "--cv", "2", "-o", tmp_path / "m.json", "--json"]
    done = run_here(capfd, *arguments)
    assert done.returncode == 0, done.stderr
    folds = json.loads(done.stdout)["scores"]["cross_validation"]
    assert [fold["rows"] for fold in folds] == [18, 18]
    assert "2-fold cross-validation\nfold  left-out rows     F1  accuracy  rules\n" in done.stderr
    assert f"mean                 {sum(fold['f1'] for fold in folds) / 2:.3f}" in done.stderr


def test_without_a_name_the_model_is_model_json_and_never_replaced(capfd, table):
    done = run_here(capfd, "fit", "table.csv", "--target", "answer", folder=table.parent)
    assert done.returncode == 0
    assert "an identifier? --keep id uses it" in done.stderr
    assert "Saved to model.json." in done.stderr
    before = (table.parent / "model.json").read_bytes()
    done = run_here(capfd, "fit", "table.csv", "--target", "answer", folder=table.parent)
    assert done.returncode == 2 and "--force" in done.stderr
    assert (table.parent / "model.json").read_bytes() == before


def test_an_identifier_is_used_only_if_it_is_kept(capfd, table, tmp_path):
    arguments = ["fit", table, "--target", "answer", "-o", tmp_path / "m.json", "--force", "--json"]
    done = run_here(capfd, *arguments)
    *_, last = json.loads(done.stdout)["columns"]
    assert (last["name"], last["kind"], last["association"]) == ("id", "left out", None)
    assert "id" not in load_model(tmp_path / "m.json").schema_.names
    assert load_model(tmp_path / "m.json").made_.notes[0].startswith("Columns that look like identifiers")
    done = run_here(capfd, *arguments, "--keep", "id", "--keep", "hour")
    columns = {column["name"]: column for column in json.loads(done.stdout)["columns"]}
    assert columns["id"]["kind"] == "continuous" and columns["id"]["association"] < columns["size"]["association"]
    assert "id" in load_model(tmp_path / "m.json").schema_.names


def test_a_column_that_knows_the_answer_is_asked_about(capfd, tmp_path):
    path = tmp_path / "deaths.csv"
    rows = "".join(f"{i % 7},{i if i % 5 == 0 else ''},{'dead' if i % 5 == 0 else 'alive'}\n" for i in range(100))
    path.write_text(f"age,chapter,fate\n{rows}")
    done = run_here(capfd, "fit", path, "--target", "fate", "-o", tmp_path / "m.json", "--json", "--cv", "2")
    document = json.loads(done.stdout)
    assert [column["name"] for column in document["columns"]] == ["fate", "chapter", "age"]
    (note,) = document["notes"]
    assert note.startswith("'chapter' alone predicts fate in 100 % of the rows: does it know the answer?")
    assert f"nln: note: {note}\n" in done.stderr
    assert load_model(tmp_path / "m.json").made_.notes == (note,)


def test_price_and_threshold_are_options(capfd, table, tmp_path):
    arguments = ["fit", table, "--target", "answer", "--ignore", "id", "-o", tmp_path / "m.json", "--force"]
    assert run_here(capfd, *arguments, "--price", 1000).stdout.startswith("OTHERWISE")
    assert run_here(capfd, *arguments, "--threshold", 0.3).returncode == 0
    assert load_model(tmp_path / "m.json").program_.thresholds == (0.3,)
    assert run_here(capfd, *arguments, "--threshold", "accuracy").returncode == 0
    for option in (("--threshold", "best"), ("--price", 0)):
        done = run_here(capfd, *arguments, *option)
        assert done.returncode == 2 and f"{option[0][2:]} must be" in done.stderr


def test_plain_rules_and_their_rows_are_options(capfd, table, tmp_path):
    arguments = ["fit", table, "--target", "answer", "-o", tmp_path / "m.json", "--force"]
    assert run_here(capfd, *arguments, "--min-rows", 30).stdout.startswith("OTHERWISE")
    done = run_here(capfd, *arguments, "--plain", "--max-rules", 1)
    assert done.returncode == 0 and "±" not in done.stdout
    assert load_model(tmp_path / "m.json").program_.n_rules == 1


def test_rows_of_a_group_stay_together(capfd, tmp_path, monkeypatch):
    path = tmp_path / "visits.csv"
    path.write_text("patient,x,y\n" + "".join(f"p{i // 4},{i // 4 * 7 % 10},{i // 4 % 2}\n" for i in range(80)))
    seen = []
    monkeypatch.setattr("nln.classifier.NLNClassifier.fit", watched(NLNClassifier.fit, seen))
    done = run_here(capfd, "fit", path, "--target", "y", "--groups", "patient", "--cv", 2, "-o", tmp_path / "m.json")
    assert done.returncode == 0, done.stderr
    first, second, whole = map(set, seen)
    assert first | second == whole and not first & second and len(whole) == 20
    assert load_model(tmp_path / "m.json").names == ("x",)


def watched(fit, seen):
    """Fit, and note the groups given."""

    def fit_and_note(self, X, y, sample_weight=None, groups=None, *, tables=None):
        seen.append(groups)
        return fit(self, X, y, sample_weight, groups, tables=tables)

    return fit_and_note


def test_a_quiet_command_writes_the_rules_and_nothing_else(capfd, table, tmp_path):
    loud = run_here(capfd, "fit", table, "--target", "answer", "-o", tmp_path / "a.json")
    done = run_here(capfd, "fit", table, "--target", "answer", "-o", tmp_path / "b.json", "--quiet", "--cv", 2)
    assert (done.returncode, done.stdout, done.stderr) == (0, loud.stdout, "")
    assert loud.stderr and (tmp_path / "b.json").exists()
    done = run_here(capfd, "fit", table, "--target", "answr", "-q")
    assert done.returncode == 2 and "Did you mean 'answer'?" in done.stderr


def test_a_calculated_column_is_listed_learned_from_and_saved(capfd, tmp_path):
    path, output = tmp_path / "table.csv", tmp_path / "model.json"
    cells = [(left, right) for left in range(3, 9) for right in range(3, 9)]
    path.write_text("left,right,answer\n" + "".join(f"{a},{b},{'yes' if a > b else 'no'}\n" for a, b in cells))
    given = ["fit", path, "--target", "answer", "-o", output, "--json"]
    done = run_here(capfd, *given, "--feature", "lead = left - right")
    assert done.returncode == 0, done.stderr
    (line,) = (column for column in json.loads(done.stdout)["columns"] if column["name"] == "lead")
    assert line["kind"] == "continuous" and line["note"] == "calculated: left - right"
    assert load_model(output).program_.features_used == ("lead",)


def test_rules_calculate_if_they_may_and_ranges_of_results_are_short(capfd, tmp_path):
    path, output = tmp_path / "table.csv", tmp_path / "model.json"
    cells = [(left, right) for left in range(3, 19) for right in range(3, 19)]
    path.write_text("left,right,answer\n" + "".join(f"{a},{b},{'yes' if a > b else 'no'}\n" for a, b in cells))
    given = ["fit", path, "--target", "answer", "-o", output, "--json", "--force"]
    done = run_here(capfd, *given, "--arithmetic", "--no-counts")
    assert done.returncode == 0, done.stderr
    assert load_model(output).program_.features_used == ("left - right",)
    done = run_here(capfd, *given, "--no-arithmetic", "--feature", "ratio = left / right")
    (line,) = (column for column in json.loads(done.stdout)["columns"] if column["name"] == "ratio")
    assert line["values"] == "0.1667 to 6"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("lead", '--feature takes "name = expression"'),
        ("lead = hour - hours", "calculates 'lead' by 'hour - hours'"),
        ("hour = hour * w", "X has a column of that name"),
    ],
)
def test_a_wrong_calculation_is_one_line(capfd, table, tmp_path, given, said):
    done = run_here(capfd, "fit", table, "--target", "answer", "-o", tmp_path / "m.json", "--feature", given)
    assert done.returncode == 2
    assert said in done.stderr
