"""Probabilities without the assumption that the concepts of a layer are independent, in closed form or by drawing.

Behind the product formula stand three assumptions: the relations (a weight w is the probability |w| that a concept is
asked for, or its absence, by its sign) are independent of each other and of the concepts, and the concepts of a layer
are independent of each other given the inputs. The third fails as soon as two nodes of a layer share an uncertain
parent. Without it the joint distribution of a whole layer is carried on: given the state s of the layer before, its
nodes are independent, and the product formula is exact,

    P(c = t) = sum_s P(s) prod_i P(c_i = t_i | s)         P(c_i = 1 | s) = the node at the crisp inputs s

A layer of n concepts has 2^n states, so this is for narrow networks.
"""

from __future__ import annotations

import numpy as np

from nln.network.theory.layers import Layer, LogicNetwork, check_inputs
from nln.network.theory.nodes import Numbers
from nln.tables.encoding import Floats

MAX_WIDTH = 12
"""The most concepts of a layer. Its transition matrix then has 4,096 x 4,096 entries."""


def exact_probabilities(network: LogicNetwork, inputs: Numbers) -> Floats:
    """Probability of each output if relations are independent, even if concepts share causes.

    Parameters
    ----------
    network : LogicNetwork
        A network whose layers have at most 12 concepts each, inputs included.
    inputs : ndarray or sequence of shape (inputs, ...)
        Probabilities of the input concepts, which are independent of each other.

    Returns
    -------
    ndarray of shape (outputs, ...)

    Examples
    --------
    A concept present with probability 1/2 is copied twice; both copies are present with probability 1/2, not 1/4.

    >>> network = LogicNetwork([Layer("and", [[1.0], [1.0]]), Layer("and", [[1.0, 1.0]])])
    >>> exact_probabilities(network, [0.5])
    array([0.5])
    >>> from nln.network.theory import forward
    >>> forward(network, [0.5])
    array([0.25])
    """
    concepts = check_inputs(network, inputs)
    widths = [len(concepts), *(layer.n_nodes for layer in network.layers)]
    if max(widths) > MAX_WIDTH:
        raise ValueError(
            f"A layer has {max(widths)} concepts, so {2.0 ** max(widths):.3g} states; exact probabilities are for at "
            f"most {MAX_WIDTH}. Use forward, which takes the concepts of a layer to be independent."
        )
    joint = independent_joint(concepts.reshape(len(concepts), -1))
    for layer in network.layers:
        joint = layer_joint(layer, joint)
    return marginals(joint).reshape(-1, *concepts.shape[1:])


def states(width: int) -> Floats:
    """Return all crisp states of `width` concepts, (concepts, states); the first concept is the lowest bit.

    Examples
    --------
    >>> states(2)
    array([[0., 1., 0., 1.],
           [0., 0., 1., 1.]])
    """
    return (np.arange(2**width) >> np.arange(width)[:, None] & 1).astype(np.float64)


def independent_joint(probabilities: Floats) -> Floats:
    """Probability of each state of independent concepts: (states, columns) from (concepts, columns)."""
    joint = np.ones((1, probabilities.shape[1]))
    for p in probabilities:
        joint = np.concatenate([joint * (1.0 - p), joint * p])
    return joint


def layer_joint(layer: Layer, joint: Floats) -> Floats:
    """Probability of each state of a layer from that of each state of its inputs, (states, columns) both."""
    transition = independent_joint(layer.outputs(states(layer.n_inputs)))  # (states of the layer, states of the inputs)
    return transition @ joint


def marginals(joint: Floats) -> Floats:
    """Probability of each concept, (concepts, columns), from that of each state."""
    present = states(len(joint).bit_length() - 1) @ joint
    return np.clip(present, 0.0, 1.0)  # sums round


def draw_layer(layer: Layer, concepts: Floats, rng: np.random.Generator) -> Floats:
    """Draw the relations of a layer, once per column, and return the concepts that follow.

    A weight w asks for its concept (or the absence, by its sign) with probability `|w|`, and a bias b is 1 with
    probability b.

    Parameters
    ----------
    layer : Layer
        The layer.
    concepts : ndarray of shape (inputs, columns)
        Crisp input concepts.
    rng : Generator
        The only source of randomness.

    Returns
    -------
    ndarray of zeros and ones, of shape (nodes, columns)

    Examples
    --------
    >>> import numpy as np
    >>> rain = np.ones((1, 10_000))
    >>> wet = draw_layer(Layer("or", [[0.8]]), rain, np.random.default_rng(0))
    >>> round(float(wet.mean()), 1)
    0.8
    """
    columns = concepts.shape[1]
    found = np.empty((layer.n_nodes, columns))
    for i, (weights, bias) in enumerate(zip(layer.weights, layer.bias, strict=True)):
        asked = np.sign(weights)[:, None] * (rng.random((layer.n_inputs, columns)) < np.abs(weights)[:, None])
        wanted = asked if layer.kind == "and" else -asked  # an OR fails where the AND of the negations holds
        holds = ((wanted == 0) | ((wanted > 0) == (concepts > 0.5))).all(axis=0)
        unobserved = rng.random(columns) < bias
        found[i] = holds & unobserved if layer.kind == "and" else ~holds | unobserved
    return found
