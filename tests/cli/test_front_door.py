"""Three commands from a messy table to a page, as people run them; and that all of them read the table alike."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from nln import LogicProgram, NLNClassifier, load_model
from nln.rules import read_columns
from nln.tables.files.table_file import TableFile
from tests.cli.commands import run_here
from tests.cli.patients import N_ROWS, messy

RULES = """\
IF   "Age (years)" >= 50
 AND Albumin >= 2
THEN Outcome = ill             (26 rows, 100 % ill; 26 of 43 ill in 94 rows; weight 0.981)

IF   "Blood pressure" >= 17
THEN Outcome = ill             (17 rows, 100 % ill; 17 of 43 ill in 94 rows; weight 0.971)

OTHERWISE Outcome = healthy    (P(Outcome = ill) = 0.009; Outcome = ill from 0.5)
"""
COLUMNS = """\
94 rows to learn from
column          kind         values                                   missing  association
Outcome         target       healthy 51, ill 43                             2               these rows are left out
Albumin         continuous   0 to 3                                                   0.41
Blood pressure  continuous   9 to 18.6                                      3         0.33
Age (years)     continuous   20 to 86                                      11         0.27
Smoker          categorical  no, yes                                        8         0.19
Visits          categorical  "0", "1", "2", "3", "4", "5", many                       0.06
Patient ID      left out     P000, P001, P002, P003, ... (94 values)                        an identifier? \
--keep 'Patient ID' uses it
Ward            left out     A                                                              no two different values
nln: note: Column 'Visits' is taken as text, since 1 cell is no number (first 'many' in row 7). Correct them, or give \
--missing 'many' if it means that the value is missing.
training 5 networks
choosing the price
trying calculations
pooling the rules
writing the rules
The percentage says how often a rule was right. Its weight says how much it adds to a probability: where it holds, \
1 - P is multiplied by 1 - weight.
2 rules; F1 1.000, accuracy 1.000 on the rows learned from. Saved to model.json.
"""


def test_three_commands_from_a_messy_table_to_a_page(capfd, tmp_path):
    (tmp_path / "patients.csv").write_bytes(messy().encode())
    done = run_here(capfd, "fit", "patients.csv", "--target", "Outcome", "-o", "model.json", folder=tmp_path)
    told = done.stderr
    assert (done.returncode, done.stdout, told) == (0, RULES, COLUMNS)
    done = run_here(capfd, "evaluate", "model.json", "patients.csv", folder=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("2 rules on 94 rows\n\naccuracy           1.000\nF1                 1.000\n")
    assert done.stderr == "nln: note: 2 rows have no value of the target and are left out.\n"
    done = run_here(capfd, "report", "model.json", "patients.csv", "-o", "report.html", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Rules for Outcome" in page and "Blood pressure" in page
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "patients.csv", "report.html"]


def test_the_model_is_the_one_that_python_learns(fitted, patients_csv):
    _, document, path = fitted
    table = TableFile(patients_csv).read()
    known = table.filter(table["Outcome"].is_valid())
    model = NLNClassifier(random_state=0)
    with pytest.warns(UserWarning, match="Ward"):
        model.fit(known.drop_columns(["Outcome", "Patient ID"]), known["Outcome"])
    saved = load_model(path)
    assert saved.program_.rules == model.program_.rules
    assert document["rules"] == saved.program_.to_records()
    assert saved.names == ("Age (years)", "Blood pressure", "Albumin", "Smoker", "Ward", "Visits")


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv", ".jsonl", ".parquet", ".feather"])
def test_predictions_are_those_of_the_model_on_the_frame(capfd, fitted, patients_csv, tmp_path, ending):
    path = fitted[2]
    frame = TableFile(patients_csv).read()
    expected = load_model(path).predict_proba(frame)
    data = patients_csv if ending == ".csv" else rewritten(frame, tmp_path / f"data{ending}")
    done = run_here(capfd, "predict", path, data, "--json")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["row"] for row in rows] == list(range(N_ROWS))
    np.testing.assert_array_equal([list(row["probabilities"].values()) for row in rows], expected)
    assert [row["decision"] for row in rows] == load_model(path).predict(frame).tolist()


def rewritten(frame, path):
    """The table as another file, written by other hands."""
    pandas = frame.to_pandas()
    if path.suffix == ".parquet":
        pandas.to_parquet(path)
    elif path.suffix == ".feather":
        pandas.to_feather(path)
    elif path.suffix == ".jsonl":
        pandas.to_json(path, orient="records", lines=True)
    else:
        pandas.to_csv(path, sep="\t" if path.suffix == ".tsv" else ",", index=False, na_rep="NULL")
    return path


def test_codes_are_the_same_when_learning_and_when_deciding(fitted, patients_csv):
    program = LogicProgram.from_dict(json.loads(fitted[2].read_text(encoding="utf-8"))["program"])
    whole = read_columns(TableFile(patients_csv).read(), program.schema)
    again = read_columns(TableFile(patients_csv).rows(program.schema, truth=False).X, program.schema)
    for name, column in whole.items():
        np.testing.assert_array_equal(again[name], column)


def test_csv_of_predictions_has_a_line_a_row(capfd, fitted, patients_csv, tmp_path):
    output = tmp_path / "predictions.csv"
    done = run_here(capfd, "predict", fitted[2], patients_csv, "-o", output)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"Wrote {output}.\n")
    head, *rows = csv.reader(io.StringIO(output.read_text(encoding="utf-8")))
    assert head == ["row", "Outcome", "P(healthy)", "P(ill)"]
    assert len(rows) == N_ROWS and {row[1] for row in rows} == {"healthy", "ill"}
