import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.network.theory import fuzzy_dichotomy, fuzzy_intervals, network_outputs
from tests.network.networks import random_network


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.floats(0.1, 1e3))
def test_a_dichotomy_rises_from_0_to_1_through_one_half_at_its_boundary(x, boundary, sharpness):
    assert fuzzy_dichotomy(boundary, boundary, sharpness) == 0.5
    value = fuzzy_dichotomy(x, boundary, sharpness)
    assert 0 <= value <= 1
    assert value >= 0.5 if x >= boundary else value <= 0.5
    assert value == pytest.approx(1 - fuzzy_dichotomy(2 * boundary - x, boundary, sharpness), abs=1e-9)


@given(st.lists(st.integers(-50, 50), max_size=6), st.integers(-60, 60))
def test_crisp_intervals_hold_every_number_exactly_once(cuts, x):
    value = fuzzy_intervals(x + 0.5, sorted(cuts), [1e3] * len(cuts))
    expected = np.zeros(len(cuts) + 1)
    expected[np.searchsorted(sorted(cuts), x + 0.5)] = 1.0
    np.testing.assert_allclose(value, expected, atol=1e-9)


def test_the_outputs_of_a_network_are_probabilities():
    rng = np.random.default_rng(3)
    for _ in range(20):
        network = random_network(rng)
        out = network_outputs(network.layout, network.exact(), network.rows.codes)
        assert out.shape == network.rows.targets.T.shape
        assert ((out >= 0) & (out <= 1)).all()
