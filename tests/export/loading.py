"""Exported Python source, run as a module."""

from __future__ import annotations

from typing import Any


def loaded(source: str) -> dict[str, Any]:
    module: dict[str, Any] = {}
    exec(source, module)
    return module
