"""Run the `nln` command: in a process of its own, or in this one where only its words and exit code matter."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import nln
from nln.cli import main


def run(*arguments, before="", folder=None, given=b"", **environment):
    """Run the command in a process of its own: `before` is code that runs first, `given` is its standard input."""
    start = ["-c", f"{before}\nimport sys; from nln.cli import main; sys.exit(main())"] if before else ["-m", "nln.cli"]
    done = subprocess.run(
        [sys.executable, *start, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(nln.__file__).parents[1]), **environment},
        input=given,
        capture_output=True,
        check=False,
    )
    return subprocess.CompletedProcess(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())


def run_here(capfd, *arguments, folder="."):
    """Run the command in this process, which saves loading Python and the libraries."""
    capfd.readouterr()
    with contextlib.chdir(folder):
        code = main([str(argument) for argument in arguments])
    written = capfd.readouterr()
    return subprocess.CompletedProcess(arguments, code, written.out, written.err)


def complaint(done, code=2):
    """Return the one line of a command that failed as it should."""
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("nln: ")
    return line
