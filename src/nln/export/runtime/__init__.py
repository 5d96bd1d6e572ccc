"""The code that exported programs run on, one file per language; exporters write their rules before it."""

from __future__ import annotations

from importlib.resources import files

__all__: list[str] = []


def runtime(name: str) -> str:
    """Read a file of this package."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
