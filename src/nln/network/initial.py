"""Rules that a network begins with: conditions become the weights of rule modules."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nln.network.kernels.modules import BINARY, ORDERED
from nln.network.layout import Integers, NetworkInput, Weights
from nln.tables.encoding import Floats


class InitialRules(NamedTuple):
    """Rules as tables over the encoding's slots."""

    tables: Floats  # (rules, slots)
    bias: Floats  # (rules,)
    output: Integers  # (rules,)


def write_rules(inputs: NetworkInput, weights: Weights, rules: InitialRules) -> None:
    """Write rules to the first rule modules, in place; the other modules stay as they are.

    A binary feature's AND weight is the difference of its two entries. The OR weight of a value is its membership, that
    of an interval the mean membership of its bins. A feature that a rule does not ask about has the AND weight 0.
    """
    layout, n_rules = inputs.layout, len(rules.bias)
    weights.rule_bias[:n_rules] = rules.bias
    weights.output_weights[:, :n_rules] = 0.0
    weights.output_weights[rules.output, np.arange(n_rules)] = 1.0
    for j, (feature, coarse) in enumerate(zip(inputs.features, inputs.coarse, strict=True)):
        own = slice(inputs.offsets[feature], inputs.offsets[feature + 1])
        table = _coarse_table(rules.tables[:, own], coarse)  # (network's slots, rules)
        if layout.kinds[j] == BINARY:
            weights.and_weights[j, :n_rules] = table[1] - table[0]
            continue
        weights.and_weights[j, :n_rules] = (table != 1.0).any(axis=0)
        first, last = layout.weight_offsets[j], layout.weight_offsets[j + 1]
        if layout.kinds[j] == ORDERED:
            table = _interval_table(table, int(layout.n_bins[j]), int(layout.n_regular[j]))
        weights.or_weights[first:last, :n_rules] = table


def _coarse_table(table: Floats, coarse: np.ndarray) -> Floats:
    """Mean membership of the encoding's slots that share a slot of the network, (network's slots, rules)."""
    sums = np.zeros((int(coarse.max()) + 1, len(table)))
    np.add.at(sums, coarse.astype(np.int64), table.T)
    return sums / np.bincount(coarse, minlength=len(sums))[:, None]


def _interval_table(table: Floats, n_bins: int, n_intervals: int) -> Floats:
    """Mean membership of the bins of each interval, then that of missing values."""
    owner = np.floor((np.arange(n_bins) + 0.5) * (n_intervals / n_bins)).astype(np.int64)
    return np.concatenate([_coarse_table(table[:n_bins].T, owner), table[n_bins:]])
