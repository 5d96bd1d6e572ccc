"""Files of the repository as pages of the site: their text, and links that lead to pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.docs.pages import load

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def sources():
    return load("site_sources")


@pytest.mark.parametrize(
    ("home", "written", "shown"),
    [
        ("", "[a](docs/exports.md#sql)", "[a](exports.md#sql)"),
        ("", "[a](CONTRIBUTING.md)", "[a](contributing.md)"),
        ("docs", "[a](../README.md#citation)", "[a](index.md#citation)"),
        ("docs", "[a](exports.md)", "[a](exports.md)"),
        ("docs", "[a](../benchmarks/README.md)", "[a](benchmarks.md)"),
        ("docs", "[a](../examples/one.ipynb)", "[a](examples/one.ipynb)"),
        ("", "[a](CITATION.cff)", "a"),
        ("", "[a](https://example.org) [b](#part)", "[a](https://example.org) [b](#part)"),
        ("benchmarks/results", "![a](independence.svg)", "![a](../benchmarks/results/independence.svg)"),
        ("", "```\n[a](CITATION.cff)\n```\n", "```\n[a](CITATION.cff)\n```\n"),
    ],
)
def test_links_lead_to_pages(sources, home, written, shown):
    assert sources.adapt_links(written, ROOT / home) == shown


def test_links_of_notebooks_lead_to_pages(sources, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    monkeypatch.setattr(sources, "DOCS", tmp_path / "docs")
    monkeypatch.setattr(sources, "NOTEBOOKS", tmp_path / "docs/examples")
    (tmp_path / "docs").mkdir()
    (tmp_path / "examples").mkdir()
    (tmp_path / "docs/examples").mkdir()
    (tmp_path / "docs/examples/gone.ipynb").write_text("{}")
    cells = [
        {"cell_type": "markdown", "source": ["# T\n", "[a](../docs/exports.md) [b](two.ipynb) [c](data.csv)"]},
        {"cell_type": "code", "source": ["[a](../docs/exports.md)"], "outputs": []},
    ]
    (tmp_path / "examples/one.ipynb").write_text(json.dumps({"cells": cells}))
    sources.copy_notebooks()
    (copy,) = (tmp_path / "docs/examples").iterdir()
    text, code = json.loads(copy.read_text(encoding="utf-8"))["cells"]
    assert text["source"] == "# T\n[a](../exports.md) [b](two.ipynb) c"
    assert code == cells[1]


def test_a_file_stands_in_the_place_of_its_line(sources):
    text, used = sources.insert_files("before\n\n<!-- file: CONTRIBUTING.md -->\n\nafter")
    assert used == [ROOT / "CONTRIBUTING.md"]
    assert text.startswith("before\n\n# Contributing\n")
    assert text.endswith("after")


def test_files_of_a_pattern_are_sections(sources):
    text, used = sources.insert_files("<!-- file: benchmarks/results/*.md -->")
    assert used == sorted((ROOT / "benchmarks/results").glob("*.md"))
    assert text.count("\n## Benchmark: ") + text.startswith("## Benchmark: ") == len(used)


def test_a_file_that_is_not_there_is_an_error(sources):
    with pytest.raises(FileNotFoundError, match=r"asks for NOTHING\.md"):
        sources.insert_files("<!-- file: NOTHING.md -->")
