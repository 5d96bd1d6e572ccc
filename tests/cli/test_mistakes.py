"""What users get wrong: one line that says what and what to do, code 2, and nothing written."""

from __future__ import annotations

import gzip

import pytest

from tests.cli.commands import complaint, run_here

FIT = ("fit", "data.csv", "--target", "Outcome")
WRONG = {
    "no target": (("fit", "data.csv"), "--target"),
    "no data": (("fit", "--target", "Outcome"), "DATA"),
    "unknown target": (("fit", "data.csv", "--target", "Outcom"), "no column 'Outcom'. Did you mean 'Outcome'?"),
    "unknown ignored": ((*FIT, "--ignore", "Id"), "no column 'Id'. Did you mean 'ID'?"),
    "unknown kept": ((*FIT, "--keep", "Id"), "no column 'Id'. Did you mean 'ID'?"),
    "target ignored": ((*FIT, "--ignore", "Outcome"), "'Outcome' is given twice"),
    "all ignored": (
        (*FIT, *(f"--ignore={name}" for name in ("ID", "Age", "Blood pressure", "Smoker"))), "no columns left",
    ),
    "unknown weights": ((*FIT, "--weights", "w"), "no column 'w'"),
    "text as weights": ((*FIT, "--weights", "ID"), "weight"),
    "types without kind": ((*FIT, "--types", "Age"), "column=kind, not 'Age'"),
    "types of no column": ((*FIT, "--types", "age=continuous"), "no column 'age'. Did you mean 'Age'?"),
    "types of no kind": ((*FIT, "--types", "Age=number"), "kind 'number'; known: binary, categorical"),
    "types twice": ((*FIT, "--types", "Age=ordinal", "--types", "Age=ordinal"), "twice"),
    "no period": ((*FIT, "--types", "Age=periodic"), "Age=periodic:24"),
    "values left out": ((*FIT, "--types", "Smoker=ordinal:no,maybe"), "leaves out: 'yes'"),
    "text as numbers": ((*FIT, "--types", "Smoker=continuous"), "'Smoker' is continuous, but row 0 holds 'yes'"),
    "unknown positive": ((*FIT, "--positive", "sick"), "not 'sick'; the target has 'ill', 'healthy'"),
    "no rules": ((*FIT, "--max-rules", "0"), "--max-rules"),
    "one fold": ((*FIT, "--cv", "1"), "--cv"),
    "many folds": ((*FIT, "--cv", "50"), "at least 50 rows, but there are 5"),
    "seed no number": ((*FIT, "--seed", "x"), "--seed"),
    "numbers as target": (("fit", "data.csv", "--target", "Blood pressure"), "continuous"),
    "one class": (("fit", "one.csv", "--target", "y"), "1 class"),
    "no class": (("fit", "none.csv", "--target", "y"), "no row with a value of 'y'"),
    "output there": ((*FIT, "-o", "rules.json"), "--force"),
    "no folder": ((*FIT, "-o", "no/model.json"), "Make it first"),
    "data is a folder": (("predict", "rules.json", "."), "is a folder"),
    "no such data": (("fit", "no.csv", "--target", "y"), "There is no file no.csv"),
    "empty": (("fit", "empty.csv", "--target", "y"), "is empty"),
    "header only": (("fit", "header.csv", "--target", "y"), "no rows below its header"),
    "no header": (("fit", "headless.csv", "--target", "y"), "has no header"),
    "twice": (("fit", "twice.csv", "--target", "y"), "names two columns 'x'"),
    "ragged": (("fit", "ragged.csv", "--target", "y"), "has 3 cells in row 1"),
    "truncated gzip": (("fit", "cut.csv.gz", "--target", "y"), "not a complete gzip file"),
    "no parquet": (("fit", "fake.parquet", "--target", "y"), "is not a Parquet file"),
    "no json lines": (("fit", "list.jsonl", "--target", "y"), "one object per line"),
    "binary": (("fit", "binary.csv", "--target", "y"), "not a text file"),
    "infinite": (("fit", "infinite.csv", "--target", "y"), "infinite value"),
    "predict without data": (("predict", "rules.json"), "DATA"),
    "predict without model": (("predict", "no.json", "data.csv"), "There is no file no.json"),
    "predict with a table as model": (("predict", "data.csv", "data.csv"), "not JSON"),
    "predict without a column": (("predict", "rules.json", "one.csv"), "no column 'Age'"),
    "predict over a file": (("predict", "rules.json", "data.csv", "-o", "word.csv"), "--force"),
    "predict a word": (("predict", "rules.json", "word.csv"), "'Age' is continuous, but row 1 holds 'old'"),
    "explain without row": (("explain", "rules.json", "data.csv"), "--row"),
    "explain no row": (("explain", "rules.json", "data.csv", "--row", "6"), "no row 6; its rows are 0 to 5"),
    "explain a negative row": (("explain", "rules.json", "data.csv", "--row", "-1"), "--row"),
    "frozen alone": (("explain", "rules.json", "data.csv", "--row", "0", "--frozen", "Age"), "--counterfactuals"),
    "frozen nothing": (
        ("explain", "rules.json", "data.csv", "--row", "0", "--counterfactuals", "--frozen", "age"), "'age'",
    ),
    "evaluate without classes": (("evaluate", "rules.json", "word.csv"), "no column 'Outcome'"),
    "evaluate other classes": (
        ("evaluate", "rules.json", "data.csv", "--target", "Smoker"), "known classes: 'healthy', 'ill'",
    ),
    "report of other rows": (("report", "rules.json", "one.csv", "-o", "r.html"), "no column 'Age'"),
    "unknown demo": (("demo", "chess"), "no data set 'chess'; known: tic-tac-toe"),
    "unknown command": (("fti", "data.csv"), "fti"),
}  # fmt: skip
FILES = {
    "one.csv": b"x,y\n1,a\n2,a\n",
    "none.csv": b"x,y\n1,\n2,NA\n",
    "empty.csv": b"",
    "header.csv": b"x,y\n",
    "headless.csv": b"1.5,2\n2.5,3\n",
    "twice.csv": b"x,x,y\n1,2,a\n",
    "ragged.csv": b"x,y\n1,a\n2,b,c\n",
    "cut.csv.gz": gzip.compress(b"x,y\n1,a\n2,b\n" * 50)[:-12],
    "fake.parquet": b"PAR1, or so it says",
    "list.jsonl": b'[{"x": 1}]\n',
    "binary.csv": b"x,y\n\0\1,\2\n",
    "infinite.csv": b"x,y\n1,a\ninf,b\n",
    "word.csv": b"Age,Blood pressure,Smoker\n1,2,no\nold,2,no\n",
}


@pytest.fixture
def folder(tmp_path, model, data):
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(("arguments", "expected"), WRONG.values(), ids=WRONG)
def test_a_mistake_is_one_line_and_code_2_and_writes_nothing(capfd, monkeypatch, folder, arguments, expected):
    monkeypatch.chdir(folder)
    before = contents(folder)
    done = run_here(capfd, *arguments)
    line = complaint(done)
    assert expected in line and line.endswith((".", "?"))
    assert contents(folder) == before
