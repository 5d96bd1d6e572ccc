from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import nln
from nln.rules import Feature, Schema, Target


def imported_by(code):
    """Names of the modules that a fresh interpreter has loaded after running the code."""
    tail = "\nimport sys; sys.stdout.write(' '.join(m.split('.')[0] for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_and_running_a_program_do_not_load_scikit_learn():
    run = """
from nln import LogicProgram
from nln.rules import Feature, Schema, Target
schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
program = LogicProgram.parse("IF x < 3 THEN class = yes (0.9) OTHERWISE class = no", schema=schema)
assert program.predict({"x": [1.0, 5.0]}).tolist() == ["yes", "no"]
"""
    assert imported_by(run).isdisjoint({"sklearn", "pandas", "polars", "narwhals", "scipy"})


def test_options_and_constraints_do_not_load_scikit_learn():
    run = """
from nln import Constraints, LanguageOptions, TrainingOptions
Constraints(forbidden=["x"]), LanguageOptions(max_rules=3), TrainingOptions(epochs=10)
"""
    assert imported_by(run).isdisjoint({"sklearn", "pandas", "polars", "scipy"})


def test_composing_does_not_load_scikit_learn():
    run = """
import nln.compose
from nln.rules import Feature, Schema, Target
schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
program = nln.LogicProgram.parse("IF x < 3 THEN class = yes (0.9) OTHERWISE class = no", schema=schema)
other = nln.LogicProgram.parse("IF x < 4 THEN class = yes (0.9) OTHERWISE class = no", schema=schema)
assert nln.diff(program, program).same
assert nln.merge([program, other]).program.n_rules == 1
X, y = {"x": [1.0, 3.5, 5.0]}, ["yes", "yes", "no"]
assert nln.merge([program, other], X=X, y=y).program.n_rules == 1
assert nln.select(program, X, y).program.n_rules == 1
assert nln.compare(program, other, X).agreement < 1
assert nln.edit(program, X, y).drop(1).program.n_rules == 0
"""
    assert imported_by(run).isdisjoint({"sklearn", "pandas", "polars", "narwhals", "scipy"})


@pytest.mark.parametrize("command", ["diff {0} {0}", "merge {0} {0}"])
def test_commands_on_programs_do_not_load_scikit_learn(command, tmp_path):
    schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    path = tmp_path / "program.json"
    path.write_text(json.dumps(nln.LogicProgram.parse("IF x < 3 THEN class = yes (0.9)", schema=schema).to_dict()))
    words = [word.format(path) for word in command.split()]
    run = f"""
import contextlib, io
from nln.cli import main
with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
    assert not main({words!r})
"""
    assert imported_by(run).isdisjoint({"sklearn", "pandas", "polars", "narwhals", "scipy"})


def test_teaching_is_imported_when_first_used():
    assert nln.compose.teach is nln.teach
    assert nln.compose.teach.__module__ == "nln.compose.teaching"
    assert set(nln.compose.__all__) <= set(dir(nln.compose))


def test_every_public_name_is_there():
    for name in nln.__all__:
        assert getattr(nln, name) is not None
        assert name in dir(nln)


def test_unknown_name_is_an_attribute_error():
    try:
        nln.nothing  # noqa: B018 - the access is what is tested
    except AttributeError as error:
        assert "nothing" in str(error)
    else:
        raise AssertionError


def test_the_lock_file_holds_what_the_extras_ask_for():
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = [Requirement(text) for text in (*project["dependencies"], *extras["test"], *extras["lint"])]
    lock = (root / "requirements" / "dev.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", lock, flags=re.MULTILINE))
    for need in (each for each in asked if each.name != project["name"]):
        assert need.specifier.contains(pinned[need.name.lower()]), f"{need}: run `make lock`"
    assert lock.count("--hash=sha256:") > len(pinned)
