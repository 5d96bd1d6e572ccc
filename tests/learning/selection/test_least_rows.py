import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.learning.selection.least_rows import surprising_rows


@pytest.mark.parametrize(("variance", "rows"), [(0.25, 10), (0.0099, 2), (0.0, 1), (0.1875, 5), (0.09, 3)])
def test_a_thousand_rows_of_some_variance(variance, rows):
    """A coin; one surprise in a hundred rows, none, in a quarter of the rows, and in a tenth."""
    assert surprising_rows(np.array([variance]), 999.0) == [rows]


@given(st.floats(0, 0.25), st.floats(0, 0.25), st.floats(1, 1e9))
def test_more_noise_never_asks_for_fewer_rows(one, other, n_rows):
    low, high = sorted((one, other))
    found = surprising_rows(np.array([low, high]), n_rows)
    assert 1 <= found[0] <= found[1]
