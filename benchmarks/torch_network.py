"""The network of `nln.network` in eager PyTorch, as fast as we can write it: the other side of the epoch benchmark.

Everything is packed, so that a step is a fixed number of operations whatever the number of features: one table of all
memberships, one look-up for the whole batch, and products as trees of element-wise multiplications. Trees are faster
than `torch.prod` here, whose backward pass becomes much slower once a factor is 0, as weights at their bounds make it.
Fuzzy intervals that are almost 0 at a bin are left out, as in our kernels; the optimizer is PyTorch's fused Adam.

The model, loss, penalties, bounds and order of the rows are ours. Two differences, both in favour of PyTorch: the
gradient at an AND weight of exactly 0 is 0, where our kernels keep it alive, and dead rules are not looked for after an
epoch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nln.network.kernels.modules import BINARY, ORDERED
from nln.network.layout import NetworkInput, TrainingRows, Weights
from nln.network.options import TrainingOptions

NEGLIGIBLE = 1e-5
"""Intervals below this at a bin are not visited."""

SIGNED, UNIT, FAR = (-1.0, 1.0), (0.0, 1.0), 1e6
BOUNDS = (SIGNED, UNIT, UNIT, UNIT, UNIT, (-FAR, FAR), (0.1, FAR), SIGNED)
"""Domain of each kind of weight, in the order of `Weights`."""


class Intervals:
    """Index arrays of the fuzzy intervals: which boundaries and which OR weights belong to each bin.

    Parameters
    ----------
    given : NetworkInput
        The layout that our kernels work on.
    """

    def __init__(self, given: NetworkInput) -> None:
        layout, slots, dichotomies, weights, present = given.layout, [], [], [], []
        most = int(np.diff(layout.dichotomy_offsets).max(initial=0)) + 1
        column = np.arange(most)
        for j in np.flatnonzero(layout.kinds == ORDERED):
            n, bins = int(np.diff(layout.dichotomy_offsets)[j]), int(layout.n_bins[j])
            slots.append(np.arange(bins) + layout.slot_offsets[j])
            passed = layout.dichotomy_offsets[j] + np.minimum(column[:-1], max(n - 1, 0))
            dichotomies.append(np.tile(passed, (bins, 1)))
            weights.append(np.tile(layout.weight_offsets[j] + np.minimum(column, n), (bins, 1)))
            present.append(np.tile(column <= n, (bins, 1)))
        self.any = bool(slots)
        if self.any:
            self.slots = torch.from_numpy(np.concatenate(slots))
            self.dichotomies = torch.from_numpy(np.concatenate(dichotomies))
            self.weights = torch.from_numpy(np.concatenate(weights))
            self.present = torch.from_numpy(np.concatenate(present))
            self.positions = torch.from_numpy(layout.positions)[self.slots, None]
            self.focus(torch.from_numpy(given.boundaries), torch.from_numpy(given.sharpness))

    def values(self, boundaries: Tensor, sharpness: Tensor) -> Tensor:
        """`I_m = s_m (1 - s_(m+1))` of every bin, (bins, intervals), 0 where a feature has fewer."""
        z = sharpness[self.dichotomies] * (self.positions - boundaries[self.dichotomies])
        # Dichotomies that a feature does not have are never passed, so that its last interval is open above.
        s = torch.where(self.present[:, 1:], torch.sigmoid(z), 0.0)
        ends = torch.ones(len(s), 1)
        return torch.cat([ends, s], 1) * (1 - torch.cat([s, 0 * ends], 1))

    def focus(self, boundaries: Tensor, sharpness: Tensor) -> None:
        """Find the intervals that matter at each bin: a window of one width, with the OR weights in it."""
        with torch.no_grad():
            matter = self.values(boundaries, sharpness) > NEGLIGIBLE
        n = matter.shape[1]
        low = matter.int().argmax(1)
        high = n - matter.flip(1).int().argmax(1)
        width = int((high - low).max())
        self.window = torch.clamp(low, max=n - width)[:, None] + torch.arange(width)
        self.or_rows = self.weights.gather(1, self.window).T.flatten()

    def memberships(self, or_weights: Tensor, boundaries: Tensor, sharpness: Tensor) -> Tensor:
        """`m = 1 - prod_m (1 - O_m I_m)`, (bins, rules)."""
        value = self.values(boundaries, sharpness).gather(1, self.window).T
        chosen = or_weights.index_select(0, self.or_rows).view(*value.shape, -1)
        return 1 - product(1 - chosen * value[..., None])


class TorchNetwork:
    """A network with given weights.

    Parameters
    ----------
    given : NetworkInput
        Layout of the arrays.
    weights : Weights
        Initial weights, copied.
    """

    def __init__(self, given: NetworkInput, weights: Weights) -> None:
        layout = given.layout
        self.weights: Any = Weights(*(torch.from_numpy(w.copy()).requires_grad_() for w in weights))  # tensors here
        self.intervals = Intervals(given)
        self.slot_offsets = torch.from_numpy(layout.slot_offsets)
        self.feature_of_slot = torch.from_numpy(np.repeat(np.arange(len(layout.kinds)), np.diff(layout.slot_offsets)))
        self.sources = torch.from_numpy(_membership_sources(given))
        self.nodes = torch.from_numpy(_or_nodes(given))
        self.is_node = self.nodes.sum(1) > 0
        self.n_regular = int(layout.n_regular.sum())

    def parameters(self) -> list[tuple[Tensor, tuple[float, float]]]:
        """All weights that have entries, with their domains."""
        return [(w, b) for w, b in zip(self.weights, BOUNDS, strict=True) if w.numel()]

    def tables(self) -> Tensor:
        """Look-up tables `T = 1 - [A]+ (1 - m) - [A]- m = 1 - [A]+ + A m`, (slots, rules)."""
        w = self.weights
        constant = torch.stack([torch.zeros_like(w.rule_bias), torch.ones_like(w.rule_bias)])
        parts = [constant, w.or_weights]
        if self.intervals.any:
            parts.append(self.intervals.memberships(w.or_weights, w.boundaries, w.sharpness))
        m = torch.cat(parts).index_select(0, self.sources)
        a = w.and_weights.index_select(0, self.feature_of_slot)
        return torch.addcmul(1 - torch.relu(a), a, m)

    def outputs(self, codes: Tensor) -> Tensor:
        """Probabilities of the outputs, (rows, outputs), for `codes` (features, rows) that count over all slots."""
        w = self.weights
        found = self.tables().index_select(0, codes.flatten()).view(*codes.shape, -1)
        active = w.rule_bias * self.conjunction(found)
        none = self.conjunction((1 - active[:, None] * w.output_weights).permute(2, 0, 1))
        return 1 - (1 - w.output_bias) * none

    def conjunction(self, factors: Tensor) -> Tensor:
        """All conditions along the first axis together: the product."""
        return product(factors)

    def loss(self, codes: Tensor, targets: Tensor, row_weights: Tensor) -> Tensor:
        """Weighted mean squared error."""
        return (row_weights[:, None] * (self.outputs(codes) - targets) ** 2).mean()

    def mean_loss(self, rows: TrainingRows) -> float:
        """Weighted mean squared error on rows, without derivatives; weights are brought to a mean of 1."""
        with torch.no_grad():
            weights = torch.from_numpy(rows.weights / rows.weights.mean())
            return float(self.loss(self.codes(rows), torch.from_numpy(rows.targets), weights))

    def penalties(self, non_empty: float, l1: float) -> Tensor:
        """Mean of `(1 - sum |w|)^2` over the nodes of a layer whose weights sum to less than 1, and mean `|w|`."""
        w = self.weights
        sums = [w.and_weights.abs().sum(0), w.output_weights.sum(1)]
        counts = [w.and_weights.numel(), w.output_weights.numel()]
        if self.n_regular:
            sums.append(self.nodes[self.is_node] @ w.or_weights)
            counts.append(self.n_regular * len(w.rule_bias))
        empty = sum(torch.relu(1 - s).square().mean() for s in sums)
        size = sum(s.sum() / count for s, count in zip(sums, counts, strict=True))
        return non_empty * empty + l1 * size

    def codes(self, rows: TrainingRows) -> Tensor:
        """Codes of rows as `outputs` takes them, (features, rows)."""
        return (torch.from_numpy(rows.codes.astype(np.int64)) + self.slot_offsets[:-1]).T.contiguous()


def train_torch(
    network: TorchNetwork, rows: TrainingRows, options: TrainingOptions, rng: np.random.Generator
) -> list[float]:
    """Train on all rows; return the mean loss of each epoch."""
    return list(torch_epochs(network, rows, options, rng))


def torch_epochs(
    network: TorchNetwork, rows: TrainingRows, options: TrainingOptions, rng: np.random.Generator
) -> Iterator[float]:
    """Train on all rows, one epoch each time the next mean loss is asked for."""
    codes, targets, row_weights = network.codes(rows), torch.from_numpy(rows.targets), torch.from_numpy(rows.weights)
    parameters = network.parameters()
    optimizer = torch.optim.Adam([weight for weight, _ in parameters], lr=options.learning_rate, fused=True)
    for _ in range(options.epochs):
        order, total = torch.from_numpy(rng.choice(len(targets), len(targets), replace=False)), 0.0
        if network.intervals.any:
            network.intervals.focus(network.weights.boundaries, network.weights.sharpness)
        for batch in order.split(options.batch_for(len(targets))):
            optimizer.zero_grad(set_to_none=True)
            loss = network.loss(codes[:, batch], targets[batch], row_weights[batch])
            (loss + network.penalties(options.non_empty, options.l1)).backward()
            optimizer.step()
            with torch.no_grad():
                for weight, (low, high) in parameters:
                    weight.clamp_(low, high)
            total += loss.detach() * len(batch)
        yield float(total) / len(targets)


def product(factors: Tensor) -> Tensor:
    """Product over the first axis as a tree: few operations, and exact gradients where factors are 0."""
    while len(factors) > 1:
        half, odd = divmod(len(factors), 2)
        # One split: its backward pass is one concatenation, where each slice would fill an array with zeros.
        left, right, *rest = factors.split([half, half, odd] if odd else [half, half])
        factors = torch.cat([left * right, *rest]) if odd else left * right
    return factors.squeeze(0)


def _membership_sources(given: NetworkInput) -> np.ndarray:
    """Where the membership of each slot is found: in two constants, then the OR weights, then the bins."""
    layout = given.layout
    n_weights, next_bin, sources = int(layout.weight_offsets[-1]), 0, []
    for j, kind in enumerate(layout.kinds):
        n_slots, n_bins = int(np.diff(layout.slot_offsets)[j]), int(layout.n_bins[j])
        first_weight = 2 + layout.weight_offsets[j]
        if kind == BINARY:
            sources.append(np.arange(2))
        elif kind == ORDERED:
            sources.append(2 + n_weights + next_bin + np.arange(n_bins))
            sources.append(first_weight + layout.n_regular[j] + np.arange(n_slots - n_bins))
            next_bin += n_bins
        else:
            sources.append(first_weight + np.arange(n_slots))
    return np.concatenate(sources).astype(np.int64)


def _or_nodes(given: NetworkInput) -> np.ndarray:
    """Which OR weights each feature's node adds up, (features, weights); missing weights belong to none."""
    layout = given.layout
    nodes = np.zeros((len(layout.kinds), int(layout.weight_offsets[-1])), np.float32)
    for j, n in enumerate(layout.n_regular):
        nodes[j, layout.weight_offsets[j] : layout.weight_offsets[j] + n] = 1.0
    return nodes
