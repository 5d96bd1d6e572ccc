"""The record of a run: parts are stored as they finish, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.environment import environment, is_same, is_same_machine
from benchmarks.goals import Goal
from benchmarks.markdown import to_markdown
from benchmarks.progress import track
from benchmarks.settings import Settings, SkippedError, say

FORMAT = 1
"""Version of the JSON form."""

Part = dict[str, Any]
"""What a part returns: `table` (a list of rows, each a dict), `values` (numbers that goals are about), `notes` and
`skipped` (lists of sentences). All may be left out."""


EMPTY: Part = {"values": {}, "table": [], "notes": [], "skipped": []}


@dataclass(frozen=True)
class Cell:
    """A piece of a part (a fold, a size) that is stored as soon as it is measured.

    Parameters
    ----------
    key : str
        Its name within the part.
    measure : callable
        Returns what was found, as a dict that JSON can hold. May raise `SkippedError`.
    of_nln : bool
        Whether it says something about nln: then it is measured again when the sources of nln have changed.
    """

    key: str
    measure: Callable[[], dict[str, Any]]
    of_nln: bool = True


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
            "protocol": [],
            "goals": [],
            "parts": {},
        }
        self._resume()

    def part(self, name: str, measure: Callable[[Settings], Part]) -> None:
        """Run a part and store it, unless it is stored already, measured by the same code, or was not asked for."""
        code = code_digest(measure)
        if not self._is_due(name, code):
            return
        begin = time.perf_counter()
        try:
            found = measure(self.settings)
        except SkippedError as error:
            found = {"skipped": [str(error)], "status": "skipped"}
        self._store(name, code, begin, found)

    def assemble(self, name: str, make: Callable[[Settings], Part]) -> None:
        """Make a part from others, which costs nothing, so that it is made anew in every run; it goes to the end."""
        if self.settings.parts and name not in self.settings.parts:
            return
        self.content["parts"].pop(name, None)
        begin = time.perf_counter()
        try:
            found = make(self.settings)
        except SkippedError as error:
            found = {"skipped": [str(error)]}
        self._store(name, code_digest(make), begin, found)

    def cells(
        self,
        name: str,
        plan: Callable[[Settings], Sequence[Cell]],
        summarize: Callable[[Mapping[str, Any]], Part],
        *,
        files: Sequence[Path] = (),
        postpone: Sequence[str] = (),
    ) -> None:
        """Run a part cell by cell and store each; cells that are stored already, by the same code, are not run again.

        Parameters
        ----------
        name : str
            The part.
        plan : callable
            From the settings to the cells, for example one a fold. May raise `SkippedError`.
        summarize : callable
            From what was found, by key of the cell in the order of the plan, to the part.
        files : sequence of Path
            Files beside that of `plan` whose change makes the cells run again.
        postpone : sequence of str
            Cells whose keys begin so are left for another call, and the part is not finished before that.
        """
        code = code_digest(plan, *files)
        if not self._is_due(name, code):
            return
        begin = time.perf_counter()
        before = {} if self.fresh else self.content["parts"].get(name, {})
        kept = {key: cell for key, cell in before.get("cells", {}).items() if cell["code"] == code}
        # What earlier calls have summed up stays until there is more, even if this call is interrupted.
        summed_up = {**EMPTY, **({key: before[key] for key in EMPTY} if before.get("code") == code else {})}
        self.content["parts"][name] = {"status": "unfinished", "seconds": 0.0, "code": code, **summed_up, "cells": kept}
        try:
            cells = plan(self.settings)
        except SkippedError as error:
            self._store(name, code, begin, {"skipped": [str(error)], "status": "skipped", "cells": kept})
            return
        postponed = [cell for cell in cells if cell.key.startswith(tuple(postpone)) and cell.key not in kept]
        skipped = self._run_cells(name, code, [cell for cell in cells if cell not in postponed], kept)
        found = {cell.key: kept[cell.key]["found"] for cell in cells if cell.key in kept}
        part = summarize(found) if found else {}
        part |= {"skipped": [*part.get("skipped", []), *skipped], "cells": {key: kept[key] for key in found}}
        self._store(name, code, begin, {**part, "status": "unfinished"} if postponed else part)

    def _run_cells(self, name: str, code: str, cells: Sequence[Cell], kept: dict[str, Any]) -> list[str]:
        """Measure the cells that are missing from `kept`, and return why some could not be measured."""
        skipped = []
        for cell in track([cell for cell in cells if cell.key not in kept], name):
            try:
                found = cell.measure()
            except SkippedError as error:
                skipped.append(str(error))
                continue
            sources = self.content["environment"]["sources"] if cell.of_nln else None
            kept[cell.key] = {"code": code, "sources": sources, "found": found}
            self.write()
        return list(dict.fromkeys(skipped))

    def _is_due(self, name: str, code: str) -> bool:
        """Whether a part was asked for and is not stored already, measured by the same code."""
        if not self._is_asked(name):
            return False
        before = self.content["parts"].get(name, {})
        if before.get("status") == "done" and before.get("code") == code and not self.fresh:
            say(f"{name}: stored already")
            return False
        say(f"{name}: begins")
        return True

    def _is_asked(self, name: str) -> bool:
        """Whether a part was asked for; who asks for `a` also asks for the parts called `a: ...`."""
        asked = self.settings.parts
        return not asked or name in asked or name.startswith(tuple(f"{part}: " for part in asked))

    def _store(self, name: str, code: str, begin: float, found: Part) -> None:
        skipped = found.get("skipped", [])
        for reason in skipped:
            say(f"{name}: skipped: {reason}")
        stored = {
            "status": "partial" if skipped else "done",
            "seconds": round(time.perf_counter() - begin, 2),
            "code": code,
        }
        self.content["parts"][name] = {**stored, **EMPTY, **found}
        self.write()

    def explain(self, *sentences: str) -> None:
        """Say how everything is measured; it stands before the tables."""
        self.content["protocol"] = list(sentences)

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
        """Take over the parts of an earlier run, if they can stand beside what is measured now or are not asked for."""
        if self.path is None or not self.path.is_file():
            return
        stored = json.loads(self.path.read_text(encoding="utf-8"))
        same = all(stored.get(key) == self.content[key] for key in ("format", "benchmark", "seed", "quick"))
        is_old = False
        for name, part in stored["parts"].items() if same else ():
            kept = self._taken_over(name, part, part.get("environment", stored["environment"]))
            is_old |= kept is not part and self._is_asked(name)
            if kept is not None:
                self.content["parts"][name] = kept
        if is_old or not same:
            say(f"{self.path} was measured with other settings, sources, packages or machine: parts run again")

    def _taken_over(self, name: str, part: Part, origin: dict[str, Any]) -> Part | None:
        """Return what stays of a part that was measured elsewhere; one that is not asked for stays with its origin."""
        now, plain = self.content["environment"], {key: part[key] for key in part if key != "environment"}
        if is_same(origin, now):
            return part if "environment" not in part else plain
        if not self._is_asked(name):
            return {**plain, "environment": origin}
        return _without_nln(plain) if is_same_machine(origin, now) else None


def _without_nln(part: Part) -> Part | None:
    """Keep, of a part that other sources of nln have measured, the cells that say nothing about nln."""
    cells = {key: cell for key, cell in part.get("cells", {}).items() if cell["sources"] is None}
    return {**part, **EMPTY, "status": "unfinished", "cells": cells} if cells else None


def code_digest(measure: Callable[..., Any], *files: Path) -> str:
    """Short hash of the file that defines a part, and of others: if its protocol was changed, it is measured again."""
    function = inspect.unwrap(getattr(measure, "func", measure))
    content = b"".join(path.read_bytes() for path in (Path(inspect.getfile(function)), *files))
    return hashlib.sha256(content).hexdigest()[:12]


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
