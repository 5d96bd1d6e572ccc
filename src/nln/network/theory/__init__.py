"""What the network means, in plain NumPy: nodes, layers of any depth, fuzzy logics, exact probabilities.

Every node carries the probability that its concept is present. `nodes` has the formulas of one AND or OR node, `layers`
networks of them and De Morgan's law, `fuzzy` the same in the logic of Łukasiewicz, `exact` probabilities without the
assumption that the concepts of a layer are independent, `sampling` draws from the network, and `trained` the network
that learning trains, node by node: the oracle of the tests.
"""

from nln.network.theory.exact import (
    MAX_WIDTH,
    exact_probabilities,
    independent_joint,
    layer_joint,
    marginals,
    states,
)
from nln.network.theory.fuzzy import LUKASIEWICZ, PRODUCT, FuzzyLogic, lukasiewicz_and, lukasiewicz_or
from nln.network.theory.layers import Kind, Layer, LogicNetwork, forward, with_kind
from nln.network.theory.nodes import Numbers, and_node, de_morgan, negative_part, or_node, positive_part
from nln.network.theory.sampling import draw_layer
from nln.network.theory.trained import (
    fuzzy_dichotomy,
    fuzzy_intervals,
    module_output,
    network_loss,
    network_outputs,
    or_layer,
    penalty,
)

__all__ = [
    "LUKASIEWICZ",
    "MAX_WIDTH",
    "PRODUCT",
    "FuzzyLogic",
    "Kind",
    "Layer",
    "LogicNetwork",
    "Numbers",
    "and_node",
    "de_morgan",
    "draw_layer",
    "exact_probabilities",
    "forward",
    "fuzzy_dichotomy",
    "fuzzy_intervals",
    "independent_joint",
    "layer_joint",
    "lukasiewicz_and",
    "lukasiewicz_or",
    "marginals",
    "module_output",
    "negative_part",
    "network_loss",
    "network_outputs",
    "or_layer",
    "or_node",
    "penalty",
    "positive_part",
    "states",
    "with_kind",
]
