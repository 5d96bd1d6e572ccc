"""Peers in a process of their own: answers, limits, what is not there."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks import peer_environment, peers
from benchmarks.peer_environment import Worker, python_of
from benchmarks.peer_models import PEERS
from benchmarks.peer_worker import TARGET
from benchmarks.settings import Settings, SkippedError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def worker():
    with Worker(Path(sys.executable)) as worker:
        yield worker


@pytest.fixture(scope="module")
def request_of(tmp_path_factory):
    """Return a request for a peer on a table of a given length with text, numbers and missing values."""

    def make(peer, n_rows, seconds):
        rng = np.random.default_rng(0)
        X = pd.DataFrame(rng.normal(size=(n_rows, 12))).add_prefix("x")
        X["colour"] = rng.choice(["red", "blue", "007"], n_rows)
        X.loc[rng.random(n_rows) < 0.1, ["x1", "colour"]] = None
        target = np.where((X["colour"] == "red") ^ (X["x0"] > 0), "yes", "no")
        path = tmp_path_factory.mktemp("table") / "table.csv"
        X.assign(**{TARGET: target}).to_csv(path, index=False)
        train, test = list(range(n_rows // 2)), list(range(n_rows // 2, n_rows))
        text = {"path": str(path), "text": ["colour"], "train": train, "test": test}
        return {"peer": peer, "seed": 0, "seconds": seconds, **text}, target[n_rows // 2 :]

    return make


def test_a_peer_answers_with_classes_and_probabilities(worker, request_of):
    request, truth = request_of("pruned tree", 400, 60)
    reply = worker.ask(request)
    assert reply["status"] == "done", reply
    assert reply["classes"] == ["no", "yes"]
    probability = np.array(reply["probability"])
    assert probability.shape == (200, 2)
    assert np.allclose(probability.sum(axis=1), 1)
    assert np.mean(np.array(reply["predicted"]) == truth) > 0.9
    assert reply["counts"]["rules"] >= 4
    assert len(reply["training probability"]) == 200


def test_a_fit_that_takes_too_long_is_ended_and_the_next_one_is_answered(worker, request_of):
    assert worker.ask(request_of("pruned tree", 20_000, 0)[0])["status"] == "timed out"
    assert worker.ask(request_of("pruned tree", 100, 60)[0])["status"] == "done"


def test_what_a_peer_cannot_do_is_said(worker, request_of):
    request, _ = request_of("pruned tree", 100, 60)
    reply = worker.ask({**request, "train": [0, 1]})
    assert reply["status"] == "failed"
    assert "ValueError" in reply["reason"]


def test_a_package_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "wittgenstein", None)
    with pytest.raises(ImportError, match="wittgenstein is not installed: `pip install wittgenstein`"):
        PEERS["RIPPER"](0)


def test_a_process_that_does_not_start_is_not_called_slow(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 3\n")
    python.chmod(0o755)
    with Worker(python) as worker:
        assert worker.ask({"seconds": 5}) == {"status": "failed", "reason": "the process ended with code 3"}
        with pytest.raises(SkippedError, match="cannot run the peers: the process ended with code 3"):
            worker.versions()


def test_the_quick_form_makes_no_environment(tmp_path):
    assert python_of(Settings(quick=True, env=tmp_path / "env")) == Path(sys.executable)
    assert list(tmp_path.iterdir()) == []


def test_an_environment_with_these_requirements_is_taken(tmp_path):
    (tmp_path / "requirements.txt").write_text(peer_environment.REQUIREMENTS.read_text())
    assert python_of(Settings(env=tmp_path)) == tmp_path / "bin" / "python"


class Fake:
    """Answers with the statuses given, one after the other."""

    def __init__(self, *statuses):
        self.replies = [{"status": status, "reason": "so it is"} for status in statuses]

    def ask(self, request):
        return self.replies.pop(0)


def test_after_a_fit_that_timed_out_the_remaining_folds_are_not_tried():
    spent, split = {"EBM": 0.0}, (np.arange(2), np.arange(2))
    worker, asked = Fake("timed out"), {"peer": "EBM", "seconds": 120}
    found = [peers.evaluate(worker, asked, np.array(["a", "b"]), split, spent) for _ in range(3)]
    assert [cell["status"] for cell in found] == ["timed out", "not tried", "not tried"]


def test_the_table_says_what_was_not_measured():
    found = {"EBM, fold 0": {"status": "timed out"}, "EBM, fold 1": {"status": "not tried"}}
    part = peers.summarize({"interpret-core": "1.0"}, found)
    assert part["table"] == [{"method": "EBM", "fits": 0, "remark": "1 timed out"}]


def test_only_our_own_scores_depend_on_our_sources(tmp_path, worker):
    cells = peers.plan("wine", worker, tmp_path / "table.csv", Settings(quick=True))
    assert {cell.key.split(", ")[0]: cell.of_nln for cell in cells} == {
        "nln": True,
        "XGBoost": False,
        "pruned tree": False,
    }
