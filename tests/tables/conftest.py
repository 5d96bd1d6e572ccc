import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

FRAMES = {"pandas": pd.DataFrame, "polars": lambda data: pl.DataFrame(data, strict=False), "pyarrow": pa.table}


@pytest.fixture(params=["pandas", "polars"])
def frame(request):
    """A data frame constructor."""
    return FRAMES[request.param]


@pytest.fixture(params=list(FRAMES))
def any_frame(request):
    """A data frame or table constructor."""
    return FRAMES[request.param]
