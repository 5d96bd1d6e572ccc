"""The examples of all pages run and print what the pages say; pages, images and links hang together."""

from __future__ import annotations

import doctest
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import nln
from nln import plots
from nln.rules.language.words import KEYWORDS

ROOT = Path(__file__).parents[1]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MADE = (ROOT / "docs/_build", ROOT / "docs/examples")  # by the build of the site
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for folder in ("*.md", "docs/**/*.md", "benchmarks/**/*.md", "examples/**/*.md")
    for path in sorted(ROOT.glob(folder))
    if not any(path.is_relative_to(made) for made in MADE)
}
FENCE = re.compile(r"^ *(```+|~~~+)([^\n]*)\n(.*?)^ *\1[ \t]*$", re.MULTILINE | re.DOTALL)
WITH_EXAMPLES = [page for page, text in PAGES.items() if re.search(r"^ *>>> ", text, re.MULTILINE)]

FIRST_PAGES = ("README.md", "docs/start.md", "docs/rule-language.md")
"""Pages whose examples run with every change; those of the others take minutes."""


@pytest.mark.parametrize("page", PAGES)
def test_python_on_a_page_is_an_example_that_runs(page: str) -> None:
    for _, language, code in FENCE.findall(PAGES[page]):
        if re.search(r"\b(py|python|python3|pycon|ipython|ipython3|code-cell)\b", language):
            assert code.lstrip().startswith(">>> "), f"{page}: examples begin with >>>, so that they are run:\n{code}"


@pytest.mark.parametrize(
    "page", [page if page in FIRST_PAGES else pytest.param(page, marks=pytest.mark.slow) for page in WITH_EXAMPLES]
)
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # for the files that examples write
    # Fences are not output; a blank line before the closing one would be forgotten sooner or later.
    text = re.sub(r"^```.*$", "", PAGES[page], flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert test.examples
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert not report, "".join(report)


def test_the_commands_of_the_start_page_run(tmp_path: Path) -> None:
    (block,) = (code for _, language, code in FENCE.findall(PAGES["docs/start.md"]) if language == "console")
    lines = [shlex.split(line.removeprefix("$ ")) for line in block.strip().splitlines()]
    starts = {"python": [sys.executable], "nln": [sys.executable, "-m", "nln.cli"]}
    environment = {**os.environ, "PYTHONPATH": str(Path(nln.__file__).parents[1])}
    for program, *arguments in lines:
        command = [*starts[program], *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"wine.csv", "model.json", "score.sql", "report.html"}


def test_the_page_of_the_rule_language_lists_the_keywords() -> None:
    assert f"`{' '.join(KEYWORDS)}`" in re.sub(r"\s+", " ", PAGES["docs/rule-language.md"])


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", FENCE.sub("", PAGES[page])):
        assert (ROOT / page).parent.joinpath(target).exists(), f"{page} links to {target}"


def test_the_pages_show_every_figure_and_every_image() -> None:
    for name in plots.__all__:
        assert f"plots.{name}(" in PAGES["docs/figures.md"]
    shown = {name for text in PAGES.values() for name in re.findall(r"images/([\w.-]+)", text)}
    assert shown == {path.name for path in (ROOT / "docs/images").iterdir()}


def test_the_page_on_the_paper_names_what_is_there() -> None:
    homes = {"theory": "nln.network.theory", "compose": "nln.compose"}
    named = re.findall(r"`(theory|compose|network|learning)\.([\w.]+)", PAGES["docs/paper.md"])
    assert len(named) > 20
    for home, name in named:
        pkgutil.resolve_name(f"{homes.get(home, f'nln.{home}')}.{name}")
