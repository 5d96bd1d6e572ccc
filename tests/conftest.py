"""Shared by all tests: quick settings for the classifier, and the table libraries that tests run on."""

from __future__ import annotations

import os
from functools import partial

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import settings

from nln.native.loading import load_library


def pytest_configure(config):
    if not hasattr(config, "workerinput"):  # once, before the workers of pytest-xdist start
        load_library()


# The same examples on every machine, so that a change alone decides whether tests pass; "thorough" looks for new ones.
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("full", deadline=None, derandomize=True, max_examples=50)
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
