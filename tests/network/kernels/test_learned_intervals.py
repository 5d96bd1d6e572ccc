import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.network.kernels import steps
from nln.network.kernels.modules import ORDERED
from nln.network.layout import initial_weights
from nln.network.options import TrainingOptions
from nln.network.theory import penalty
from nln.network.training import network_loss
from tests.network.networks import random_network
from tests.network.test_training import make_task, run

seeds = st.integers(0, 2**32 - 1)


def interval_nodes(network, weights):
    """AND weights of the intervals of each feature that has any, (dichotomies, intervals)."""
    layout = network.layout
    places = zip(layout.kinds, layout.weight_offsets, layout.n_regular, strict=False)
    return [weights[: n - 1, first : first + n] for kind, first, n in places if kind == ORDERED and n > 1]


def penalties(network, by_module, non_empty, l1):
    """The formula, with nodes that are empty before the move."""
    layers = interval_nodes(network, network.weights.interval_weights)
    empty = [np.abs(layer).sum(axis=0) < 1 for layer in layers]

    def of(weights):
        parts = interval_nodes(network, weights)
        if not by_module:
            nodes = [network.layout.n_regular[network.layout.kinds == ORDERED].sum(), sum(p.shape[1] for p in parts)]
            same = penalty(parts, 0.0, l1)
            return same + penalty(parts, non_empty, 0.0) * nodes[1] / nodes[0]
        return sum(
            penalty([part], 0.0, l1) + penalty([part[:, short]], non_empty, 0.0)
            if short.any()
            else penalty([part], 0, l1)
            for part, short in zip(parts, empty, strict=True)
        )

    return of


@settings(max_examples=30, deadline=None)
@given(seeds, st.booleans())
def test_penalties_of_intervals_have_the_gradients_of_their_formula(seed, by_module):
    network = random_network(np.random.default_rng(seed), n_features=6, learned=True)
    weights = network.weights.interval_weights
    found = np.zeros_like(weights)
    if not weights.size:
        return
    steps.interval_penalties(weights, network.layout, 0.3, 0.2, by_module, found)
    formula = penalties(network, by_module, 0.3, 0.2)
    sums = [np.abs(layer).sum(axis=0) for layer in interval_nodes(network, weights)]
    if any((np.abs(s - 1) < 1e-5).any() for s in sums):
        return  # a node at the edge of being empty has a kink there
    for d, m in zip(*np.nonzero(weights), strict=True):
        moved = weights.astype(np.float64)
        moved[d, m] += 1e-7
        expected = (formula(moved) - formula(weights.astype(np.float64))) / 1e-7
        assert found[d, m] == pytest.approx(expected, abs=1e-5)


@settings(max_examples=20, deadline=None)
@given(seeds, st.floats(1e-3, 1e3))
def test_steps_in_units_of_the_feature_are_those_of_adam_on_the_numbers_themselves(seed, unit):
    """Boundaries unit B and sharpnesses alpha / unit of x = unit u, moved by Adam as the textbook has it."""
    rng = np.random.default_rng(seed)
    network = random_network(rng, n_features=3, features=((ORDERED, 5, False),))
    layout = network.layout._replace(units=np.full(3, unit, np.float32))
    w, gradient = network.weights, network.weights.zeros()
    first, second = w.zeros(), w.zeros()
    how = steps.Steps(np.float32(1e-3), 0.0, 0.0, np.float32(-1), nodes=False, biases=False, feature_units=True)
    places, sharpness = w.boundaries * unit, w.sharpness / unit
    moments = np.zeros((4, len(places)))
    for step in range(1, 5):
        gradient.boundaries[:], gradient.sharpness[:] = rng.normal(size=(2, len(places)))
        steps.adam_all(layout, w, gradient, first, second, step, how)
        for numbers, g, (m, v), least in (
            (places, gradient.boundaries / unit, moments[:2], -np.inf),
            (sharpness, gradient.sharpness * unit, moments[2:], 1e-5),
        ):
            m[:], v[:] = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
            move = 1e-3 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
            numbers[:] = np.maximum(numbers - move, least)
    np.testing.assert_allclose(w.boundaries * unit, places, rtol=1e-4, atol=1e-5 * unit)
    np.testing.assert_allclose(w.sharpness, sharpness * unit, rtol=1e-3)


def test_learned_intervals_begin_with_their_neighbours_and_move_within_their_domain():
    given, _ = make_task()
    begun = initial_weights(given, 12, 1, np.random.default_rng(0), learned_intervals=True).interval_weights
    found = run(TrainingOptions(epochs=30, learned_intervals=True)).weights.interval_weights
    assert set(np.unique(begun)) == {-1.0, 0.0, 1.0}
    assert (found != begun).any()
    assert np.abs(found).max() <= 1
    assert run(TrainingOptions(epochs=1)).weights.interval_weights.size == 0


def test_learned_intervals_that_do_not_move_compute_what_fixed_ones_do():
    """Weights and their gradients are those of the fixed form before the first step."""
    given, rows = make_task()
    networks = [
        initial_weights(given, 12, 1, np.random.default_rng(0), learned_intervals=learned) for learned in (True, False)
    ]
    losses = [network_loss(given, rows, np.arange(len(rows.weights)), weights) for weights in networks]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
