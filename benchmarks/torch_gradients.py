"""Other ways to a gradient, on the network of `torch_network.py`: the other sides of the gradients benchmark.

Gradient grafting (Wang et al., Rule-based Representation Learner) computes the loss of the discretized network and
hands its derivative by the outputs to the soft network: dL/dw = dL/dy at the crisp outputs x dy/dw of the soft ones.
The nodes of the same paper replace a product v by 1 / (1 - log v), which falls slowly, so that a node whose conditions
nearly all fail still has a gradient. It is 1 and (nearly) 0 where the product is.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
import torch
from torch import Tensor

from benchmarks.torch_network import TorchNetwork, torch_epochs
from nln.network.callbacks import Callback
from nln.network.layout import Integers, NetworkInput, TrainingRows, Weights, initial_weights
from nln.network.options import TrainingOptions
from nln.network.training import History, Network

SMALLEST = 1e-10
"""Added to factors before their logarithm is taken, as in the paper's implementation."""


class OtherGradients(TorchNetwork):
    """A network that is trained with grafted gradients, with the other nodes, or with both.

    Parameters
    ----------
    given : NetworkInput
        Layout of the arrays.
    weights : Weights
        Initial weights, copied.
    grafts : bool
        Whether the loss is that of the discretized network.
    logarithmic : bool
        Whether rules and outputs are computed by 1 / (1 - log v) in place of the product v.
    """

    def __init__(self, given: NetworkInput, weights: Weights, *, grafts: bool, logarithmic: bool) -> None:
        super().__init__(given, weights)
        self.grafts, self.logarithmic = grafts, logarithmic
        layout = given.layout
        regular = np.concatenate(
            [np.arange(n) < m for n, m in zip(np.diff(layout.weight_offsets), layout.n_regular, strict=True)]
        )
        self.is_regular = torch.from_numpy(regular)[:, None]

    def conjunction(self, factors: Tensor) -> Tensor:
        """All conditions along the first axis together."""
        if self.logarithmic:
            return 1 / (1 - (factors + SMALLEST).log().sum(0))
        return super().conjunction(factors)

    def outputs(self, codes: Tensor) -> Tensor:
        """Probabilities of the outputs: crisp values with soft derivatives if gradients are grafted."""
        soft = super().outputs(codes)
        if not self.grafts:
            return soft
        with torch.no_grad():
            crisp = self.discretized().outputs(codes)
            change = crisp - soft
        return soft + change

    def discretized(self) -> OtherGradients:
        """The network with weights -1, 0 and 1; biases, boundaries and missing weights stay probabilities."""
        w, crisp = self.weights, copy(self)
        crisp.grafts = False
        crisp.weights = w._replace(
            and_weights=w.and_weights.round(),
            or_weights=torch.where(self.is_regular, w.or_weights.round(), w.or_weights),
            output_weights=w.output_weights.round(),
        )
        return crisp

    def numbers(self) -> Weights:
        """The weights as arrays."""
        return Weights(*(w.detach().numpy().copy() for w in self.weights))


def train_otherwise(
    given: NetworkInput,
    rows: TrainingRows,
    fit: Integers,
    check: Integers,
    n_rules: int,
    options: TrainingOptions,
    rng: np.random.Generator,
    callbacks: Sequence[Callback] = (),
    start: int = 0,
    **form: bool,
) -> Network:
    """Train as `nln.network.training.train` does, in PyTorch; `form` says how.

    The best epoch is that with the best validation loss of what is trained: the discretized network if gradients are
    grafted, and the network with the other nodes if it has them. Dead rules are not drawn anew.
    """
    weights = initial_weights(given, n_rules, rows.targets.shape[1], rng, most_features=options.most_features)
    network = OtherGradients(given, weights, **form)
    seen, unseen = (TrainingRows(*(array[i] for array in rows)) for i in (fit, check))
    best, best_loss, history = network.numbers(), np.inf, History()
    epochs = torch_epochs(network, seen, options, rng)
    for epoch in range(options.epochs):
        loss = next(epochs)
        watched = network.mean_loss(unseen)
        history.records.append({"loss": loss, "validation_loss": watched, "resets": 0.0})
        if watched < best_loss:
            best, best_loss, history.best_epoch = network.numbers(), watched, epoch
        if epoch - history.best_epoch >= options.patience_for(len(fit)):
            break
    return Network(given, best, history)


def discretized_network(network: Network, **form: bool) -> Network:
    """A trained network with crisp weights."""
    crisp = OtherGradients(network.inputs, network.weights, **form).discretized()
    return Network(network.inputs, crisp.numbers(), network.history)
