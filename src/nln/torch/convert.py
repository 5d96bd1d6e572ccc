"""The two-layer networks that `NLNClassifier` trains, as PyTorch modules and back."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from nln.network.kernels.modules import BINARY, CIRCULAR, ORDERED, PROBABILITY, VALUES
from nln.network.layout import Layout, Weights, neighbour_weights
from nln.tables.encoding import Codes
from nln.torch.inputs import FuzzyDichotomies, FuzzyIntervals, Module, OneHot, RuleModules
from nln.torch.nodes import Or


def from_network(layout: Layout, weights: Weights) -> nn.Sequential:
    """Make PyTorch modules that compute what a trained network does.

    Parameters
    ----------
    layout : Layout
        Where each feature lies in the arrays: `model.network_.inputs.layout`.
    weights : Weights
        The weights: `model.network_.weights`.

    Returns
    -------
    torch.nn.Sequential
        `RuleModules` and `Or`, on the tables of `network_rows`.

    Examples
    --------
    >>> from nln import NLNClassifier
    >>> from nln.datasets import load_tic_tac_toe
    >>> network = NLNClassifier(starts=1, random_state=0).fit(*load_tic_tac_toe()).network_
    >>> [type(layer).__name__ for layer in from_network(network.inputs.layout, network.weights)]
    ['RuleModules', 'Or']
    """
    if np.isin(layout.kinds, (CIRCULAR, PROBABILITY)).any():
        raise ValueError("Periodic features and probabilities have no counterpart here. Learn without such features.")
    n_outputs, n_rules = weights.output_weights.shape
    rules = RuleModules([_concepts(layout, weights, j) for j in range(len(layout.kinds))], n_rules)
    outputs = Or(n_rules, n_outputs)
    with torch.no_grad():
        rules.weight.copy_(_tensor(weights.and_weights.T))
        rules.bias.copy_(_tensor(weights.rule_bias))
        outputs.weight.copy_(_tensor(weights.output_weights))
        outputs.bias.copy_(_tensor(weights.output_bias))
        for j, module in _modules(rules):
            regular, missing = _parts(layout, j)
            module.weight.copy_(_tensor(weights.or_weights[regular].T))
            module.missing.copy_(_tensor(weights.or_weights[missing].sum(axis=0)))  # 0 if no cell is missing
    return nn.Sequential(rules, outputs)


def to_weights(network: nn.Sequential, layout: Layout) -> Weights:
    """Return the weights of a two-layer network of PyTorch modules as `NLNClassifier` keeps them.

    Parameters
    ----------
    network : torch.nn.Sequential
        `RuleModules` and `Or`, as `from_network` makes them; it may have been trained further.
    layout : Layout
        Where each feature lies in the arrays.

    Returns
    -------
    Weights
    """
    rules, outputs = network
    or_weights = np.zeros((int(layout.weight_offsets[-1]), len(rules.bias)), np.float32)
    boundaries = np.zeros(int(layout.dichotomy_offsets[-1]), np.float32)
    sharpness, interval_weights = np.zeros_like(boundaries), neighbour_weights(layout)
    learned = False
    for j, module in _modules(rules):
        regular, missing = _parts(layout, j)
        or_weights[regular] = _array(module.weight.T)
        or_weights[missing] = _array(module.missing)
        if isinstance(module.concepts, FuzzyIntervals):
            own = slice(*layout.dichotomy_offsets[j : j + 2])
            boundaries[own] = _array(module.concepts.dichotomies.boundaries)
            sharpness[own] = _array(module.concepts.dichotomies.sharpness)
            learned |= module.concepts.weight.requires_grad
            interval_weights[: own.stop - own.start, regular] = _array(module.concepts.weight.T)
    return Weights(
        and_weights=_array(rules.weight.T),
        or_weights=or_weights,
        rule_bias=_array(rules.bias),
        output_weights=_array(outputs.weight),
        output_bias=_array(outputs.bias),
        boundaries=boundaries,
        sharpness=sharpness,
        interval_weights=interval_weights if learned else interval_weights[:0, :0].copy(),
    )


def network_rows(layout: Layout, codes: Codes) -> Tensor:
    """Turn the codes of a network's rows into the table that its PyTorch modules take.

    Parameters
    ----------
    layout : Layout
        Where each feature lies in the arrays.
    codes : ndarray of shape (rows, features)
        Slots of the network, as its training rows hold them.

    Returns
    -------
    Tensor of shape (rows, features)
    """
    table = codes.astype(np.float32)
    for j, kind in enumerate(layout.kinds.tolist()):
        if kind == ORDERED:
            table[:, j] = layout.positions[int(layout.slot_offsets[j]) + codes[:, j].astype(np.int64)]
        if kind != BINARY:
            n_known = layout.n_regular[j] if kind == VALUES else layout.n_bins[j]
            table[codes[:, j] >= n_known, j] = np.nan
    return torch.from_numpy(table)


def _concepts(layout: Layout, weights: Weights, j: int) -> OneHot | FuzzyIntervals | None:
    if layout.kinds[j] == BINARY:
        return None
    if layout.kinds[j] == VALUES:
        return OneHot(int(layout.n_regular[j]))
    own = slice(*layout.dichotomy_offsets[j : j + 2])
    dichotomies = FuzzyDichotomies(weights.boundaries[own].tolist())
    with torch.no_grad():
        dichotomies.sharpness.copy_(_tensor(weights.sharpness[own]))
    learned = weights.interval_weights.shape[0] > 0
    intervals = FuzzyIntervals(dichotomies, learned=learned)
    if learned:
        regular, _ = _parts(layout, j)
        with torch.no_grad():
            intervals.weight.copy_(_tensor(weights.interval_weights[: own.stop - own.start, regular].T))
    return intervals


def _modules(rules: RuleModules) -> list[tuple[int, Module]]:
    return [(int(j), module) for j, module in rules.modules_of.items()]


def _parts(layout: Layout, j: int) -> tuple[slice, slice]:
    """A feature's OR weights, and its missing weight, which may not exist."""
    first, stop = layout.weight_offsets[j : j + 2]
    middle = first + layout.n_regular[j]
    return slice(first, middle), slice(middle, stop)


def _tensor(array: np.ndarray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array, np.float32))


def _array(tensor: Tensor) -> np.ndarray:
    return np.ascontiguousarray(tensor.detach().cpu().numpy(), np.float32)
