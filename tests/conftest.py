"""Shared by all tests: quick settings for the classifier, and the table libraries that tests run on."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import settings

SOURCES = Path(__file__).parents[1] / "src" / "nln"


def _drop_stale_caches():
    """Numba recompiles a function when its own file changes, but not when a function it calls in another file does."""
    newest = max(path.stat().st_mtime for path in SOURCES.glob("**/kernels/*.py"))
    for cache in [*SOURCES.rglob("*.nbi"), *SOURCES.rglob("*.nbc")]:
        if cache.stat().st_mtime < newest:
            cache.unlink(missing_ok=True)


def pytest_configure(config):
    if not hasattr(config, "workerinput"):  # once, before the workers of pytest-xdist start
        _drop_stale_caches()


FIRST = ("tests/test_classifier.py", "tests/rules", "tests/export", "tests/tables", "tests/plots")
"""On a fresh checkout one worker compiles with the first file while the others run tests that compile nothing."""


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: next((i for i, start in enumerate(FIRST) if item.nodeid.startswith(start)), len(FIRST)))


# The same examples on every machine, so that a change alone decides whether tests pass; "thorough" looks for new ones.
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("full", deadline=None, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=10_000)
settings.load_profile(os.environ.get("NLN_HYPOTHESIS", "quick"))


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def any_frame(request):
    """Constructor of a data frame or pyarrow table from a dict of columns."""
    libraries = {"pandas": pd.DataFrame, "polars": partial(pl.DataFrame, strict=False), "pyarrow": pa.table}
    return libraries[request.param]


@pytest.fixture(params=[pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def frame(request):
    """Constructor of a data frame from a dict of columns."""
    return request.param
