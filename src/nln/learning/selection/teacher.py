"""Networks as teachers: imagined rows, labelled by the trained networks, that the descent sees beside the real ones.

Soft networks, above all the mean of several, are often better than any short program fitted to the same few rows. An
imagined row mixes the values of two real rows, and the networks say how likely its labels are. A program that must
agree with them there keeps to what the networks know between the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nln.learning.draft import DescentRows
from nln.network.kernels.passes import forward_outputs
from nln.network.layout import Singles
from nln.network.training import Network
from nln.tables.encoding import Codes

IMAGINED_WEIGHT = 1.0
"""Weight of all imagined rows, as a multiple of that of the real ones."""
MIXED_SHARE = 0.3
"""Share of the values that come from the second row."""
FEWEST_IMAGINED, MOST_IMAGINED = 512, 2048
"""Fewest and most imagined rows; between them there are twice as many as real ones."""


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
    outputs: Singles = forward_outputs(network.inputs.codes(codes), offsets, network.tables(), network.weights)
    return outputs
