import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import nln
from benchmarks.environment import environment
from benchmarks.goals import Goal
from benchmarks.markdown import table
from benchmarks.record import Cell, Record, write_atomically
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


def test_parts_that_are_not_asked_for_stay_with_their_origin(tmp_path, monkeypatch):
    first, old = tmp_path / "out.json", environment()
    for name in ("a", "b"):
        Record("speed", Settings(), first).part(name, counting([], values={"x": 1.0}))
    monkeypatch.setattr("benchmarks.record.environment", lambda: {**old, "sources": "x"})
    calls = []
    Record("speed", Settings(parts=("b",)), first).part("b", counting(calls))
    content = json.loads(first.read_text())
    assert calls == [0]
    assert content["environment"]["sources"] == "x"
    assert content["parts"]["a"]["values"] == {"x": 1.0}
    assert content["parts"]["a"]["environment"]["sources"] == old["sources"]
    assert "environment" not in content["parts"]["b"]
    shown = first.with_suffix(".md").read_text().split("## a")[1]
    assert f"sources {old['sources']}." in shown
    assert Record("speed", Settings(), first).content["parts"].keys() == {"b"}


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
    record.part("b: means", counting(calls))
    record.part("ba", counting(calls))
    assert list(record.content["parts"]) == ["b", "b: means"]
    assert len(calls) == 2


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


def plan_of(calls, keys="abc", **options):
    def plan(settings):
        return [Cell(key, lambda key=key: calls.append(key) or {"x": key}, **options) for key in keys]

    return plan


def joined(found):
    return {"values": {"all": "".join(cell["x"] for cell in found.values())}}


def test_cells_are_summarized_in_the_order_of_the_plan(tmp_path):
    calls = []
    for keys in ("cab", "abc"):
        record = Record("speed", Settings(), tmp_path / "out.json", fresh=keys == "abc")
        record.cells("part", plan_of(calls, keys), joined)
        assert record.content["parts"]["part"]["values"] == {"all": keys}
        assert record.content["parts"]["part"]["status"] == "done"


def test_finished_cells_are_not_run_again(tmp_path):
    calls = []
    Record("speed", Settings(), tmp_path / "out.json").cells("part", plan_of(calls, "ab"), joined)
    Record("speed", Settings(), tmp_path / "out.json").cells("part", plan_of(calls, "abc"), joined)
    assert calls == ["a", "b"]  # the part is done
    content = json.loads((tmp_path / "out.json").read_text())
    content["parts"]["part"]["status"] = "unfinished"
    (tmp_path / "out.json").write_text(json.dumps(content))
    Record("speed", Settings(), tmp_path / "out.json").cells("part", plan_of(calls, "abc"), joined)
    assert calls == ["a", "b", "c"]


def test_a_cell_that_cannot_be_measured_is_tried_again(tmp_path):
    def plan(settings):
        return [Cell("a", dict), Cell("b", lambda: unmeasurable(settings))]

    for _ in range(2):
        record = Record("speed", Settings(), tmp_path / "out.json")
        record.cells("part", plan, lambda found: {"values": {"n": len(found)}})
        part = record.content["parts"]["part"]
        assert (part["status"], part["skipped"], part["values"]) == ("partial", ["no such thing here"], {"n": 1})


def test_a_plan_that_fails_skips_the_part(tmp_path):
    record = Record("speed", Settings(), tmp_path / "out.json")
    record.cells("part", unmeasurable, joined)
    assert record.content["parts"]["part"]["status"] == "skipped"
    assert "no such thing here" in record.markdown()


@pytest.mark.parametrize("changed", [{"sources": "x"}, {"sources": "x", "packages": {"nln": "9.9"}}])
def test_another_nln_makes_only_the_cells_of_nln_run_again(changed, tmp_path, monkeypatch):
    calls = []

    def plan(settings):
        return plan_of(calls, "a")(settings) + plan_of(calls, "b", of_nln=False)(settings)

    Record("speed", Settings(), tmp_path / "out.json").cells("part", plan, joined)
    now = environment()
    now |= {**changed, "packages": now["packages"] | changed.get("packages", {})}
    monkeypatch.setattr("benchmarks.record.environment", lambda: now)
    record = Record("speed", Settings(), tmp_path / "out.json")
    record.cells("part", plan, joined)
    assert calls == ["a", "b", "a"]
    assert record.content["parts"]["part"]["values"] == {"all": "ab"}


def test_postponed_cells_are_left_for_another_call(tmp_path):
    calls = []
    record = Record("speed", Settings(), tmp_path / "out.json")
    record.cells("part", plan_of(calls), joined, postpone=("b",))
    part = record.content["parts"]["part"]
    assert (calls, part["status"], part["values"]) == (["a", "c"], "unfinished", {"all": "ac"})
    record.cells("part", plan_of(calls), joined)
    part = record.content["parts"]["part"]
    assert (calls, part["status"], part["values"]) == (["a", "c", "b"], "done", {"all": "abc"})


def test_what_was_summed_up_stays_if_the_next_call_is_interrupted(tmp_path):
    def plan(settings):
        def interrupt():
            raise KeyboardInterrupt

        return [*plan_of([], "a")(settings), Cell("b", lambda: {"x": "b"}), Cell("c", interrupt)]

    record = Record("speed", Settings(), tmp_path / "out.json")
    record.cells("part", plan, joined, postpone=("b", "c"))
    with pytest.raises(KeyboardInterrupt):
        record.cells("part", plan, joined)
    part = Record("speed", Settings(), tmp_path / "out.json").content["parts"]["part"]
    assert (part["status"], part["values"], list(part["cells"])) == ("unfinished", {"all": "a"}, ["a", "b"])


KILLED = """
import os, signal, sys
from pathlib import Path
from benchmarks.record import Cell, Record
from benchmarks.settings import Settings

log, out, last = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]

def measure(key):
    if key == last:
        os.kill(os.getpid(), signal.SIGKILL)
    with log.open("a") as file:
        file.write(key)
    return {"x": key}

def plan(settings):
    return [Cell(key, lambda key=key: measure(key)) for key in "abcd"]

record = Record("speed", Settings(), out)
record.cells("part", plan, lambda found: {"values": {"all": "".join(c["x"] for c in found.values())}})
"""


def test_a_killed_run_goes_on_with_the_cell_where_it_was_killed(tmp_path):
    script, log, out = tmp_path / "run.py", tmp_path / "log", tmp_path / "out.json"
    script.write_text(KILLED)
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root), str(Path(nln.__file__).parents[1])])
    for last, code in (("c", -signal.SIGKILL), ("", 0)):
        command = [sys.executable, str(script), str(log), str(out), last]
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, check=False)
        assert done.returncode == code, done.stderr
        if last:
            assert "Not finished: 2 measurements" in out.with_suffix(".md").read_text()
    assert log.read_text() == "abcd"
    part = json.loads(out.read_text())["parts"]["part"]
    assert part["status"] == "done"
    assert part["values"] == {"all": "abcd"}
