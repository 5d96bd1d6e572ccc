"""What the pages of a built site hold: places that links can lead to, links, and what a browser loads by itself."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

LOADED = {
    "img": "src",
    "script": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "object": "data",
    "embed": "src",
}
STYLE_LOADS = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")\s]+)")


@dataclass
class Page(HTMLParser):
    """One page, read."""

    path: Path
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if given.get(LOADED.get(tag, "")):
            self.loads.append(given[LOADED[tag]])
        self.loads += STYLE_LOADS.findall(given.get("style", ""))


def load(name: str) -> ModuleType:
    """Import a script of docs/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[2] / f"docs/{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_site(folder: Path) -> dict[Path, Page]:
    """Read all pages of a site."""
    return {path: Page(path) for path in sorted(folder.rglob("*.html"))}


def is_elsewhere(address: str) -> bool:
    """Whether an address leads out of the site."""
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def broken(page: Page, address: str, site: dict[Path, Page]) -> bool:
    """Whether an address of a page names a file or an anchor that is not there."""
    parts = urlsplit(address)
    if parts.scheme == "data":
        return False
    target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
    if not target.exists():
        return True
    return bool(parts.fragment) and target in site and unquote(parts.fragment) not in site[target].anchors
