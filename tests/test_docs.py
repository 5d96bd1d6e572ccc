"""The examples of the pages run and print what the pages say."""

from __future__ import annotations

import doctest
import pkgutil
import re
from pathlib import Path

import pytest

from nln import plots
from nln.rules.words import KEYWORDS

ROOT = Path(__file__).parents[1]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PAGES = (
    "docs/rule-language.md",
    "docs/figures.md",
    "docs/teaching.md",
    "docs/auditing.md",
    "docs/merging.md",
    "docs/paper.md",
    "README.md",
)


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page: str) -> None:
    # Fences are not output; a blank line before the closing one would be forgotten sooner or later.
    text = re.sub(r"^```.*$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert test.examples
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert not report, "".join(report)


def test_the_page_of_the_rule_language_lists_the_keywords() -> None:
    assert f"`{' '.join(KEYWORDS)}`" in re.sub(r"\s+", " ", (ROOT / PAGES[0]).read_text(encoding="utf-8"))


def test_links_between_pages_lead_somewhere() -> None:
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")):
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_pages_show_every_figure_and_every_image() -> None:
    page = (ROOT / "docs/figures.md").read_text(encoding="utf-8")
    for name in plots.__all__:
        assert f"plots.{name}(" in page
    pages = page + (ROOT / "docs/report.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"images/([\w.-]+)", pages))
    assert shown == {path.name for path in (ROOT / "docs/images").iterdir()}


def test_the_page_on_the_paper_names_what_is_there() -> None:
    page = (ROOT / "docs/paper.md").read_text(encoding="utf-8")
    homes = {"theory": "nln.network.theory", "compose": "nln.compose"}
    named = re.findall(r"`(theory|compose|network|learning)\.([\w.]+)", page)
    assert len(named) > 20
    for home, name in named:
        pkgutil.resolve_name(f"{homes.get(home, f'nln.{home}')}.{name}")
