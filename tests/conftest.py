"""Shared by all tests: quick settings for the classifier, and the table libraries that tests run on."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest
from hypothesis import settings

settings.register_profile("nln", deadline=None)
settings.load_profile("nln")


@pytest.fixture(params=[pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def frame(request):
    """Constructor of a data frame from a dict of columns."""
    return request.param
