"""Logic networks of any depth in PyTorch, for researchers who build their own; it needs the extra `torch`.

`And` and `Or` are layers of nodes, `RuleModules` the layer that reads a table. `torch.nn.Sequential` makes a network of
them, on any device. `train` follows the paper, `discretize` and `prune` make a network crisp, and `concepts` prints it
as definitions. `from_network` and `to_weights` convert the two-layer networks of `NLNClassifier`.
"""

from nln.torch.convert import from_network, network_rows, to_weights
from nln.torch.discretize import concepts, discretize, interval_texts, prune
from nln.torch.inputs import FuzzyDichotomies, FuzzyIntervals, Module, OneHot, RuleModules
from nln.torch.nodes import And, Or
from nln.torch.training import clamp, penalty, reset_dead, train

__all__ = [
    "And",
    "FuzzyDichotomies",
    "FuzzyIntervals",
    "Module",
    "OneHot",
    "Or",
    "RuleModules",
    "clamp",
    "concepts",
    "discretize",
    "from_network",
    "interval_texts",
    "network_rows",
    "penalty",
    "prune",
    "reset_dead",
    "to_weights",
    "train",
]
