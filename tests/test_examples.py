"""The notebooks of `examples/` run from start to end, and those whose rules are clear print what they show."""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path

import pytest

import nln
from tests.benchmarks.made_up import write_files, write_nsl_kdd
from tests.tools import package

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[1] / "examples"
SETTLED = ("tic-tac-toe",)
"""Clear rules: the same on every processor."""
OTHERS = ("adult", "kidney", "mammalian", "nsl-kdd", "wine")
"""Need files, or learn what depends a little on how a processor rounds."""
MOST_BYTES = 2_500_000
"""Of all notebooks together: images stay small."""


def read(name):
    return package("nbformat").read(EXAMPLES / f"{name}.ipynb", as_version=4)


def run(name, data, folder):
    """Execute a notebook in a fresh kernel that sees these sources and one folder of data."""
    package("ipykernel")
    client = package("nbclient").NotebookClient(
        read(name), timeout=900, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    sources = str(Path(nln.__file__).parents[1])
    return client.execute(env={**os.environ, "PYTHONPATH": sources, "NLN_DATA": str(data), "IPYTHONDIR": str(folder)})


def texts(cell):
    """What a cell prints and shows as text, without what belongs to its images."""
    printed = "".join(output.text for output in cell.outputs if output.output_type == "stream")
    shown = [output.data for output in cell.outputs if "data" in output and "image/png" not in output.data]
    lines = [*printed.splitlines(), *(line for data in shown for line in data.get("text/plain", "").splitlines())]
    return [line.rstrip() for line in lines]


def n_images(cell):
    return sum("image/png" in output.get("data", {}) for output in cell.outputs)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("name", SETTLED)
def test_a_notebook_prints_what_it_shows(name, tmp_path):
    for kept, new in zip(code_cells(read(name)), code_cells(run(name, tmp_path, tmp_path)), strict=True):
        changes = difflib.unified_diff(texts(kept), texts(new), "kept", "new", n=1, lineterm="")
        assert texts(kept) == texts(new), "\n".join([f"{name}.ipynb, after:", kept.source, "", *changes])
        assert n_images(kept) == n_images(new)


@pytest.mark.parametrize("name", OTHERS)
def test_a_notebook_runs_on_other_tables_of_the_same_columns(name, tmp_path):
    if name == "mammalian":
        package("clingo")
    data, folder = tmp_path / "data", tmp_path / "work"
    data.mkdir()
    folder.mkdir()
    write_files(data, n_rows=300)
    (data / "adult-test.csv").write_text((data / "adult.csv").read_text())
    write_nsl_kdd(data)
    done = code_cells(run(name, data, folder))
    assert [cell.execution_count for cell in done] == list(range(1, len(done) + 1))
    assert [n_images(cell) for cell in done] == [n_images(cell) for cell in code_cells(read(name))]


def test_all_notebooks_are_tested_and_listed():
    names = sorted(path.stem for path in EXAMPLES.glob("*.ipynb"))
    assert names == sorted((*SETTLED, *OTHERS))
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert all(f"({name}.ipynb)" in page for name in names)
    assert sum(path.stat().st_size for path in EXAMPLES.glob("*.ipynb")) < MOST_BYTES


@pytest.mark.parametrize("name", (*SETTLED, *OTHERS))
def test_a_notebook_is_kept_as_it_ran_and_says_nothing_of_the_machine(name):
    notebook = read(name)
    assert notebook.metadata.kernelspec.name == "python3"
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}
    assert set(notebook.metadata.language_info) == {"name"}
    done = code_cells(notebook)
    assert [cell.execution_count for cell in done] == list(range(1, len(done) + 1))
    for cell in notebook.cells:
        assert cell.metadata == {}
        kept = cell.get("outputs", ())
        assert all(output.output_type != "error" and output.get("name") != "stderr" for output in kept)
        seen = "\n".join([cell.source, *(texts(cell) if cell.cell_type == "code" else ())])
        assert not re.search(r"(/(home|root|tmp|work|Users|private)/|[A-Z]:\\)", seen)
