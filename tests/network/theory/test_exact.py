import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.network.theory import (
    MAX_WIDTH,
    Layer,
    LogicNetwork,
    and_node,
    draw_layer,
    exact_probabilities,
    forward,
    independent_joint,
    layer_joint,
    marginals,
    or_node,
    with_kind,
)
from tests.network.theory.strategies import networks_with_inputs, probabilities, signed


@given(networks_with_inputs(max_depth=1))
def test_one_layer_needs_no_independence(given_pair):
    np.testing.assert_allclose(exact_probabilities(*given_pair), forward(*given_pair), atol=1e-14)


@given(st.lists(signed, min_size=4, max_size=4), st.lists(probabilities, min_size=7, max_size=7))
def test_nodes_with_parents_of_their_own_are_independent(weights, numbers):
    block = np.zeros((2, 4))
    block[0, :2], block[1, 2:] = weights[:2], weights[2:]
    network = LogicNetwork([Layer("and", block, numbers[:2]), Layer("or", [[0.7, -0.4]], numbers[2:3])])
    np.testing.assert_allclose(exact_probabilities(network, numbers[3:]), forward(network, numbers[3:]), atol=1e-14)


def test_an_example_by_hand_in_which_two_nodes_share_a_parent():
    # The first node is 1 - 0.8 (1 - c), the second 1 - 0.5 c, the output asks for both.
    network = LogicNetwork([Layer("and", [[0.8], [-0.5]]), Layer("and", [[1.0, 1.0]])])
    # c = 1: 1 x 0.5, and c = 0: 0.2 x 1.
    np.testing.assert_allclose(exact_probabilities(network, [0.5]), [0.5 * 0.5 + 0.5 * 0.2])
    np.testing.assert_allclose(forward(network, [0.5]), [(1 - 0.8 * 0.5) * (1 - 0.5 * 0.5)])


def test_even_crisp_inputs_leave_deep_nodes_dependent():
    # The hidden concept is present with probability 1/2; two nodes ask for it, and the output for both.
    network = LogicNetwork([Layer("and", [[0.5]]), Layer("and", [[1.0], [1.0]]), Layer("and", [[1.0, 1.0]])])
    assert exact_probabilities(network, [0.0]) == pytest.approx(0.5)
    assert forward(network, [0.0]) == pytest.approx(0.25)


def all_relations(network, concepts):
    """Probability of each output as a sum over every crisp network and every crisp input there is."""
    columns = [(p, 1.0) for p in concepts]
    columns += [(abs(w), float(np.sign(w))) for layer in network.layers for w in layer.weights.flat]
    columns += [(b, 1.0) for layer in network.layers for b in layer.bias]
    uncertain = [i for i, (p, _) in enumerate(columns) if 0 < p < 1]
    number = np.arange(2 ** len(uncertain))
    chance, values = np.ones(len(number)), []
    for i, (p, value) in enumerate(columns):
        there = (number >> uncertain.index(i) & 1) if i in uncertain else np.full(len(number), p)
        if i in uncertain:
            chance *= np.where(there == 1, p, 1 - p)
        values.append(value * there)
    drawn = iter(values)
    state = [next(drawn) for _ in concepts]
    weights = [[[next(drawn) for _ in row] for row in layer.weights] for layer in network.layers]
    biases = [[next(drawn) for _ in layer.bias] for layer in network.layers]
    for layer, w, b in zip(network.layers, weights, biases, strict=True):
        node = and_node if layer.kind == "and" else or_node
        state = [node(state, w_i, b_i) for w_i, b_i in zip(w, b, strict=True)]
    assert all(np.isin(concept, (0, 1)).all() for concept in state)
    return np.array([chance @ concept for concept in state])


@settings(max_examples=40)
@given(networks_with_inputs(max_depth=3, max_width=2))
def test_exact_probabilities_are_sums_over_all_relations(given_pair):
    network, concepts = given_pair
    n_uncertain = sum(((abs(v) > 0) & (abs(v) < 1)).sum() for x in network.layers for v in (x.weights, x.bias))
    if n_uncertain > 14:  # a sum over 65,536 networks at most
        network = LogicNetwork(network.layers[:2])
    expected = all_relations(network, concepts[:, 0])
    np.testing.assert_allclose(exact_probabilities(network, concepts)[:, 0], expected, atol=1e-12)


@given(networks_with_inputs(), st.sampled_from(["and", "or"]))
def test_de_morgan_keeps_exact_probabilities(given_pair, kind):
    network, concepts = given_pair
    found = exact_probabilities(with_kind(network, kind), concepts)
    np.testing.assert_allclose(found, exact_probabilities(network, concepts), atol=1e-12)


@given(networks_with_inputs())
def test_the_joint_of_a_layer_is_a_distribution(given_pair):
    network, concepts = given_pair
    joint = independent_joint(concepts)
    np.testing.assert_allclose(marginals(joint), concepts, atol=1e-14)
    for layer in network.layers:
        joint = layer_joint(layer, joint)
        assert (joint >= 0).all()
        np.testing.assert_allclose(joint.sum(axis=0), 1.0)


def test_inputs_may_have_any_number_of_axes():
    network = LogicNetwork([Layer("or", [[0.5, -0.3], [0.2, 0.9], [1.0, 0.0]])])
    concepts = np.random.default_rng(0).random((2, 3, 4))
    assert exact_probabilities(network, concepts[:, 0, 0]).shape == (3,)
    np.testing.assert_allclose(exact_probabilities(network, concepts), forward(network, concepts))


def test_a_layer_too_wide_is_refused_with_its_number_of_states():
    wide = LogicNetwork([Layer("and", np.zeros((MAX_WIDTH + 1, 1)))])
    with pytest.raises(ValueError, match=r"13 concepts, so 8.19e\+03 states; .* at most 12. Use forward"):
        exact_probabilities(wide, [0.5])


@pytest.mark.parametrize("kind", ["and", "or"])
def test_what_is_drawn_has_the_exact_probabilities(kind):
    rng, columns = np.random.default_rng(0), 40_000
    shared = Layer(kind, [[0.8, 0.3], [-0.5, 0.4]], [0.9, 0.8] if kind == "and" else [0.1, 0.2])
    network = LogicNetwork([shared, Layer(kind, [[1.0, 1.0], [0.6, -0.3]])])
    inputs = np.array([0.5, 0.2])
    concepts = (rng.random((2, columns)) < inputs[:, None]).astype(float)
    for layer in network.layers:
        concepts = draw_layer(layer, concepts, rng)
    expected = exact_probabilities(network, inputs)
    error = np.sqrt(expected * (1 - expected) / columns)
    assert (np.abs(concepts.mean(axis=1) - expected) < 4 * error).all()
    assert (np.abs(forward(network, inputs) - expected) > 8 * error).any()  # the draws can tell the two apart
