"""Files as polars writes them by default, with text as views, which few functions of pyarrow take."""

from __future__ import annotations

import json

import polars as pl
import pyarrow as pa
import pytest

from nln import NLNClassifier
from nln.tables.frames import read_table
from tests.cli.commands import run_here

TEXT = ["a", "b", None] * 20
COLUMNS = {
    "text": pl.Series(TEXT),
    "category": pl.Series(TEXT, dtype=pl.Categorical),
    "enum": pl.Series(TEXT, dtype=pl.Enum(["a", "b"])),
}


def write(column, path):
    frame = pl.DataFrame({"f": column, "visit": [f"v{i // 4}" for i in range(60)], "y": ["u", "v", "u"] * 20})
    getattr(frame, {".arrow": "write_ipc", ".parquet": "write_parquet"}[path.suffix])(path)
    return frame


@pytest.mark.parametrize("ending", [".arrow", ".parquet"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_commands_take_the_files_that_polars_writes(tmp_path, capfd, kind, ending):
    path, model = tmp_path / f"data{ending}", tmp_path / "model.json"
    write(COLUMNS[kind], path)
    words = ("fit", path, "--target", "y", "--groups", "visit", "--positive", "v", "-o", model, "--json", "--quiet")
    done = run_here(capfd, *words)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["scores"]["training"]["accuracy"] == 1.0
    decided = run_here(capfd, "predict", model, path).stdout.splitlines()[1:]
    assert [line.split(",")[1] for line in decided] == ["u", "v", "u"] * 20


@pytest.mark.parametrize("kind", COLUMNS)
def test_rows_of_text_views_can_be_left_out(tmp_path, kind):
    write(COLUMNS[kind], tmp_path / "data.arrow")
    table = pa.ipc.open_file(tmp_path / "data.arrow").read_all()
    assert "string_view" in str(table.schema.field("f").type)
    weights = [1.0, 1.0, 0.0] * 20
    model = NLNClassifier(starts=1, random_state=0).fit(table.select(["f"]), table["y"], sample_weight=weights)
    assert model.predict(table).tolist()[:2] == ["u", "v"]
    assert read_table(table).backend == "pyarrow"
