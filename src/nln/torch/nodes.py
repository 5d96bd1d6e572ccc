"""Layers of AND and OR nodes as PyTorch modules; `nln.network.theory.nodes` has their formulas."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def all_hold(inputs: Tensor, weight: Tensor) -> Tensor:
    """Probability that all conditions hold: the product of 1 - [A]+ (1 - c) - [A]- c over the last axis."""
    return torch.prod(1 - torch.relu(weight) + weight * inputs, dim=-1)


class And(nn.Module):
    """A layer of AND nodes over the same inputs.

    Parameters
    ----------
    n_inputs : int
        Number of input concepts.
    n_nodes : int
        Number of nodes.
    negation : bool, default=True
        Whether weights may be negative, which asks for the absence of a concept.

    Examples
    --------
    >>> import torch
    >>> both = And(2, 1)
    >>> _ = both.weight.data.fill_(1.0)
    >>> both(torch.tensor([[1.0, 1.0], [1.0, 0.5]])).detach()
    tensor([[1.0000],
            [0.5000]])
    """

    def __init__(self, n_inputs: int, n_nodes: int, *, negation: bool = True) -> None:
        super().__init__()
        self.low = -1.0 if negation else 0.0
        self.weight = nn.Parameter(torch.empty(n_nodes, n_inputs))
        self.bias = nn.Parameter(torch.empty(n_nodes))
        self.draw(torch.arange(n_nodes))

    def draw(self, nodes: Tensor) -> None:
        """Give some nodes new random weights, uniform over what is allowed, and a bias without effect."""
        with torch.no_grad():
            self.weight[nodes] = torch.empty_like(self.weight[nodes]).uniform_(self.low, 1.0)
            self.bias[nodes] = 1.0

    def clamp(self) -> None:
        """Bring weights and biases back to where they are allowed."""
        with torch.no_grad():
            self.weight.clamp_(self.low, 1.0)
            self.bias.clamp_(0.0, 1.0)

    def forward(self, inputs: Tensor) -> Tensor:
        """Probability of each node, (..., nodes), from those of the inputs, (..., inputs)."""
        return self.bias * all_hold(inputs.unsqueeze(-2), self.weight)


class Or(And):
    """A layer of OR nodes over the same inputs.

    Parameters
    ----------
    n_inputs : int
        Number of input concepts.
    n_nodes : int
        Number of nodes.
    negation : bool, default=False
        Whether weights may be negative: then the absence of a concept suffices.

    Examples
    --------
    >>> import torch
    >>> either = Or(2, 1)
    >>> _ = either.weight.data.fill_(1.0)
    >>> either(torch.tensor([[1.0, 0.0], [0.5, 0.5]])).detach()
    tensor([[1.0000],
            [0.7500]])
    """

    def __init__(self, n_inputs: int, n_nodes: int, *, negation: bool = False) -> None:
        super().__init__(n_inputs, n_nodes, negation=negation)

    def draw(self, nodes: Tensor) -> None:
        """Give some nodes new random weights, uniform over what is allowed, and a bias without effect."""
        super().draw(nodes)
        with torch.no_grad():
            self.bias[nodes] = 0.0

    def forward(self, inputs: Tensor) -> Tensor:
        """Probability of each node, (..., nodes), from those of the inputs, (..., inputs)."""
        return 1 - (1 - self.bias) * all_hold(inputs.unsqueeze(-2), -self.weight)  # De Morgan's law
