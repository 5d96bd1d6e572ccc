import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.paper.discretize import DISCRETIZERS, _stochastic, discretize
from nln.learning.paper.network_state import NetworkState
from tests.learning.paper.whole_network import METHODS, WholeNetwork, discretize_whole, error_of
from tests.network.networks import PAPER_FEATURES, RandomNetwork, random_network

seeds = st.integers(0, 2**32 - 1)
networks = st.builds(
    lambda seed, j, r, learned: random_network(
        np.random.default_rng(seed), j, r, n_rows=25, features=PAPER_FEATURES, learned=learned
    ),
    seeds,
    st.integers(1, 4),
    st.integers(1, 5),
    st.booleans(),
)
some = settings(max_examples=25, deadline=None)


def state_of(network: RandomNetwork) -> NetworkState:
    return NetworkState(network.layout, network.weights, network.rows)


def is_regular(layout) -> np.ndarray:
    """OR weights that are not missing weights."""
    regular = np.zeros(int(layout.weight_offsets[-1]), bool)
    for first, n in zip(layout.weight_offsets, layout.n_regular, strict=False):
        regular[first : first + n] = True
    return regular


@some
@given(networks)
def test_the_state_computes_what_the_nodes_do(network):
    state, whole = state_of(network), WholeNetwork(network.layout, network.weights, network.rows)
    np.testing.assert_allclose(state.outputs(), whole.outputs(), atol=1e-10)
    assert error_of(state) == pytest.approx(whole.error(), abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
@some
@given(network=networks)
def test_closed_form_decides_as_the_whole_network_does(method, network):
    found = discretize(state_of(network), method, np.random.default_rng(0))
    expected = discretize_whole(WholeNetwork(network.layout, network.weights, network.rows), method)
    for name in ("output_weights", "and_weights", "or_weights", "rule_bias", "interval_weights"):
        np.testing.assert_array_equal(getattr(found.weights, name), getattr(expected.weights, name), err_msg=name)
    assert error_of(found) == pytest.approx(expected.error(), abs=1e-8)


@pytest.mark.parametrize("method", DISCRETIZERS)
@some
@given(network=networks, seed=seeds)
def test_all_weights_but_those_of_missing_values_become_crisp(method, network, seed):
    found = discretize(state_of(network), method, np.random.default_rng(seed))
    regular, w = is_regular(network.layout), found.weights
    assert set(np.unique(w.and_weights)) <= {-1.0, 0.0, 1.0}
    assert set(np.unique(w.interval_weights)) <= {-1.0, 0.0, 1.0}
    assert set(np.unique(w.output_weights)) <= {0.0, 1.0}
    assert set(np.unique(w.or_weights[regular])) <= {0.0, 1.0}
    assert set(np.unique(w.or_weights[~regular])) <= set(network.weights.or_weights[~regular].astype(float).ravel())
    state = NetworkState(network.layout, w, network.rows)
    np.testing.assert_allclose(found.activations, state.activations, atol=1e-10)
    np.testing.assert_allclose(found.outputs(), state.outputs(), atol=1e-9)


class OneNode:
    """A layer of one node; `error_of` says how good a weight vector is."""

    def __init__(self, error_of):
        self.error_of, self.weights, self.tried = error_of, np.array([[0.0, 1.0, -1.0, 0.25, 0.6]]), None

    def values(self):
        return self.weights.copy()

    def node_errors(self, node, vectors):
        self.tried = vectors
        return np.array([self.error_of(vector) for vector in vectors])

    def put(self, node, column, value):
        self.weights[node, column] = value


@pytest.mark.parametrize("seed", range(10))
def test_stochastic_keeps_the_best_of_its_draws(seed):
    direction = np.random.default_rng(seed).normal(size=5)
    layer = OneNode(lambda vector: float(vector @ direction))
    _stochastic(layer, 0.0, np.random.default_rng(seed))
    best = min(layer.tried, key=lambda vector: vector @ direction)
    np.testing.assert_array_equal(layer.weights[0], best)
    assert len(layer.tried) > 1


def test_stochastic_draws_each_weight_with_the_probability_of_its_size():
    first = []
    for seed in range(400):
        layer = OneNode(lambda vector: 0.0)
        _stochastic(layer, 0.0, np.random.default_rng(seed))
        first.append(layer.tried[0])
    mean = np.mean(first, axis=0)
    np.testing.assert_allclose(mean[:3], [0.0, 1.0, -1.0])
    assert mean[3] == pytest.approx(0.25, abs=0.08)


def test_an_unknown_method_is_refused_with_the_known_names():
    network = random_network(np.random.default_rng(0), features=PAPER_FEATURES)
    with pytest.raises(ValueError, match="descending, ascending, subtractive"):
        discretize(state_of(network), "rounding", np.random.default_rng(0))


def test_products_too_small_to_be_divided_are_computed_anew():
    """Sixty rules that are nearly certain everywhere: the product of their factors underflows."""
    network = random_network(np.random.default_rng(1), n_features=2, n_rules=60, features=PAPER_FEATURES)
    w = network.weights
    w.and_weights[:] = 0.0
    w.rule_bias[:] = 1.0
    w.output_weights[:] = np.float32(1 - 1e-6)
    w.output_bias[:] = 0.0
    found = discretize(state_of(network), "descending", np.random.default_rng(0))
    expected = discretize_whole(WholeNetwork(network.layout, w, network.rows), "descending")
    np.testing.assert_array_equal(found.weights.output_weights, expected.weights.output_weights)
