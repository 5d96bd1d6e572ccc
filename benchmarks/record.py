"""The record of a run: parts are stored as they finish, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.environment import environment, is_same
from benchmarks.goals import Goal
from benchmarks.markdown import to_markdown
from benchmarks.settings import Settings, SkippedError, say

FORMAT = 1
"""Version of the JSON form."""

Part = dict[str, Any]
"""What a part returns: `table` (a list of rows, each a dict), `values` (numbers that goals are about), `notes` and
`skipped` (lists of sentences). All may be left out."""


class Record:
    """Results of one benchmark.

    Parameters
    ----------
    name : str
        The benchmark.
    settings : Settings
        How it is run.
    path : Path or None
        The JSON file; a Markdown file is written beside it. None stores nothing.
    fresh : bool
        Whether to run parts again that the file already has; parts that are not asked for stay.
    """

    def __init__(self, name: str, settings: Settings, path: Path | None, *, fresh: bool = False) -> None:
        self.settings, self.path, self.fresh = settings, path, fresh
        self.content: dict[str, Any] = {
            "format": FORMAT,
            "benchmark": name,
            "seed": settings.seed,
            "quick": settings.quick,
            "environment": environment(),
            "goals": [],
            "parts": {},
        }
        self._resume()

    def part(self, name: str, measure: Callable[[Settings], Part]) -> None:
        """Run a part and store it, unless it is stored already, measured by the same code, or was not asked for."""
        if self.settings.parts and name not in self.settings.parts:
            return
        before, code = self.content["parts"].get(name, {}), code_digest(measure)
        if before.get("status") == "done" and before.get("code") == code and not self.fresh:
            say(f"{name}: stored already")
            return
        say(f"{name}: begins")
        begin = time.perf_counter()
        try:
            found = measure(self.settings)
        except SkippedError as error:
            found = {"skipped": [str(error)], "status": "skipped"}
        skipped = found.get("skipped", [])
        for reason in skipped:
            say(f"{name}: skipped: {reason}")
        stored = {
            "status": "partial" if skipped else "done",
            "seconds": round(time.perf_counter() - begin, 2),
            "code": code,
        }
        self.content["parts"][name] = {**stored, "values": {}, "table": [], "notes": [], "skipped": [], **found}
        self.write()

    def judge(self, goals: Sequence[Goal]) -> None:
        """Compare what was measured with the goals."""
        self.content["goals"] = [goal.check(self.content["parts"]) for goal in goals]
        self.write()

    def markdown(self) -> str:
        """Return the results as Markdown tables."""
        return to_markdown(self.content)

    def write(self) -> None:
        """Store what there is."""
        if self.path is not None:
            write_atomically(self.path, json.dumps(self.content, indent=1, allow_nan=False) + "\n")
            write_atomically(self.path.with_suffix(".md"), self.markdown())

    def _resume(self) -> None:
        """Take over the parts of an earlier run, if they can stand beside what is measured now."""
        if self.path is None or not self.path.is_file():
            return
        stored = json.loads(self.path.read_text(encoding="utf-8"))
        same = all(stored.get(key) == self.content[key] for key in ("format", "benchmark", "seed", "quick"))
        if same and is_same(stored.get("environment", {}), self.content["environment"]):
            self.content["parts"] = stored["parts"]
        else:
            say(f"{self.path} was measured with other settings, sources, packages or machine: all parts run again")


def code_digest(measure: Callable[[Settings], Part]) -> str:
    """Short hash of the file that defines a part: a part whose protocol was changed is measured again."""
    function = inspect.unwrap(getattr(measure, "func", measure))
    return hashlib.sha256(Path(inspect.getfile(function)).read_bytes()).hexdigest()[:12]


def write_atomically(path: Path, text: str) -> None:
    """Replace a file in one step, so that an interruption never leaves half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
