"""The quick form of `speed`, end to end, in a process that can import neither PyTorch nor XGBoost nor DuckDB."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import nln
from tests.benchmarks.made_up import write_adult

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def run(folder, *arguments):
    """Run the command with stubs for the packages that must not be needed."""
    stubs = folder / "stubs"
    stubs.mkdir(exist_ok=True)
    for name in ("torch", "xgboost", "lightgbm", "duckdb"):
        (stubs / f"{name}.py").write_text(f"raise ImportError('no {name} here')\n")
    path = os.pathsep.join([str(stubs), str(Path(nln.__file__).parents[1])])
    environment = {name: value for name, value in os.environ.items() if name != "NLN_DATA"}
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", "speed", "--quick", *arguments],
        cwd=ROOT,
        env={**environment, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("speed")
    write_adult(folder)
    done = run(folder, "--data", str(folder), "--out", str(folder / "speed.json"))
    assert done.returncode == 0, done.stderr
    return folder, done


def test_stored_json_has_the_form_that_readers_expect(finished):
    content = json.loads((finished[0] / "speed.json").read_text())
    assert {k: content[k] for k in ("format", "benchmark", "seed", "quick")} == {
        "format": 1,
        "benchmark": "speed",
        "seed": 0,
        "quick": True,
    }
    assert set(content["environment"]) == {"date", "machine", "python", "packages", "sources"}
    assert set(content["environment"]["machine"]) == {"cpu", "cores", "memory_gb", "system"}
    assert list(content["parts"]) == ["epoch", "fit", "predict", "growth", "start", "tables"]
    for part in content["parts"].values():
        assert set(part) - {"cells"} == {"status", "seconds", "code", "values", "table", "notes", "skipped"}
        assert all(isinstance(value, int | float) for value in part["values"].values())
    for goal in content["goals"]:
        assert set(goal) == {"goal", "measured", "bound", "met"}
        assert (goal["met"] is None) == (goal["measured"] is None)


def test_our_own_times_are_measured_without_the_other_packages(finished):
    parts = json.loads((finished[0] / "speed.json").read_text())["parts"]
    assert [row["data"] for row in parts["epoch"]["table"]] == ["tic-tac-toe", "adult"]
    assert all(row["nln (ms)"] > 0 for row in parts["epoch"]["table"])
    assert [row["method"] for row in parts["fit"]["table"]] == ["nln"]
    assert [row["method"] for row in parts["predict"]["table"]] == ["nln", "program"]
    assert [row["rows"] for row in parts["growth"]["table"]] == [2000, 8000]
    assert all(row["peak (MB)"] > 0 and row["wall (s)"] > 0 for row in parts["growth"]["table"])
    assert [row["table"] for row in parts["tables"]["table"]] == ["3,000 x 40", "wine"]
    assert all(row["nln: CPU (s)"] > 0 for row in parts["tables"]["table"])
    assert parts["tables"]["table"][1]["nln: accuracy"] > 0.8


def test_output_says_what_was_skipped(finished):
    for text in (finished[1].stdout, (finished[0] / "speed.md").read_text()):
        assert "PyTorch is not installed" in text
        assert "XGBoost is not installed" in text
        assert "needs DuckDB and sqlglot" in text
        assert "not measured" in text


def test_a_missing_file_is_named(tmp_path):
    done = run(tmp_path, "--data", str(tmp_path), "--part", "fit")
    assert done.returncode == 0, done.stderr
    assert "adult.csv" in done.stdout
    assert str(tmp_path) in done.stdout
    assert list(tmp_path.glob("*.json")) == []


def test_an_unknown_benchmark_is_refused_with_the_known_names():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "nothing"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(Path(nln.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "speed" in done.stderr
