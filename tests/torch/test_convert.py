import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch", reason="PyTorch is not installed")

from nln.network.theory import network_outputs
from nln.torch import from_network, network_rows, to_weights
from tests.network.networks import FEATURES, PAPER_FEATURES, random_network

some = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)


@some
@given(seeds, st.integers(1, len(PAPER_FEATURES)), st.booleans())
def test_a_network_computes_the_same_in_pytorch(seed, n_features, learned):
    rng = np.random.default_rng(seed)
    network = random_network(rng, n_features, 5, n_rows=20, features=PAPER_FEATURES, learned=learned)
    table = network_rows(network.layout, network.rows.codes)
    found = from_network(network.layout, network.weights)(table).detach().numpy()
    expected = network_outputs(network.layout, network.exact(), network.rows.codes).T
    np.testing.assert_allclose(found, expected, atol=1e-6)


@some
@given(seeds, st.booleans())
def test_weights_come_back_as_they_were(seed, learned):
    network = random_network(np.random.default_rng(seed), 6, 3, n_rows=5, features=PAPER_FEATURES, learned=learned)
    found = to_weights(from_network(network.layout, network.weights), network.layout)
    for name, ours, theirs in zip(found._fields, found, network.weights, strict=True):
        np.testing.assert_array_equal(ours, theirs, err_msg=name)


def test_features_that_the_paper_does_not_have_are_refused():
    network = random_network(np.random.default_rng(0), len(FEATURES), 2, n_rows=5)
    with pytest.raises(ValueError, match="Periodic features and probabilities"):
        from_network(network.layout, network.weights)
