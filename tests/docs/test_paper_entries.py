"""The page with an entry for every numbered equation, algorithm, table and figure of the paper."""

from __future__ import annotations

import json
import pkgutil
import re
from pathlib import Path

import pytest

from nln import plots
from nln.learning.paper.discretize import DISCRETIZERS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/paper/entries.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in PAGE.splitlines() if line.startswith("| ")]
ENTRIES = {row[0]: row[1:] for row in ROWS if row[0] not in ("in the paper", "---")}

TAGS = ("D-AND", "D-OR", "P-AND", "P-OR", "F-AND", "F-OR", "L-AND", "L-OR", "DNF", "CNF", "FD")
ALGORITHMS = ("Algorithm 1", "Algorithm C.1", "Algorithm C.2", "Algorithm C.3")
CAPTIONS = (
    "Some possible interpretations",
    "Data set characteristics",
    "f1-score",
    "Comparison of interpretability",
    "recovered ground-truth",
    "NSL-KDD data set characteristics",
    "Classification performance",
    "Symbols",
    "partial data sets",
    "Ablation study",
    "tic-tac-toe: NLN",
    "tic-tac-toe: RRL",
    "Toy examples",
    "Structure of an interpretable NLN",
    "NLN structure used for learning",
    "NLN initialization",
    "Merged NLN",
    "Merged RRL",
    "Breakdown of rule coverage",
    "Graphical Model",
    "independence hypotheses",
    "AND node",
    "OR node",
    "discovered logic programs",
    "Rules found for the NSL-KDD",
)


@pytest.mark.parametrize("name", [*(f"({tag})" for tag in TAGS), *ALGORITHMS, *CAPTIONS])
def test_everything_that_the_paper_numbers_has_an_entry(name):
    assert any(name in entry for entry in ENTRIES)


def test_every_entry_is_marked_and_says_where_it_is():
    assert len(ENTRIES) > 40
    for entry, (mark, *where) in ENTRIES.items():
        assert mark in ("same", "ours", "not ours"), entry
        assert where and where[0], entry


def test_names_of_the_code_are_there():
    homes = {"theory": "nln.network.theory", "plots": "nln.plots"}
    named = re.findall(r"`(theory|plots|learning|network)\.([\w.]+)", PAGE)
    assert len(named) > 15
    for home, name in named:
        pkgutil.resolve_name(f"{homes.get(home, f'nln.{home}')}.{name}")
    assert set(re.findall(r'discretization="(\w+)"', PAGE)) <= set(DISCRETIZERS)
    assert "plot_structure" in plots.__all__


def test_parts_of_the_benchmark_that_entries_name_are_stored():
    stored = json.loads((ROOT / "benchmarks/results/paper.json").read_text(encoding="utf-8"))["parts"]
    named = re.findall(r"part `([^`]+)`", PAGE)
    assert len(named) > 10
    assert set(named) <= set(stored)
