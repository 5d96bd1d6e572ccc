"""Training of networks of any depth: the squared error and the paper's penalties, weights clamped, dead nodes reset."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from nln.torch.inputs import FuzzyDichotomies, FuzzyIntervals, Module
from nln.torch.nodes import And

_ALIVE = 1e-5
"""A node whose weights in the next layer are all below this is dead."""


def clamp(network: nn.Module) -> None:
    """Bring all weights of a network back to where they are allowed; call it after each step of an optimizer.

    Parameters
    ----------
    network : torch.nn.Module
        A network of the layers of this package.
    """
    for part in network.modules():
        if isinstance(part, And | Module | FuzzyDichotomies | FuzzyIntervals):
            part.clamp()


def penalty(network: nn.Module, non_empty: float = 0.1, l1: float = 1e-3) -> Tensor:
    """Penalty on weights: for each layer the mean size, and the mean squared lack of nodes whose weights sum below 1.

    Parameters
    ----------
    network : torch.nn.Module
        A network of the layers of this package.
    non_empty : float, default=0.1
        Strength of the part that keeps nodes from becoming empty.
    l1 : float, default=0.001
        Strength of the part that keeps weights few.

    Returns
    -------
    Tensor
        One number, to be added to the loss.

    Examples
    --------
    >>> from nln.torch import And
    >>> layer = And(2, 1)
    >>> _ = layer.weight.data.fill_(0.25)
    >>> round(float(penalty(layer, non_empty=1.0, l1=0.0).detach()), 3)
    0.25
    """
    total = torch.zeros(())
    for part in network.modules():
        if isinstance(part, And | Module | FuzzyIntervals) and part.weight.requires_grad:
            sizes = part.weight.abs().sum(dim=1)
            total = total.to(sizes.device)
            total = total + l1 * part.weight.abs().mean() + non_empty * torch.relu(1 - sizes).square().mean()
    return total


def reset_dead(network: nn.Sequential) -> int:
    """Draw dead nodes again: those that the next layer does not use, and AND nodes whose bias is 0.

    Their weights in the next layer become 0, so that what the network computes stays the same.

    Parameters
    ----------
    network : torch.nn.Sequential
        A network of the layers of this package.

    Returns
    -------
    int
        Number of nodes that were drawn again.
    """
    layers, count = [layer for layer in network if isinstance(layer, And)], 0
    for layer, following in pairwise(layers):
        dead = torch.nonzero(following.weight.abs().amax(dim=0) <= _ALIVE)[:, 0]
        if len(dead):
            layer.draw(dead)
            with torch.no_grad():
                following.weight[:, dead] = 0.0
            count += len(dead)
    return count


def train(
    network: nn.Sequential,
    table: Tensor,
    targets: Tensor,
    *,
    epochs: int = 300,
    batch_size: int = 64,
    learning_rate: float = 0.01,
    non_empty: float = 0.1,
    l1: float = 1e-3,
    generator: torch.Generator | None = None,
) -> list[float]:
    """Train a network by Adam on the squared error and the penalties; dead nodes are drawn again after each epoch.

    Parameters
    ----------
    network : torch.nn.Sequential
        A network of the layers of this package; it is changed, and ends with the weights of its best epoch.
    table : Tensor of shape (rows, features)
        What the first layer takes.
    targets : Tensor of shape (rows, outputs)
        0 and 1.
    epochs : int, default=300
        Passes over the rows.
    batch_size : int, default=64
        Rows per step.
    learning_rate : float, default=0.01
        Step size of Adam.
    non_empty, l1 : float, default=0.1 and 0.001
        Strengths of the penalties.
    generator : torch.Generator, default=None
        Orders the rows. None takes PyTorch's own.

    Returns
    -------
    list of float
        The loss without penalties, one per epoch.

    Examples
    --------
    >>> import torch
    >>> from nln.torch import And, Or
    >>> _ = torch.manual_seed(0)
    >>> table = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> network = torch.nn.Sequential(And(2, 4), Or(4, 1))
    >>> losses = train(network, table, table[:, :1] != table[:, 1:], epochs=500)
    >>> min(losses) < 0.01
    True
    """
    targets = targets.to(table.dtype)
    optimizer = torch.optim.Adam([p for p in network.parameters() if p.requires_grad], lr=learning_rate)
    losses: list[float] = []
    best: dict[str, Tensor] = {}
    for _ in range(epochs):
        for rows in torch.randperm(len(table), generator=generator).split(batch_size):
            optimizer.zero_grad()
            loss = (network(table[rows]) - targets[rows]).square().mean()
            (loss + penalty(network, non_empty, l1)).backward()
            optimizer.step()
            clamp(network)
        with torch.no_grad():
            losses.append(float((network(table) - targets).square().mean()))
        if losses[-1] == min(losses):
            best = {name: value.clone() for name, value in network.state_dict().items()}
        reset_dead(network)
    network.load_state_dict(best)
    return losses
