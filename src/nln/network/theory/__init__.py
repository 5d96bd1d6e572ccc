"""What the network means, in plain NumPy: nodes, layers of any depth, fuzzy logics, exact probabilities.

Every node carries the probability that its concept is present. `nodes` has the formulas of one AND or OR node, also in
the logic of Łukasiewicz, `layers` networks of them and De Morgan's law, `exact` probabilities without the assumption
that the concepts of a layer are independent, and `trained` the network that learning trains, node by node: the oracle
of the tests.
"""

from nln.network.theory.exact import (
    MAX_WIDTH,
    draw_layer,
    exact_probabilities,
    independent_joint,
    layer_joint,
    marginals,
    states,
)
from nln.network.theory.layers import Kind, Layer, LogicNetwork, forward, with_kind
from nln.network.theory.nodes import (
    LUKASIEWICZ,
    PRODUCT,
    FuzzyLogic,
    Numbers,
    and_node,
    de_morgan,
    lukasiewicz_and,
    lukasiewicz_or,
    negative_part,
    or_node,
    positive_part,
)
from nln.network.theory.trained import (
    fuzzy_dichotomy,
    fuzzy_intervals,
    interval_nodes,
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
    "interval_nodes",
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
