"""The quick forms of the benchmarks of composing: missing files are named, and `sites` runs end to end."""

import json

import pytest

from benchmarks import kdd, kidney, sites
from benchmarks.record import Record
from benchmarks.settings import Settings
from tests.benchmarks.test_quick import write_adult

FILES = {"kidney": "chronic-kidney-disease.csv", "kdd": "nsl-kdd-train.csv", "sites": "adult.csv"}


@pytest.mark.parametrize("module", [kidney, kdd, sites])
def test_a_missing_file_is_named(module, tmp_path):
    name = module.__name__.split(".")[-1]
    settings = Settings(data=tmp_path, quick=True)
    record = Record(name, settings, None)
    module.run(settings, record)
    assert FILES[name] in record.markdown()
    assert all(goal["met"] is None for goal in record.content["goals"])


@pytest.mark.filterwarnings("ignore:Columns without two different values:UserWarning")
def test_two_sites_are_merged(tmp_path):
    write_adult(tmp_path)
    (tmp_path / "adult-test.csv").write_text((tmp_path / "adult.csv").read_text())
    settings = Settings(data=tmp_path, quick=True)
    record = Record("sites", settings, tmp_path / "sites.json")
    sites.run(settings, record)
    part = json.loads((tmp_path / "sites.json").read_text())["parts"]["sites"]
    assert part["status"] == "done"
    assert [row["program"] for row in part["table"]][:2] == ["site 1", "site 2"]
    assert all(isinstance(value, int | float) for value in part["values"].values())
