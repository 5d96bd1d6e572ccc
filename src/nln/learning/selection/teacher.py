"""Networks as teachers: imagined rows, labelled by the trained networks, that the descent sees beside the real ones.

Soft networks, above all the mean of several, are often better than any short program fitted to the same few rows. An
imagined row mixes the values of two real rows; the networks say how likely its labels are. A program that must agree
with them there, too, is held to what the networks know between the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nln.learning.draft import DescentRows, descent_rows
from nln.network.kernels.passes import forward_outputs
from nln.network.layout import Singles
from nln.network.training import Network
from nln.tables.encoding import Codes, EncodedRows

RATIO = 1.0
"""Weight of all imagined rows, in that of the real ones."""
MIXED = 0.3
"""Share of the values that come from the second row."""
FEWEST, MOST = 512, 2048
"""Least and most imagined rows; between them twice as many as real ones."""


def with_imagined(rows: EncodedRows, networks: Sequence[Network], rng: np.random.Generator) -> DescentRows:
    """Real rows and imagined ones.

    Parameters
    ----------
    rows : EncodedRows
        Real rows.
    networks : sequence of Network
        Teachers; imagined rows get the mean of their probabilities as targets.
    rng : Generator
        Draws the pairs and the values that are mixed.
    """
    count = int(np.clip(2 * rows.n_rows, FEWEST, MOST))
    share = rows.weights / rows.weights.sum()
    first, second = rng.choice(rows.n_rows, (2, count), p=share)
    mixed = rng.random((count, rows.codes.shape[1])) < MIXED
    codes = np.where(mixed, rows.codes[second], rows.codes[first])
    targets = np.mean([_outputs(network, codes) for network in networks], axis=0)
    weight = np.full(count, RATIO * rows.weights.sum() / count)
    both = EncodedRows(
        np.vstack([rows.codes, codes]),
        np.vstack([rows.targets, targets.astype(rows.targets.dtype)]),
        np.concatenate([rows.weights, weight]),
        np.concatenate([rows.counts, np.ones(count, np.int64)]),
    )
    return descent_rows(both)


def _outputs(network: Network, codes: Codes) -> Singles:
    """Probabilities that a network gives, (rows, outputs)."""
    given, weights = network.given, network.weights
    own = np.empty_like(codes)
    for j, coarse in enumerate(given.coarse):
        own[:, j] = coarse[codes[:, j]]
    parts = weights.rule_bias, weights.output_weights, weights.output_bias
    outputs: Singles = forward_outputs(own, given.layout.slot_offsets, network.tables(), *parts)
    return outputs
