"""Chromium without a window, which opens reports from disk and remembers what went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from nln.report import write_report
from tests import tools


@contextmanager
def started() -> Iterator[Any]:
    """Start the browser."""
    api = tools.package("playwright.sync_api")
    path = tools.program("chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Tab:
    """An open report."""

    page: Any
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def live(self, name: str) -> float:
        """A score of the rules as they stand."""
        return float(self.page.locator(f"[data-live={name}]").get_attribute("data-value"))

    def edit(self, rule: int) -> Any:
        """Open the controls of a rule, counted from 1."""
        card = self.page.locator(f"#rule-{rule}")
        if card.locator("details.edit").get_attribute("open") is None:
            card.locator("details.edit summary").click()
        return card.locator("details.edit")


@contextmanager
def opened(browser: Any, path: Path, **options: Any) -> Iterator[Tab]:
    """Open a file; on leaving, nothing may have gone wrong and nothing but the file been asked for."""
    context = browser.new_context(**options)
    tab = Tab(context.new_page())
    tab.page.set_default_timeout(20_000)
    tab.page.on("console", lambda message: tab.problems.append(f"{message.type}: {message.text}"))
    tab.page.on("pageerror", lambda error: tab.problems.append(str(error)))
    tab.page.on("request", lambda request: tab.requests.append(request.url))
    try:
        tab.page.goto(path.as_uri())
        yield tab
        assert tab.problems == []
        assert tab.requests == [path.as_uri()]
    finally:
        context.close()


def written(example: Any, folder: Path, *, model: Any = None, **options: Any) -> Path:
    """Write the report of an example."""
    y = pd.DataFrame(example.y) if isinstance(example.y, dict) else example.y
    return write_report(model or example.program, pd.DataFrame(example.X), y, folder / "report.html", **options)
