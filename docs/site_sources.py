"""Pages of the site that stand elsewhere in the repository, and links between all of them.

A page stays one file, which reads well in the repository, too:

- a line `<!-- file: CONTRIBUTING.md -->` of a page in `docs/` stands for the text of that file (a pattern for several,
  each a section of the page);
- the notebooks of `examples/` are copied to `docs/examples/`, which git ignores;
- a link to a file that has a page here leads to it; one to any other file of the repository becomes plain text.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
ROOT = DOCS.parent
NOTEBOOKS = DOCS / "examples"

HOMES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md",
}
"""Files whose text stands on a page of another name."""

_FILE = re.compile(r"^<!-- file: (\S+) -->$", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")
_IMAGE = re.compile(r"!\[([^\]]*)\]\((?!https?:|attachment:)([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```\s*?$", re.MULTILINE | re.DOTALL)
_PATTERN = re.compile(r"^[\w/-]+\*$\n", re.MULTILINE)


def insert_files(text: str) -> tuple[str, list[Path]]:
    """Put files in the place of the lines that name them; also return which."""
    used: list[Path] = []

    def insert(match: re.Match[str]) -> str:
        found = sorted(ROOT.glob(match[1]))
        if not found:
            raise FileNotFoundError(f"A page asks for {match[1]}, and the repository has no such file.")
        used.extend(found)
        texts = [adapt_links(path.read_text(encoding="utf-8"), path.parent) for path in found]
        return "\n\n".join(map(_deepen, texts) if "*" in match[1] else texts)

    return _FILE.sub(insert, text), used


def adapt_links(text: str, home: Path, page_folder: Path = DOCS) -> str:
    """Make the links and images of a file lead to where the site has their targets.

    Parameters
    ----------
    text : str
        Text in Markdown.
    home : Path
        Folder of the file that it stands in.
    page_folder : Path
        Folder of the page that shows it.
    """

    def link(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        page = page_of((home / target).resolve())
        return f"[{words}]({os.path.relpath(page, page_folder)}{anchor})" if page else words

    def image(match: re.Match[str]) -> str:
        return f"![{match[1]}]({os.path.relpath((home / match[2]).resolve(), page_folder)})"

    return _outside_fences(text, lambda part: _IMAGE.sub(image, _LINK.sub(link, part)))


def page_of(path: Path) -> Path | None:
    """Where the site has a file of the repository, or None."""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
    if name in HOMES:
        return DOCS / HOMES[name]
    if name.startswith("examples/") and path.suffix == ".ipynb":
        return DOCS / name
    return path if name.startswith("docs/") else None


def copy_notebooks() -> None:
    """Bring the notebooks to where Sphinx looks for pages, and take away those that are gone."""
    texts = {path.name: _notebook(path) for path in sorted((ROOT / "examples").glob("*.ipynb"))}
    NOTEBOOKS.mkdir(exist_ok=True)
    for old in NOTEBOOKS.glob("*.ipynb"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        copy = NOTEBOOKS / name
        if not copy.exists() or copy.read_text(encoding="utf-8") != text:  # else Sphinx would read it anew
            copy.write_text(text, encoding="utf-8")


def setup(app: Any) -> None:
    """Do so whenever Sphinx begins, and for each page that it reads."""
    copy_notebooks()
    app.connect("source-read", _read)


def _read(app: Any, page: str, source: list[str]) -> None:
    path = Path(app.env.doc2path(page))
    if path.suffix != ".md":
        return
    source[0], used = insert_files(_without_idle_patterns(adapt_links(source[0], path.parent, path.parent)))
    for file in used:
        app.env.note_dependency(str(file))


def _notebook(path: Path) -> str:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = adapt_links("".join(cell["source"]), path.parent, NOTEBOOKS)
    return json.dumps(notebook, ensure_ascii=False, indent=1)


def _without_idle_patterns(text: str) -> str:
    """Leave out the lines of a table of contents whose pattern matches no page: Sphinx warns of them."""
    return _PATTERN.sub(lambda match: match[0] if any(DOCS.glob(match[0].strip())) else "", text)


def _deepen(text: str) -> str:
    return _outside_fences(text, lambda part: re.sub(r"^(#+ )", r"#\1", part, flags=re.MULTILINE))


def _outside_fences(text: str, change: Callable[[str], str]) -> str:
    """Change what is not in a fenced block."""
    parts, end = [], 0
    for fence in _FENCE.finditer(text):
        parts += [change(text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, change(text[end:])])
