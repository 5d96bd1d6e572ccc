"""Steps of training: Adam, the penalties, and which weights may move. The loops are in `steps.c`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nln.native.binding import INTEGERS, REAL, SINGLES, WHOLE, kernel
from nln.network.kernels.records import LAYOUT, STEPS, WEIGHTS


class Steps(NamedTuple):
    """How one step changes the weights.

    Penalties are averaged over a layer. All modules' OR nodes are one layer, unless `by_module`: then each feature's
    module is a layer of its own, the AND weights of binary features and of modules are two, and the non-empty penalty
    is averaged over the nodes that fall short alone, as in the authors' code.
    """

    rate: np.float32
    non_empty: float
    l1: float
    low: np.float32  # lowest AND weight: -1, or 0 without negation
    by_module: bool = False
    nodes: bool = True  # whether AND, OR and output weights move
    missing: bool = True  # whether the missing weights move
    biases: bool = True
    dichotomies: bool = True  # whether boundaries and sharpnesses move
    feature_units: bool = False  # whether they move in units of their feature, not in widths of an interval


adam = kernel("adam", SINGLES, SINGLES, SINGLES, SINGLES, REAL, WHOLE, REAL, REAL, REAL)
"""`adam(weights, gradient, first, second, rate, step, low, high, epsilon)`: one step, then weights are clamped."""

or_penalties = kernel("or_penalties", SINGLES, INTEGERS, INTEGERS, REAL, REAL, WHOLE, SINGLES)
"""`or_penalties(or_weights, weight_offsets, n_regular, non_empty, l1, by_module, gradient)`: add their gradients."""

and_penalties = kernel("and_penalties", SINGLES, INTEGERS, REAL, REAL, WHOLE, SINGLES)
"""`and_penalties(and_weights, kinds, non_empty, l1, by_module, gradient)`: add their gradients."""

output_penalties = kernel("output_penalties", SINGLES, REAL, REAL, WHOLE, SINGLES)
"""`output_penalties(output_weights, non_empty, l1, by_module, gradient)`: add their gradients."""

interval_penalties = kernel("interval_penalties", SINGLES, LAYOUT, REAL, REAL, WHOLE, SINGLES)
"""`interval_penalties(weights, layout, non_empty, l1, by_module, gradient)`: add their gradients."""

adam_all = kernel("adam_all", LAYOUT, WEIGHTS, WEIGHTS, WEIGHTS, WEIGHTS, WHOLE, STEPS)
"""`adam_all(layout, weights, gradient, first, second, step, steps)`: one step on all weights that may move."""
