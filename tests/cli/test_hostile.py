"""Cells, names and streams that nobody expects: the message is one line of a screen, and our own errors stay ours."""

from __future__ import annotations

import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nln
from nln import NLNClassifier
from nln.cli.errors import InputError, refusals_as_input_errors
from nln.cli.words import MOST, one_line, visible
from nln.rules import Feature, Target
from nln.tables.target import read_target
from tests.cli.commands import complaint, run_here
from tests.cli.patients import PROGRAM

ROWS = np.arange(20).reshape(-1, 1)
HALF = "\ud800"


def test_errors_that_nobody_raised_on_purpose_are_bugs():
    with pytest.raises(InputError, match="kind"), refusals_as_input_errors():
        Feature("x", "colour")
    for bug in (lambda: np.zeros(3) + np.zeros(4), lambda: int("x"), lambda: len(3)):
        with pytest.raises((ValueError, TypeError)) as caught, refusals_as_input_errors():
            bug()
        assert not isinstance(caught.value, InputError)


def test_a_message_is_one_line_without_signs_that_move_the_cursor():
    assert one_line("a\n  b\tc") == "a b c"
    assert visible("\x1b[31mred\x1b[0m \u202e") == "\\x1b[31mred\\x1b[0m \\u202e"
    long = one_line("x" * 10**7)
    assert len(long) <= MOST and " ... " in long


def test_a_name_with_escapes_is_shown_and_not_obeyed(tmp_path, capfd):
    lines = ["\x1b[31mage,y", *(f"{i % 10},{'yes' if i % 10 > 4 else 'no'}" for i in range(60))]
    (tmp_path / "data.csv").write_text("\n".join(lines))
    done = run_here(capfd, "fit", "data.csv", "--target", "y", "-o", "model.json", folder=tmp_path)
    assert done.returncode == 0 and "\x1b" not in done.stderr + done.stdout and "\\x1b[31mage" in done.stderr
    wrong = run_here(capfd, "fit", "data.csv", "--target", "\x1b[2Jz", "-o", "m.json", folder=tmp_path)
    assert "\x1b" not in complaint(wrong)


def test_a_huge_cell_is_not_quoted_whole(tmp_path, capfd):
    PROGRAM.save(tmp_path / "rules.json")
    asked = PROGRAM.features_used
    cells = ["z" * 2_000_000] * len(asked)
    (tmp_path / "data.csv").write_text(",".join(asked) + "\n" + ",".join(cells) + "\n")
    assert len(complaint(run_here(capfd, "predict", "rules.json", "data.csv", folder=tmp_path))) < 2000
    with pytest.raises(ValueError) as caught:
        read_target(np.array(["x" * 5_000_000, 1.5], dtype=object))
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("line", ['{"a": ' + "[" * 100_000, '{"a": 1, "a": 2}'], ids=["deep", "twice"])
def test_json_lines_that_are_no_rows_are_refused(tmp_path, capfd, line):
    (tmp_path / "data.jsonl").write_text(line + "\n")
    said = complaint(run_here(capfd, "fit", "data.jsonl", "--target", "a", folder=tmp_path))
    assert "in line 1" in said


def test_numbers_that_are_none_name_their_column():
    X = pd.DataFrame({"a": pd.Series([Decimal("Infinity"), Decimal(1)] * 10, dtype=object)})
    with pytest.raises(ValueError, match="Column 'a' has 10 infinite values"):
        NLNClassifier().fit(X, [0, 1] * 10)
    huge = pd.DataFrame({"a": pd.Series([10**400 + i for i in range(20)], dtype=object)})
    with pytest.raises(ValueError, match="Column 'a' is continuous, but row 0 holds an integer of 1329 bits"):
        NLNClassifier().fit(huge, [0, 1] * 10)
    with pytest.raises(ValueError, match="labels of y must have different names"):
        NLNClassifier().fit(ROWS, pd.DataFrame(np.eye(20, 2, dtype=int), columns=["a", "a"]))


def test_half_a_character_is_refused_when_learning_and_not_when_saving():
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        NLNClassifier().fit(ROWS, [HALF, "b"] * 10)
    with pytest.raises(ValueError, match="Feature 'a' holds half of a surrogate pair"):
        NLNClassifier().fit(pd.DataFrame({"a": pd.Series([HALF, "b"] * 10, dtype=object)}), [0, 1] * 10)
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        Feature(f"a{HALF}", "continuous")
    with pytest.raises(ValueError, match="an integer of 9966 bits"):
        Target("y", "binary", (0, 10**3000))


CLOSED = {
    "output": ("import sys; sys.stdout = None", ("rules", "rules.json"), 1, "Standard output is closed"),
    "input": ("import sys; sys.stdin = None", ("predict", "rules.json", "-"), 2, "Standard input is closed"),
    "errors": ("import sys; sys.stderr = None", ("rules", "nothing.json"), 2, ""),
}


@pytest.mark.parametrize("name", CLOSED)
def test_a_closed_stream_is_a_line_and_a_code(tmp_path, name):
    PROGRAM.save(tmp_path / "rules.json")
    before, words, code, said = CLOSED[name]
    done = subprocess.run(
        [sys.executable, "-c", f"{before}\nfrom nln.cli import main; sys.exit(main())", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(nln.__file__).parents[1])},
        capture_output=True,
        check=False,
    )
    assert done.returncode == code and said in done.stderr.decode() and b"Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux")
def test_a_file_name_that_is_no_text_is_taken(tmp_path, capfd):
    lines = ["x,y", *(f"{i % 10},{'yes' if i % 10 > 4 else 'no'}" for i in range(60))]
    name = os.fsdecode(b"da\xffta.csv")
    (tmp_path / name).write_text("\n".join(lines))
    done = run_here(capfd, "fit", name, "--target", "y", "-o", "model.json", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert run_here(capfd, "report", "model.json", name, "--title", name, folder=tmp_path).returncode == 0
