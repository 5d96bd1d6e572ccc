"""Networks of AND and OR layers of any depth: what they compute, and De Morgan's law on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from nln.network.theory.nodes import PRODUCT, FuzzyLogic, Numbers, de_morgan
from nln.tables.encoding import Floats

Kind: TypeAlias = Literal["and", "or"]
OTHER: dict[Kind, Kind] = {"and": "or", "or": "and"}
NEUTRAL: dict[Kind, float] = {"and": 1.0, "or": 0.0}
"""Bias of a node to which nothing unobserved belongs."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Nodes of one kind over the same inputs; a single node is a layer of one.

    Parameters
    ----------
    kind : {"and", "or"}
        What the nodes compute.
    weights : array-like of shape (nodes, inputs)
        In [-1, 1]: 1 asks for a concept, -1 for its absence, 0 for neither. Copied and made read-only.
    bias : array-like of shape (nodes,), default=None
        In [0, 1]: probability of the unobserved conditions. None means that there are none: 1 for AND, 0 for OR.

    Examples
    --------
    >>> both = Layer("and", [[1.0, 1.0]])
    >>> both.outputs([0.5, 0.5])
    array([0.25])
    >>> not_both = both.negated()
    >>> not_both.kind, not_both.outputs([0.5, 0.5])
    ('or', array([0.75]))
    """

    kind: Kind
    weights: Floats
    bias: Floats

    def __init__(self, kind: Kind, weights: npt.ArrayLike, bias: npt.ArrayLike | None = None) -> None:
        if kind not in OTHER:
            raise ValueError(f"A layer is of kind 'and' or 'or', not {kind!r}.")
        found = np.array(weights, np.float64)
        if found.ndim != 2:
            raise ValueError(f"Weights of a layer must have the shape (nodes, inputs), not {found.shape}.")
        biases = np.full(len(found), NEUTRAL[kind]) if bias is None else np.array(bias, np.float64)
        if biases.shape != (len(found),):
            raise ValueError(f"A layer of {len(found)} nodes needs as many biases, not the shape {biases.shape}.")
        _check_range("Weights", found, -1.0)
        _check_range("Biases", biases, 0.0)
        found.flags.writeable = biases.flags.writeable = False
        for name, value in (("kind", kind), ("weights", found), ("bias", biases)):
            object.__setattr__(self, name, value)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.weights)

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return int(self.weights.shape[1])

    def outputs(self, inputs: Numbers, logic: FuzzyLogic = PRODUCT) -> Any:
        """What each node gives, (nodes, ...), for inputs (inputs, ...).

        With the product these are the probabilities of the nodes, if the inputs are independent.
        """
        node = logic.and_node if self.kind == "and" else logic.or_node
        return np.stack([np.asarray(node(inputs, w, b)) for w, b in zip(self.weights, self.bias, strict=True)])

    def negated(self) -> Layer:
        """The layer of the other kind whose nodes are NOT of these."""
        return Layer(OTHER[self.kind], *de_morgan(self.weights, self.bias))

    def on_negated_inputs(self) -> Layer:
        """The layer that gives the same when NOT of each input comes in."""
        return Layer(self.kind, -self.weights, self.bias)

    @property
    def is_negation(self) -> bool:
        """Whether each node is NOT of the input of its number."""
        same = self.n_nodes == self.n_inputs and bool((self.bias == NEUTRAL[self.kind]).all())
        return same and bool((self.weights == -np.eye(self.n_nodes)).all())


@dataclass(frozen=True, eq=False)
class LogicNetwork:
    """Layers, each on the outputs of the one before.

    Parameters
    ----------
    layers : sequence of Layer
        At least one, from the inputs to the outputs.

    Examples
    --------
    Exclusive or: one of two, and not both.

    >>> network = LogicNetwork([Layer("and", [[1.0, -1.0], [-1.0, 1.0]]), Layer("or", [[1.0, 1.0]])])
    >>> forward(network, [[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])
    array([[0., 1., 1., 0.]])
    """

    layers: tuple[Layer, ...]

    def __init__(self, layers: Sequence[Layer]) -> None:
        if not layers:
            raise ValueError("A network needs at least one layer.")
        for i, (one, two) in enumerate(pairwise(layers), 1):
            if two.n_inputs != one.n_nodes:
                raise ValueError(f"Layer {i} has {two.n_inputs} inputs, but the layer before it {one.n_nodes} nodes.")
        object.__setattr__(self, "layers", tuple(layers))


def forward(network: LogicNetwork, inputs: Numbers, logic: FuzzyLogic = PRODUCT) -> Any:
    """Outputs of a network, layer by layer.

    With the product these are the probabilities of the outputs as far as the concepts of each layer are independent
    given the inputs; `exact_probabilities` does without that.

    Parameters
    ----------
    network : LogicNetwork
        Layers of any number and kind.
    inputs : ndarray or sequence of shape (inputs, ...)
        Probabilities or degrees of the input concepts.
    logic : FuzzyLogic, default=PRODUCT
        `PRODUCT` or `LUKASIEWICZ`.

    Returns
    -------
    ndarray of shape (outputs, ...)
    """
    concepts = check_inputs(network, inputs)
    for layer in network.layers:
        concepts = layer.outputs(concepts, logic)
    return concepts


def with_kind(network: LogicNetwork, kind: Kind) -> LogicNetwork:
    """The same network with layers of one kind only, by De Morgan's law.

    A converted layer gives NOT of what it gave before, so the weights on it change their sign. If the last layer was
    converted, a layer of NOT nodes is added after it, or removed if there was one. The outputs stay the same, in the
    logic of Łukasiewicz as well.

    Parameters
    ----------
    network : LogicNetwork
        The network.
    kind : {"and", "or"}
        Kind of all layers.

    Examples
    --------
    >>> both = LogicNetwork([Layer("and", [[1.0, 1.0]])])
    >>> [(layer.kind, layer.weights.tolist()) for layer in with_kind(both, "or").layers]
    [('or', [[-1.0, -1.0]]), ('or', [[-1.0]])]
    """
    layers = list(network.layers)
    ends_in_negation = len(layers) > 1 and layers[-1].is_negation
    if ends_in_negation:
        layers.pop()
    found, is_negated = [], False
    for layer in layers:
        same = layer.on_negated_inputs() if is_negated else layer
        is_negated = layer.kind != kind
        found.append(same.negated() if is_negated else same)
    if is_negated != ends_in_negation:  # NOT nodes: a node with one input is an AND as well as an OR
        found.append(Layer(kind, -np.eye(found[-1].n_nodes)))
    return LogicNetwork(found)


def check_inputs(network: LogicNetwork, inputs: Numbers) -> Floats:
    """Inputs as an array, or an error that says what is wrong with them."""
    found = np.asarray(inputs, np.float64)
    expected = network.layers[0].n_inputs
    if found.ndim == 0 or len(found) != expected:
        raise ValueError(f"The network has {expected} inputs along the first axis; the array given is {found.shape}.")
    _check_range("Inputs", found, 0.0)
    return found


def _check_range(what: str, values: Floats, lowest: float) -> None:
    outside = values[~((values >= lowest) & (values <= 1.0))]  # not a number fails, too
    if outside.size:
        raise ValueError(f"{what} must lie between {lowest:g} and 1, not {outside[0]:g}.")
