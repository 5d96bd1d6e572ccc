"""How a model was made: what reports and model cards say about it beside its rules."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache
from typing import Any

import numpy as np

from nln.rules.storage.reading import Node

_PACKAGES = ("nln", "numpy", "scikit-learn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """How a model was made. Nothing here changes a prediction, and what is not known is None or empty.

    Attributes
    ----------
    date : str or None
        The day of the fit in UTC, as in 2026-03-01. The environment variable `SOURCE_DATE_EPOCH`, in seconds, replaces
        the clock, so that files can be made again to the last byte.
    table : str or None
        The name of the table, such as its file name.
    rows : int or None
        The number of rows that were learned from.
    seed : int or None
        The seed: `random_state=seed` on the same table gives the same program.
    versions : dict
        The versions of Python and of the packages that decide what is learned.
    notes : tuple of str
        What readers of the rules should know of the table: identifiers that were not used, and columns that alone
        decide nearly everything, so that they may know the answer.
    scores : dict
        For each set of rows (`"rows learned from"`) the scores by their names (`"accuracy"`).

    Examples
    --------
    >>> from nln import NLNClassifier
    >>> made = NLNClassifier(random_state=7).fit([[0], [1]] * 20, ["no", "yes"] * 20).made_
    >>> made.rows, made.seed, "nln" in made.versions
    (40, 7, True)
    """

    date: str | None = None
    table: str | None = None
    rows: int | None = None
    seed: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return what is known as plain data."""
        known = {name: getattr(self, name) for name in ("date", "table", "rows", "seed")}
        scores = {where: dict(found) for where, found in self.scores.items()}
        found = {**known, "versions": dict(self.versions), "notes": list(self.notes), "scores": scores}
        return {name: value for name, value in found.items() if value not in (None, {}, [])}


def made_now(
    *, rows: int | None = None, seed: np.random.SeedSequence | None = None, notes: tuple[str, ...] = ()
) -> Made:
    """Say what is known when a model is made: today's date and versions, and the rows and the seed if there are any."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.fromtimestamp(int(seconds), UTC) if seconds else datetime.now(UTC)
    number = seed.entropy if seed is not None and isinstance(seed.entropy, int) else None
    versions = {"python": platform.python_version(), **{name: _version(name) for name in _PACKAGES}}
    return Made(date=now.date().isoformat(), rows=rows, seed=number, versions=versions, notes=notes)


def read_made(node: Node) -> Made:
    """Read what `Made.to_dict` gave; an error names the place."""
    fields = node.fields((), ("date", "table", "rows", "seed", "versions", "notes", "scores"))
    if "date" in fields:
        with fields["date"].located():
            _check_date(fields["date"].text())
    found: dict[str, Any] = {name: fields[name].text() for name in ("date", "table") if name in fields}
    found |= {name: fields[name].count() for name in ("rows", "seed") if name in fields}
    if "versions" in fields:
        found["versions"] = {name: one.text() for name, one in fields["versions"].entries().items()}
    if "notes" in fields:
        found["notes"] = tuple(note.text() for note in fields["notes"].items())
    if "scores" in fields:
        found["scores"] = {
            where: {name: one.number() for name, one in scores.entries().items()}
            for where, scores in fields["scores"].entries().items()
        }
    return Made(**found)


def _check_date(text: str) -> None:
    try:
        is_date = date.fromisoformat(text).isoformat() == text
    except ValueError:
        is_date = False
    if not is_date:
        raise ValueError(f"{text!r} is not a date like 2026-03-01")


@cache
def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and no need where a model is read

    try:
        return version(package)
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "unknown"
