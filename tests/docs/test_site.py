"""The site builds without a warning, its links lead somewhere, it asks the network for nothing and fits a phone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nln
from tests import tools
from tests.docs.pages import STYLE_LOADS, broken, is_elsewhere, load, read_site
from tests.report.browser import started

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
WIDTHS = {"phone": 390, "desktop": 1280}
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Folder of the site, built as `make docs` does."""
    for name in ("sphinx", "myst_nb", "furo", "numpydoc"):
        tools.package(name)
    out = tmp_path_factory.mktemp("site").resolve()
    environment = {**os.environ, "PYTHONPATH": str(Path(nln.__file__).parents[1])}
    command = [sys.executable, "-m", "sphinx", "-W", "-n", "--keep-going", "-q", "docs", str(out)]
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")
    return out


@pytest.fixture(scope="module")
def site(folder):
    return read_site(folder)


def test_make_docs_builds_as_this_test_does():
    assert "python -m sphinx -W -n --keep-going -q docs docs/_build" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_page_of_the_repository_has_its_page(folder):
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert pages <= {path.stem for path in folder.glob("*.html")}


def test_internal_links_lead_somewhere(site):
    addresses = [(page, a) for page in site.values() for a in page.links + page.loads if not is_elsewhere(a)]
    assert len(addresses) > 1000
    assert [f"{page.path.name}: {a}" for page, a in addresses if broken(page, a, site)] == []


def test_pages_load_nothing_from_elsewhere(folder, site):
    assert [f"{page.path.name}: {a}" for page in site.values() for a in page.loads if is_elsewhere(a)] == []
    for style in folder.rglob("*.css"):
        assert STYLE_LOADS.findall(style.read_text(encoding="utf-8")) == []


def test_the_reference_has_the_public_names_and_no_others(folder, site):
    api = load("api_reference")
    anchors = {anchor for path, page in site.items() if path.parent.name == "api" for anchor in page.anchors}
    names = {anchor for anchor in anchors if anchor.startswith("nln.")}
    assert {name for name in names if name.rpartition(".")[0] in api.PACKAGES} == api.public_names()


def test_benchmark_tables_are_those_of_the_stored_results(folder):
    page = (folder / "benchmarks.html").read_text(encoding="utf-8")
    for result in (ROOT / "benchmarks/results").glob("*.md"):
        assert f"Benchmark: {result.stem}<" in page
        wanted = len(re.findall(r"^\| ---", result.read_text(encoding="utf-8"), re.MULTILINE))
        section = re.search(
            rf'<section id="benchmark-{result.stem}">(.*?)(?=<section id="benchmark-|\Z)', page, re.DOTALL
        )
        assert section is not None
        assert section[1].count("<table") == wanted


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_shown_with_their_kept_output(folder, notebook):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    page = (folder / "examples" / f"{notebook.stem}.html").read_text(encoding="utf-8")
    assert page.count("cell_output docutils container") == sum(bool(cell.get("outputs")) for cell in cells)


@pytest.fixture(scope="module")
def browser():
    with started() as running:
        yield running


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("device", WIDTHS)
def test_pages_fit_the_screen_and_load_quietly(browser, folder, device, scheme):
    context = browser.new_context(viewport={"width": WIDTHS[device], "height": 800}, color_scheme=scheme)
    page, problems = context.new_page(), []
    page.on("console", lambda message: problems.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("requestfailed", lambda request: problems.append(f"failed: {request.url}"))
    page.on("request", lambda r: problems.append(r.url) if not r.url.startswith((folder.as_uri(), "data:")) else None)
    for path in sorted({*folder.glob("*.html"), *folder.glob("examples/*.html"), folder / "api/rules.html"}):
        page.goto(path.as_uri())
        found = page.evaluate(MEASURE)
        assert found == {"scrolls": False, "cut": [], "empty": []}, path.name
        assert problems == [], path.name
    context.close()


MEASURE = """() => {
  const all = selector => [...document.querySelectorAll(`article ${selector}`)];
  const wide = thing => thing.scrollWidth > thing.clientWidth + 1;
  return {
    scrolls: [document.documentElement, document.querySelector(".content")].some(wide),
    cut: all("pre").filter(wide).map(code => code.textContent.slice(0, 60)),
    empty: all("img").filter(image => image.complete && !image.naturalWidth).map(image => image.src),
  };
}"""
"""What does not fit: a page or its content that scrolls sideways, code that is cut, images that are not there."""
