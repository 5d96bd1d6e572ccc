"""The page of the command line is true: its examples run and print what it says, and it names every command."""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

import nln
from nln.cli import main
from nln.cli.app import COMMANDS, build_app
from nln.tables.files.cells import MISSING, MISSING_NUMBERS

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(kind):
    """The fenced blocks of a kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def examples():
    """Commands with what the page says they print."""
    for block in blocks("console"):
        for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = piece.partition("\n")
            yield command, output


@pytest.fixture
def shell(tmp_path):
    """Run a line in a folder with the page's table, as a shell with the command installed would."""
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "nln"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m nln.cli "$@"\n')
    script.chmod(0o755)
    (table,) = blocks("csv")
    (tmp_path / "patients.csv").write_text(table, encoding="utf-8")
    path = f"{script.parent}{os.pathsep}{os.environ['PATH']}"
    sources = str(Path(nln.__file__).parents[1])

    def run(command):
        return subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env={**os.environ, "PATH": path, "PYTHONPATH": sources},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        ).stdout

    return run


def run_here(monkeypatch, folder, command):
    """Run a line that is only `nln` and its arguments in this process; both streams together, as a shell shows them."""
    shown = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with monkeypatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("sys.stdout", shown)
        patch.setattr("sys.stderr", shown)
        main(shlex.split(command)[1:])
    return shown.buffer.getvalue().decode()


def test_the_examples_print_what_the_page_says(shell, monkeypatch, tmp_path):
    for command, expected in examples():
        is_plain = command.startswith("nln ") and not set(command) & set("|><")
        printed = run_here(monkeypatch, tmp_path, command) if is_plain else shell(command)
        assert doctest.OutputChecker().check_output(expected, printed, FLAGS), f"{command}\n{printed}"


def test_every_command_and_every_spelling_of_missing_is_on_the_page():
    page = PAGE.read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"`nln {name}`" in page
    for spelling in MISSING:
        assert f"`{spelling}`" in page
    for spelling in set(MISSING_NUMBERS) - {text.lower() for text in MISSING}:
        assert f"`{spelling}`" in page


def test_every_option_of_fit_is_on_the_page():
    page = PAGE.read_text(encoding="utf-8")
    for parameter in typer.main.get_command(build_app(["fit"])).commands["fit"].params:
        for option in parameter.opts:
            assert not option.startswith("--") or f"`{option}" in page or option == "--output"
