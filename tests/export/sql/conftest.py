"""A DuckDB database for the tests of SQL."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from tests import tools


@pytest.fixture(scope="module")
def duckdb() -> Any:
    with closing(tools.package("duckdb").connect()) as database:
        database.execute("SET threads = 1")
        yield database
