"""What exported programs run on, one file a language; exporters put their rules before it."""

from __future__ import annotations

from importlib.resources import files


def runtime(name: str) -> str:
    """Read a file of this package.

    Examples
    --------
    >>> "function memberships" in runtime("rules.js")
    True
    """
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
