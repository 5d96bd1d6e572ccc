"""Programs and packages that some tests need: without them a test is skipped, or fails where they are required."""

from __future__ import annotations

import importlib
import json
import os
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

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


def model_file_validator() -> Any:
    """Return a validator of model files by the JSON schema in the documentation."""
    jsonschema = package("jsonschema")
    path = Path(__file__).parents[1] / "docs" / "model-file.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)
