"""The command in processes of its own, as people run it: what it loads, encodings, pipes, packages that are missing."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

import nln
from nln.cli.app import COMMANDS
from nln.export import EXPORTERS
from nln.rules import Feature, LogicProgram, Schema, Target
from tests.cli.commands import complaint, run, run_here
from tests.cli.patients import ROWS

TELL_MODULES = "import atexit, sys; atexit.register(lambda: sys.stderr.write(' '.join(sys.modules)))"
LEARNING = {"sklearn"}
TABLES = {"pandas", "polars", "narwhals", "pyarrow", "scipy"}

# Every command but those that learn, on the files of `given`; the packages that it must not load.
ALONE = {
    "rules": ("rules here.json", LEARNING | TABLES),
    "export": ("export here.json --to sql", LEARNING | TABLES),
    "diff": ("diff here.json there.json", LEARNING | TABLES),
    "merge": ("merge here.json there.json", LEARNING | TABLES),
    "predict": ("predict here.json data.csv", LEARNING),
    "explain": ("explain here.json data.csv --row 0", LEARNING),
    "evaluate": ("evaluate here.json data.csv", LEARNING),
    "card": ("card here.json data.csv", LEARNING),
    "select": ("select here.json data.csv", LEARNING),
    "transfer": ("transfer here.json data.csv --target kind", LEARNING),
    "audit": ("audit hiring.json people.csv --group sex", LEARNING),
    "report": ("report here.json data.csv -o {file}.html --force", LEARNING),
    "plot": ("plot here.json coverage data.csv -o {file}.svg --force", LEARNING),
}
LEARNS = {"fit", "demo", "doctor"}


@pytest.fixture
def file(tmp_path):
    """A small program with a fuzzy boundary and letters beyond ASCII."""
    schema = Schema(
        (Feature("x", "continuous"), Feature("größe 😀", "categorical", ("klein", "groß"))),
        Target("class", "binary", ("no", "yes")),
    )
    program = LogicProgram.parse('IF x < 3 ± 0.5 AND "größe 😀" = groß THEN class = yes (0.9)', schema=schema)
    program.save(tmp_path / "rules.json")
    return tmp_path / "rules.json"


@pytest.mark.parametrize("name", ALONE)
def test_a_command_does_the_same_in_a_process_and_loads_no_more_than_it_needs(capfd, given, tmp_path, name):
    arguments, forbidden = ALONE[name]
    words = arguments.format(file=tmp_path / "file").split()
    done = run(*words, folder=given, before=TELL_MODULES)
    assert (done.returncode, done.stdout) == (0, run_here(capfd, *words, folder=given).stdout)
    assert {module.partition(".")[0] for module in done.stderr.split()}.isdisjoint(forbidden)


def test_every_command_is_run_in_a_process():
    """Those that learn are: `fit` in the fixture `fitted`, the others here or on the page of the command line."""
    assert {*ALONE} | LEARNS == {*COMMANDS}


def test_a_figure_of_the_rules_alone_loads_no_more_than_the_rules(given, tmp_path):
    done = run("plot", "here.json", "network", "-o", tmp_path / "file.svg", folder=given, before=TELL_MODULES)
    assert done.returncode == 0
    assert {module.partition(".")[0] for module in done.stderr.split()}.isdisjoint(LEARNING | TABLES)


def test_help_lists_every_command_and_loads_none():
    done = run("--help", before=TELL_MODULES, NO_COLOR="1", COLUMNS="200")
    assert done.returncode == 0
    assert all(name in done.stdout and line in done.stdout for name, line in COMMANDS.items())
    loaded = done.stderr.split()
    assert {module.partition(".")[0] for module in loaded}.isdisjoint(LEARNING | TABLES | {"numpy"})
    assert {f"nln.cli.{name}" for name in COMMANDS}.isdisjoint(loaded)


def test_help_of_a_command_is_for_people_and_code_0():
    done = run("export", "--help", NO_COLOR="1", COLUMNS="200")
    assert done.returncode == 0
    assert all(name in done.stdout for name in [*EXPORTERS, "--option", "--force", "KEY=VALUE"])


def test_the_version_is_shown_and_help_is_short_for_everyone():
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"nln {nln.__version__}\n", "")
    for words in ((), ("predict",)):
        short, long = run(*words, "-h", NO_COLOR="1"), run(*words, "--help", NO_COLOR="1")
        assert (short.returncode == 0 and short.stdout == long.stdout and "--quiet" in long.stdout) or not words


def test_a_mistake_is_one_line_and_code_2(given):
    assert "Did you mean 'class'?" in complaint(run("fit", "data.csv", "--target", "clas", folder=given))
    assert "There is no file nothing.json" in complaint(run("diff", "here.json", "nothing.json", folder=given))


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_output_is_utf_8_whatever_the_system_says(file, encoding):
    assert run("rules", file, PYTHONIOENCODING=encoding).stdout == f"{LogicProgram.load(file)}\n"


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_standard_input_is_a_table_file(capfd, model, data, packed):
    content = gzip.compress(ROWS.encode()) if packed else ROWS.encode()
    done = run("predict", model, "-", given=content)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run_here(capfd, "predict", model, data).stdout


def test_a_reader_that_goes_away_is_no_error(file, tmp_path):
    rules = "\n".join(f"IF x < {n} THEN class = yes (0.5)" for n in range(5000))
    LogicProgram.parse(rules, schema=LogicProgram.load(file).schema).save(tmp_path / "long.json")
    with subprocess.Popen(
        [sys.executable, "-m", "nln.cli", "rules", "--quiet", str(tmp_path / "long.json")],
        env={**os.environ, "PYTHONPATH": str(Path(nln.__file__).parents[1])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


MISSING = {
    "typer": ("export here.json --to sql", "nln[cli]"),
    "sqlglot": ("export here.json --to sql", "nln[export]"),
    "matplotlib": ("plot here.json network -o {file}", "nln[plots]"),
    "jinja2": ("report here.json data.csv -o {file}", "nln[report]"),
    "pyarrow": ("predict here.json data.csv", "nln[cli]"),
}


@pytest.mark.parametrize("package", MISSING)
def test_a_missing_package_is_named_with_its_extra(given, tmp_path, package):
    arguments, extra = MISSING[package]
    output = tmp_path / "file.svg"
    before = f"import sys; sys.modules[{package!r}] = None"
    line = complaint(run(*arguments.format(file=output).split(), folder=given, before=before), code=1)
    assert "pip install" in line and extra in line
    assert not output.exists()


def test_a_script_for_completion_is_shown_and_completes_options():
    done = run("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert done.returncode == 0
    assert "_nln_completion" in done.stdout or "complete" in done.stdout
    done = run(_NLN_COMPLETE="complete_bash", COMP_WORDS="nln merge --me", COMP_CWORD="2")
    assert done.stdout.split() == ["--method"]
