"""`nln doctor` and `nln demo`."""

from __future__ import annotations

import json

import pytest

from nln.cli import doctor as module
from nln.cli.demo import DATA_SETS
from nln.native.building import levels
from tests.cli.commands import run_here


def test_the_doctor_says_what_is_there(capfd):
    done = run_here(capfd, "doctor", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert list(found) == ["nln", "python", "platform", "dependencies", "extras", "threads", "kernels", "fit"]
    assert found["fit"] == "works" and found["threads"] >= 1
    assert found["extras"]["cli"]["pyarrow"] and found["dependencies"]["numpy"]
    assert found["kernels"]["level"] in levels() and found["kernels"]["error"] is None


def test_the_doctor_says_what_to_install_and_what_failed(capfd, monkeypatch):
    monkeypatch.setattr(module, "_EXTRAS", {"plots": ("no-such-package",)})
    monkeypatch.setattr(module, "_kernels", lambda: {"library": None, "level": None, "error": "no compiler"})
    monkeypatch.setattr(module, "_try_fit", lambda: "failed: ValueError: no")
    lines = run_here(capfd, "doctor").stdout.splitlines()
    assert any("nln[plots]" in line and 'pip install "nln[plots]"' in line for line in lines)
    assert "failed: ValueError: no" in lines[-2] and lines[-1] == "no compiler"


def test_the_demo_learns_and_scores(capfd):
    done = run_here(capfd, "demo", "monks")
    assert done.returncode == 0
    assert 'IF   a5 = "1"\nTHEN class = "1"' in done.stdout
    assert done.stdout.splitlines()[-1].startswith("F1 1.000, accuracy 1.000 on 86 left-out rows, decided by ")
    assert done.stderr.startswith("monks-1: 432 robots")


def test_the_demo_as_json(capfd):
    document = json.loads(run_here(capfd, "demo", "wine", "--json").stdout)
    assert list(document) == ["name", "rules", "left_out"] and document["left_out"]["rows"] == 35


def test_the_demo_cross_validates(capfd):
    done = run_here(capfd, "demo", "monks-1", "--cv", "2", "--json")
    assert "2-fold cross-validation\nfold  left-out rows     F1  accuracy  rules\n" in done.stderr
    document = json.loads(done.stdout)
    assert list(document) == ["name", "rules", "cross_validation"]
    assert [(fold["rows"], fold["f1"]) for fold in document["cross_validation"]] == [(216, 1.0), (216, 1.0)]


@pytest.mark.parametrize("name", DATA_SETS)
def test_every_data_set_of_the_demo_is_there(name):
    X, y = DATA_SETS[name].load()
    assert len(X) == len(y) > 100
