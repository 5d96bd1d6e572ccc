"""What the descent takes from trained networks: their rules as a draft, and imagined rows that they label.

In a draft, output weights become 0 or 1, and each output gets its own copy of a rule. A rule module may feed several
outputs; a shared rule could not be sharpened for one of them.

Soft networks, above all the mean of several, are often better than any short program fitted to the same few rows. An
imagined row mixes the values of two real rows, and the networks say how likely its labels are. A program that must
agree with them there keeps to what the networks know between the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nln.learning.descent.kernels.statistics import activation, add_factor, quadratic, remove_factor, rule_state
from nln.learning.draft import DescentRows, Draft
from nln.network.kernels.passes import forward_outputs
from nln.network.layout import Singles
from nln.network.training import Network
from nln.tables.encoding import Codes, Encoding, Floats

IMAGINED_WEIGHT = 1.0
"""Weight of all imagined rows, as a multiple of that of the real ones."""
MIXED_SHARE = 0.3
"""Share of the values that come from the second row."""
SHARED, LEAST_KEPT = 4, 8
"""How many outputs may keep a rule, on average, and how many rules an output may keep at least."""
FEWEST_IMAGINED, MOST_IMAGINED = 512, 2048
"""Fewest and most imagined rows; between them there are twice as many as real ones."""


def draft_network(network: Network, encoding: Encoding, rows: DescentRows) -> Draft:
    """Turn the rules of a network into a draft with soft tables; the rows decide the output weights."""
    tables = network.inputs.fine_tables(network.tables())
    bias = network.weights.rule_bias.astype(np.float64)
    output_bias = network.weights.output_bias.astype(np.float64)
    activations = np.empty((len(bias), rows.n_rows), np.float32)
    count = np.min_scalar_type(len(rows.codes))  # a row may fail as many conditions as there are features
    zeros, product, rule_values = np.zeros(rows.n_rows, count), np.ones(rows.n_rows), np.empty(rows.n_rows)
    for i, table in enumerate(tables):
        rule_state(rows.codes, encoding.offsets, table, zeros, product)
        activation(zeros, product, rule_values)
        activations[i] = rule_values
    rule, output, most = [], [], max(LEAST_KEPT, SHARED * len(bias) // len(output_bias))
    for k, weights in enumerate(network.weights.output_weights.astype(np.float64)):
        kept = _select_output(activations, bias, weights, rows, k, output_bias[k])[:most]
        rule.extend(kept)
        output.extend([k] * len(kept))
    chosen = np.array(rule, np.int64)
    return Draft(tables[chosen], bias[chosen], np.array(output, np.int64), output_bias)


def _select_output(
    activations: Singles, bias: Floats, weights: Floats, rows: DescentRows, k: int, output_bias: float
) -> list[int]:
    """Rules that an output keeps, the heaviest first: weights become 1 or 0, whichever gives the smaller error."""
    zeros, product = np.zeros(rows.n_rows, np.int32), np.ones(rows.n_rows)
    q1, q2 = np.zeros(rows.n_rows), np.zeros(rows.n_rows)
    candidates = [int(i) for i in np.argsort(-weights, kind="stable") if weights[i] > 0 and bias[i] > 0]
    for i in candidates:
        add_factor(activations[i].astype(np.float64), bias[i] * weights[i], zeros, product)
    kept = []
    for i in candidates:
        active = activations[i].astype(np.float64)
        remove_factor(active, bias[i] * weights[i], zeros, product)
        quadratic(rows.targets[k], rows.weights, zeros, product, output_bias, q1, q2)
        r = bias[i] * active
        if 2.0 * (q1 * r).sum() > (q2 * r * r).sum():
            kept.append(i)
            add_factor(active, bias[i], zeros, product)
    return kept


def with_imagined(rows: DescentRows, networks: Sequence[Network], rng: np.random.Generator) -> DescentRows:
    """Add imagined rows to real ones; their targets are the mean of the networks' probabilities."""
    count = int(np.clip(2 * rows.n_rows, FEWEST_IMAGINED, MOST_IMAGINED))
    share = rows.weights / rows.weights.sum()
    first, second = rng.choice(rows.n_rows, (2, count), p=share)
    mixed = rng.random((count, len(rows.codes))) < MIXED_SHARE
    codes = np.where(mixed, rows.codes[:, second].T, rows.codes[:, first].T)
    targets = np.mean([_outputs(network, codes) for network in networks], axis=0)
    weight = np.full(count, IMAGINED_WEIGHT * rows.weights.sum() / count)
    return DescentRows(
        np.ascontiguousarray(np.hstack([rows.codes, codes.T])),
        np.ascontiguousarray(np.hstack([rows.targets, targets.T.astype(rows.targets.dtype)])),
        np.concatenate([rows.weights, weight]),
    )


def _outputs(network: Network, codes: Codes) -> Singles:
    """Probabilities that a network gives, (rows, outputs)."""
    offsets = network.inputs.layout.slot_offsets
    return forward_outputs(network.inputs.codes(codes), offsets, network.tables(), network.weights)
