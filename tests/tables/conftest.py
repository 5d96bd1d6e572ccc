import pandas as pd
import polars as pl
import pytest

FRAMES = {"pandas": pd.DataFrame, "polars": lambda data: pl.DataFrame(data, strict=False)}


@pytest.fixture(params=["pandas", "polars"])
def frame(request):
    """A data frame constructor."""
    return FRAMES[request.param]
