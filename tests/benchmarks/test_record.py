import json

import pytest

from benchmarks.environment import environment
from benchmarks.goals import Goal
from benchmarks.markdown import table
from benchmarks.record import Record, write_atomically
from benchmarks.settings import Settings, SkippedError


def counting(calls, **part):
    def measure(settings):
        calls.append(settings.seed)
        return part

    return measure


def unmeasurable(_):
    raise SkippedError("no such thing here")


def test_finished_parts_are_not_run_again(tmp_path):
    calls = []
    for _ in range(2):
        Record("speed", Settings(), tmp_path / "out.json").part("a", counting(calls, values={"x": 1.0}))
    assert calls == [0]


def test_skipped_and_partial_parts_are_run_again(tmp_path):
    calls = []
    Record("speed", Settings(), tmp_path / "out.json").part("a", unmeasurable)
    Record("speed", Settings(), tmp_path / "out.json").part("a", counting(calls, skipped=["half of it"]))
    Record("speed", Settings(), tmp_path / "out.json").part("a", counting(calls))
    assert len(calls) == 2
    assert json.loads((tmp_path / "out.json").read_text())["parts"]["a"]["status"] == "done"


@pytest.mark.parametrize("changed", [Settings(seed=1), Settings(quick=True)])
def test_parts_of_other_settings_are_not_taken_over(tmp_path, changed):
    Record("speed", Settings(), tmp_path / "out.json").part("a", counting([]))
    assert Record("speed", changed, tmp_path / "out.json").content["parts"] == {}


def test_parts_of_other_sources_are_not_taken_over(tmp_path, monkeypatch):
    Record("speed", Settings(), tmp_path / "out.json").part("a", counting([]))
    changed = {**environment(), "sources": "x"}
    monkeypatch.setattr("benchmarks.record.environment", lambda: changed)
    assert Record("speed", Settings(), tmp_path / "out.json").content["parts"] == {}


def test_fresh_runs_everything_again(tmp_path):
    calls = []
    for _ in range(2):
        Record("speed", Settings(), tmp_path / "out.json", fresh=True).part("a", counting(calls))
    assert len(calls) == 2


def test_fresh_leaves_the_parts_that_are_not_asked_for(tmp_path):
    Record("speed", Settings(), tmp_path / "out.json").part("a", counting([]))
    record = Record("speed", Settings(parts=("b",)), tmp_path / "out.json", fresh=True)
    record.part("a", counting([]))
    record.part("b", counting([]))
    assert list(record.content["parts"]) == ["a", "b"]


def test_a_part_whose_code_has_changed_is_run_again(tmp_path, monkeypatch):
    calls = []
    Record("speed", Settings(), tmp_path / "out.json").part("a", counting(calls))
    monkeypatch.setattr("benchmarks.record.code_digest", lambda _: "another")
    Record("speed", Settings(), tmp_path / "out.json").part("a", counting(calls))
    assert len(calls) == 2


def test_only_the_parts_asked_for_run(tmp_path):
    calls = []
    record = Record("speed", Settings(parts=("b",)), None)
    record.part("a", counting(calls))
    record.part("b", counting(calls))
    assert list(record.content["parts"]) == ["b"]
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("side", "measured", "met"),
    [("at least", 10.0, True), ("at least", 9.9, False), ("at most", 10.0, True), ("at most", 10.1, False)],
)
def test_goals_are_judged_by_the_numbers(side, measured, met):
    goal = Goal("words", "a", "x", 10.0, side)
    assert goal.check({"a": {"values": {"x": measured}}})["met"] is met


def test_a_goal_that_was_not_measured_is_neither_met_nor_missed():
    assert Goal("words", "a", "x", 10.0, "at most").check({})["met"] is None


def test_an_interrupted_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.json"
    write_atomically(path, "old")
    with pytest.raises(TypeError):
        write_atomically(path, 3)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_table_has_a_cell_for_every_key_of_every_row():
    assert table([{"a": 1}, {"b": 0.12345}]) == ["| a | b |", "| --- | --- |", "| 1 |  |", "|  | 0.123 |"]
