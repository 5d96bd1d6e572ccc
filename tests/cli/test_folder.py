"""`nln fit` on folders and patterns of files: read whole if they are small, some rows at a time if not."""

from __future__ import annotations

import numpy as np
import pytest

from nln import load_model
from tests.cli.commands import run_here
from tests.large.tables import cut, fit_on, made_table


@pytest.fixture(scope="module")
def table():
    return made_table(5000)


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    """The table in three Parquet files and in three text files, and whole."""
    path = tmp_path_factory.mktemp("folder")
    X, y = table
    whole = X.assign(bought=y, w=1.0)
    for name in ("parquet", "text", "whole"):
        (path / name).mkdir()
    for k, rows in enumerate(np.array_split(np.arange(len(whole)), 3)):
        whole.iloc[rows].to_parquet(path / "parquet" / f"{k}.parquet", index=False)
        whole.iloc[rows].to_csv(path / "text" / f"{k}.csv", index=False)
    whole.to_parquet(path / "whole" / "all.parquet", index=False)
    return path


@pytest.fixture
def long(monkeypatch):
    """Let small tables count as long ones."""
    monkeypatch.setattr("nln.cli.folder.LONG", 2048)


def fit(capfd, data, output, *options):
    done = run_here(capfd, "fit", data, "--target", "bought", "-o", output, *options)
    assert done.returncode == 0, done.stderr
    return load_model(output), done


@pytest.mark.parametrize("data", ["parquet", "parquet/*.parquet", "text"])
def test_a_small_folder_gives_the_program_of_the_whole_file(capfd, folder, tmp_path, data):
    expected, _ = fit(capfd, folder / "whole" / "all.parquet", tmp_path / "whole.json", "--ignore", "w")
    model, done = fit(capfd, folder / data, tmp_path / "model.json", "--ignore", "w")
    assert str(model.program_) == str(expected.program_)
    assert "3 files" in done.stderr


def test_a_long_folder_gives_the_program_of_its_rows_however_cut(capfd, folder, tmp_path, long, table):
    model, done = fit(capfd, folder / "parquet", tmp_path / "model.json", "--weights", "w")
    assert str(model.program_) == str(fit_on(cut(*table, 4)).program_)
    X, y = table
    assert f"accuracy {(model.predict(X) == y).mean():.3f}" in done.stderr
    assert model.made_.rows == 5000


def test_long_text_files_are_read_by_the_schema(capfd, folder, tmp_path, long, table):
    X, y = table
    model, _ = fit(capfd, folder / "text" / "*.csv", tmp_path / "model.json", "--ignore", "w")
    kinds = {feature.name: feature.kind for feature in model.schema_.features}
    assert kinds["age"] == kinds["income"] == "continuous"
    assert kinds["colour"] == "categorical"
    assert (model.predict(X) == y).mean() > 0.97


@pytest.mark.parametrize(("option", "value"), [("--cv", "3"), ("--table", "visits.csv"), ("--positive", "yes")])
def test_options_that_need_the_whole_table_are_refused(capfd, folder, tmp_path, long, option, value):
    done = run_here(capfd, "fit", folder / "parquet", "--target", "bought", option, value, "-o", tmp_path / "m.json")
    assert done.returncode == 2
    assert f"{option} needs a table of at most 2048 rows" in done.stderr


@pytest.mark.parametrize(
    ("data", "target", "says"),
    [
        ("parquet", "bougth", "Did you mean 'bought'?"),
        ("parquet/*.csv", "bought", "No file fits the pattern"),
        ("nothing", "bought", "has no table file"),
    ],
)
def test_mistakes_are_one_line(capfd, folder, tmp_path, long, data, target, says):
    (folder / "nothing").mkdir(exist_ok=True)
    done = run_here(capfd, "fit", folder / data, "--target", target, "-o", tmp_path / "m.json")
    assert done.returncode == 2
    assert says in done.stderr


def test_files_with_other_columns_are_named(capfd, folder, tmp_path, table):
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    X, y = table
    X.assign(bought=y).to_parquet(mixed / "0.parquet", index=False)
    X.drop(columns="age").assign(bought=y).to_parquet(mixed / "1.parquet", index=False)
    done = run_here(capfd, "fit", mixed, "--target", "bought", "-o", tmp_path / "m.json")
    assert done.returncode == 2
    assert "1.parquet lacks the column 'age', unlike" in done.stderr
