"""The quick forms of the benchmarks of composing: missing files are named, and `sites` and `audit` run end to end."""

import json

import pytest

from benchmarks import audit, kdd, kidney, sites
from benchmarks.record import Record
from benchmarks.settings import Settings
from tests.benchmarks.made_up import write_adult, write_files

FILES = {"kidney": "chronic-kidney-disease.csv", "kdd": "nsl-kdd-train.csv", "sites": "adult.csv", "audit": "adult.csv"}


@pytest.mark.parametrize("module", [kidney, kdd, sites, audit])
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


def test_adult_is_audited_for_sex_and_race(tmp_path):
    write_files(tmp_path)
    (tmp_path / "adult-test.csv").write_text((tmp_path / "adult.csv").read_text())
    settings = Settings(data=tmp_path, quick=True)
    record = Record("audit", settings, tmp_path / "audit.json")
    audit.run(settings, record)
    part = json.loads((tmp_path / "audit.json").read_text())["parts"]["audit"]
    assert part["status"] == "done"
    assert [row["left out"] for row in part["table"]] == ["nothing", "protected", "protected, proxies from 0.5"]
    assert "sex: gap of selection rate (points)" in part["table"][0]
    assert "for sex, race." in part["notes"][-1]
