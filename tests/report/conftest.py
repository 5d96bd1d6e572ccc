from __future__ import annotations

import pytest

from tests.report.browser import started


@pytest.fixture(scope="session")
def browser():
    """Chromium, started once for all reports."""
    with started() as running:
        yield running
