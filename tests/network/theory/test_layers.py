import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.network.theory import LUKASIEWICZ, PRODUCT, Layer, LogicNetwork, and_node, forward, or_node, with_kind
from tests.network.theory.strategies import networks, networks_with_inputs

kinds = st.sampled_from(["and", "or"])
logics = st.sampled_from([PRODUCT, LUKASIEWICZ])


@given(networks_with_inputs())
def test_a_network_computes_its_nodes_one_after_the_other(given_pair):
    network, concepts = given_pair
    expected = concepts
    for layer in network.layers:
        node = and_node if layer.kind == "and" else or_node
        expected = [node(expected, w, b) for w, b in zip(layer.weights, layer.bias, strict=True)]
    np.testing.assert_array_equal(forward(network, concepts), expected)


@given(networks_with_inputs(), kinds, logics)
def test_de_morgan_makes_all_layers_one_kind_and_keeps_the_outputs(given_pair, kind, logic):
    network, concepts = given_pair
    converted = with_kind(network, kind)
    assert {layer.kind for layer in converted.layers} == {kind}
    np.testing.assert_allclose(forward(converted, concepts, logic), forward(network, concepts, logic), atol=1e-13)


@given(networks(), kinds)
def test_there_and_back_gives_the_network_back(network, kind):
    other = "or" if kind == "and" else "and"
    once = with_kind(network, kind)
    again = with_kind(with_kind(once, other), kind)
    assert len(again.layers) == len(once.layers)
    for found, expected in zip(again.layers, once.layers, strict=True):
        np.testing.assert_array_equal(found.weights, expected.weights)
        np.testing.assert_allclose(found.bias, expected.bias, atol=1e-15)


@given(networks_with_inputs(max_depth=1), logics)
def test_the_negated_layer_gives_the_absence_of_each_concept(given_pair, logic):
    network, concepts = given_pair
    (layer,) = network.layers
    assert layer.negated().kind != layer.kind
    np.testing.assert_allclose(layer.negated().outputs(concepts, logic), 1 - layer.outputs(concepts, logic), atol=1e-14)
    same = layer.on_negated_inputs().outputs(1 - concepts, logic)
    np.testing.assert_allclose(same, layer.outputs(concepts, logic), atol=1e-14)


def test_layers_do_not_follow_the_arrays_they_were_made_of():
    weights = np.ones((1, 2))
    layer = Layer("and", weights)
    weights[:] = 0.0
    assert layer.weights.tolist() == [[1.0, 1.0]]
    with pytest.raises(ValueError, match="read-only"):
        layer.weights[0, 0] = 0.0
    with pytest.raises(AttributeError):
        layer.kind = "or"


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Layer("xor", [[1.0]]), "'and' or 'or', not 'xor'"),
        (lambda: Layer("and", [1.0]), r"\(nodes, inputs\), not \(1,\)"),
        (lambda: Layer("and", [[1.5]]), "Weights must lie between -1 and 1, not 1.5"),
        (lambda: Layer("and", [[np.nan]]), "Weights must lie between -1 and 1, not nan"),
        (lambda: Layer("and", [[1.0]], [-0.5]), "Biases must lie between 0 and 1, not -0.5"),
        (lambda: Layer("and", [[1.0]], [1.0, 1.0]), "1 nodes needs as many biases"),
        (lambda: LogicNetwork([]), "at least one layer"),
        (lambda: LogicNetwork([Layer("and", [[1.0]]), Layer("or", [[1.0, 0.0]])]), "Layer 1 has 2 inputs"),
        (lambda: forward(LogicNetwork([Layer("and", [[1.0]])]), [0.5, 0.5]), "has 1 inputs"),
        (lambda: forward(LogicNetwork([Layer("and", [[1.0]])]), [2.0]), "Inputs must lie between 0 and 1, not 2"),
    ],
)
def test_what_cannot_be_a_network_is_refused_with_the_reason(make, message):
    with pytest.raises(ValueError, match=message):
        make()
