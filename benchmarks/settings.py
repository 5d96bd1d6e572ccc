"""What every benchmark is told, and how it says that something cannot be measured here."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """The command line, as benchmarks see it.

    Parameters
    ----------
    data : Path or None
        Folder with data files; None is the folder named by the environment variable `NLN_DATA`.
    seed : int
        Seed of everything that is drawn.
    quick : bool
        Whether to run a small form that shows that the benchmark works; its numbers mean little.
    parts : tuple of str
        Parts to run; empty for all.
    env : Path or None
        Virtual environment of the peers; None is `.benchmarks-venv` in the root of the repository.
    """

    data: Path | None = None
    seed: int = 0
    quick: bool = False
    parts: tuple[str, ...] = ()
    env: Path | None = None


class SkippedError(Exception):
    """Something cannot be measured here; the message says why and what to do."""


def say(text: str) -> None:
    """Report progress."""
    print(text, file=sys.stderr, flush=True)
