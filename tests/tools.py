"""Programs and packages that some tests need: without them a test is skipped, or fails where they are required."""

from __future__ import annotations

import importlib
import os
import shutil
from types import ModuleType

import pytest

REQUIRED = os.environ.get("NLN_REQUIRE_TOOLS") == "1"


def absent(what: str) -> None:
    if REQUIRED:
        pytest.fail(f"{what} is absent, and NLN_REQUIRE_TOOLS=1 asks for it.")
    pytest.skip(f"{what} is absent")


def program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        absent(f"the program {name}")
    return str(path)


def package(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        absent(f"the package {name}")
        raise
