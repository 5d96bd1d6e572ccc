"""What was learned and what was given is not lost: full disks, inputs named as outputs, signals, broken processes."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import nln
from nln import NLNClassifier
from nln.rules.storage import files, parts
from tests.cli.commands import complaint, run, run_here
from tests.cli.patients import PROGRAM

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and folders of POSIX")


def table(folder, rows=60):
    lines = ["x,y", *(f"{i % 10},{'yes' if i % 10 > 4 else 'no'}" for i in range(rows))]
    (folder / "data.csv").write_text("\n".join(lines))


def full(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_target_that_cannot_be_written_is_told_before_learning(tmp_path, capfd, monkeypatch):
    table(tmp_path)
    monkeypatch.setattr(Path, "write_bytes", full)
    monkeypatch.setattr("nln.cli.fit.learn", lambda *_, **__: pytest.fail("it learns"))
    line = complaint(run_here(capfd, "fit", "data.csv", "--target", "y", folder=tmp_path))
    assert line == "nln: model.json cannot be written: No space left on device. Give another name."
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_rules_are_printed_if_the_file_cannot_be_written_all_the_same(tmp_path, capfd, monkeypatch):
    table(tmp_path)
    monkeypatch.setattr(os, "fsync", full)
    done = run_here(capfd, "fit", "data.csv", "--target", "y", folder=tmp_path)
    assert done.returncode == 1 and "THEN y = yes" in done.stdout
    assert done.stderr.splitlines()[-1] == "nln: model.json cannot be written: No space left on device."
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_an_error_names_the_file_and_not_the_one_that_would_take_its_place(tmp_path, monkeypatch):
    for name in ("fsync", "replace"):
        with monkeypatch.context() as patched, pytest.raises(OSError) as caught:
            patched.setattr(os, name, full)
            files.write_whole(b"data", tmp_path / "model.json")
        assert caught.value.filename == str(tmp_path / "model.json") and not [*tmp_path.iterdir()]
    with pytest.raises(FileNotFoundError) as missing, files.writing_whole(tmp_path / "a.json"):
        (tmp_path / "nothing").read_text()
    assert missing.value.filename == str(tmp_path / "nothing")


COMMANDS = {
    "fit": "fit data.csv --target y -o data.csv",
    "predict": "predict rules.json data.csv -o data.csv",
    "rules": "rules rules.json -o ./rules.json",
    "merge": "merge rules.json rules.json -o rules.json",
    "export": "export rules.json --to sql -o link.json",
    "report": "report rules.json data.csv -o rules.json",
    "audit": "audit rules.json data.csv --group x --report data.csv",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_input_is_never_replaced(tmp_path, capfd, name):
    table(tmp_path)
    PROGRAM.save(tmp_path / "rules.json")
    (tmp_path / "link.json").symlink_to("rules.json")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    line = complaint(run_here(capfd, *COMMANDS[name].split(), "--force", folder=tmp_path))
    assert "is a file that the command reads. Give another name to write to." in line
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_text_too_long_for_a_model_file_is_refused_before_learning():
    X = np.array([["a" * 20_000_000, "b"], ["c", "d"]] * 30, dtype=object)
    with pytest.raises(ValueError, match=r"column 'x0' has 2000.* Shorten its texts, or leave it out") as caught:
        NLNClassifier().fit(X, [0, 1] * 30)
    assert len(str(caught.value)) < 500


@POSIX
def test_what_dead_processes_left_is_removed_later_and_what_others_write_is_not(tmp_path):
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    own = Path(parts.part_name(str(tmp_path)))
    dead = tmp_path / own.name.replace(f"-{os.getpid()}-", f"-{process.pid}-")
    elsewhere = tmp_path / dead.name.replace(dead.name[5:13], "00000000")
    fresh = tmp_path / dead.name.replace(".part", "")[:-4].__add__("0000.part")
    for path in (own, dead, elsewhere, fresh, tmp_path / ".other.part"):
        path.write_bytes(b"")
        os.utime(path, (0, 0) if path != fresh else None)
    files.write_whole(b"data", tmp_path / "model.json")
    assert {path.name for path in tmp_path.iterdir()} == {
        own.name, elsewhere.name, fresh.name, ".other.part", "model.json"
    }  # fmt: skip


LISTENS = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background of a shell ignore it
"""
WAITS = f"""{LISTENS}
import nln.rules.storage.files as files
def wait(handle):
    print("writing", file=sys.stderr, flush=True)
    time.sleep(60)
files.os.fsync = wait
"""


@POSIX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_a_file_is_written_leaves_nothing_behind(tmp_path, number):
    PROGRAM.save(tmp_path / "rules.json")
    command = [sys.executable, "-c", f"{WAITS}\nfrom nln.cli import main; sys.exit(main())", "rules", "rules.json"]
    with subprocess.Popen(
        [*command, "-o", "new.json", "--quiet"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(nln.__file__).parents[1])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None and process.stderr.readline() == b"writing\n"
        process.send_signal(number)
        said = process.stderr.read().decode()
    assert (process.returncode, said) == (128 + number, "nln: Stopped.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["rules.json"]


@POSIX
@pytest.mark.parametrize("module", ["typer", "numpy", "nln.cli.app"])
def test_an_interrupt_during_the_start_is_one_line_and_130(tmp_path, module):
    PROGRAM.save(tmp_path / "rules.json")
    before = f"""
import sys
class Finder:
    def find_spec(self, name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
"""
    done = run("rules", "rules.json", before=before, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "nln: Stopped.\n")


@POSIX
def test_an_interrupt_while_learning_is_one_line_and_130(tmp_path):
    table(tmp_path)
    command = [sys.executable, "-c", f"{LISTENS}\nfrom nln.cli import main; sys.exit(main())"]
    with subprocess.Popen(
        [*command, "fit", "data.csv", "--target", "y", "--cv", "20"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(nln.__file__).parents[1])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        while not (line := process.stderr.readline()).startswith(b"fold 1 of 20"):
            assert line, "it ended before it learned"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read().decode().splitlines()
    assert process.returncode == 130 and said[-1] == "nln: Stopped."
    assert not any("Traceback" in line for line in said) and not (tmp_path / "model.json").exists()
