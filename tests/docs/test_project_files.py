"""Workflows, hooks and the Makefile say the same as pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
WORKFLOW = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")


def recipe(target: str) -> list[str]:
    """Commands of a target, without the folder of the environment."""
    (block,) = re.findall(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    return [line.strip().removeprefix("$(BIN)/") for line in block.splitlines()]


def test_workflow_tests_the_versions_that_the_package_claims():
    claimed = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    (tested,) = re.findall(r"python: \[(.*)\]", WORKFLOW)
    assert [version.strip('" ') for version in tested.split(",")] == claimed
    assert PROJECT["requires-python"] == f">={claimed[0]}"


def test_workflow_runs_the_tests_of_make_test():
    assert f"run: {recipe('test')[0]}\n" in WORKFLOW


def test_hooks_run_the_checks_of_make_lint_that_are_fast():
    hooks = re.findall(r"- id: (\S+)", (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert hooks == ["ruff-check", "ruff-format", "codespell"]
    assert [command.split()[0] for command in recipe("lint")] == ["ruff", "ruff", "codespell", "mypy"]
