"""The fused passes of training. The loops are in `passes.c`, with their formulas and shapes.

Layouts, weights, rows and scratch arrays are named tuples or, where a pass is called often, bound ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nln.native.binding import CODES, INTEGERS, REAL, SINGLES, WHOLE, kernel
from nln.network.kernels.records import LAYOUT, ROWS, SCRATCH, STEPS, WEIGHTS

BAND = 1e-5
"""Intervals below this at a bin are not visited there."""

all_bands = kernel("all_bands", LAYOUT, WEIGHTS, SCRATCH, REAL)
"""`all_bands(layout, weights, scratch, threshold)`: find the band of intervals that matter at each bin."""

all_memberships = kernel("all_memberships", LAYOUT, WEIGHTS, SCRATCH)
"""`all_memberships(layout, weights, scratch)`: membership of every slot in every rule, then the look-up tables."""

loss_and_gradients = kernel("loss_and_gradients", LAYOUT, ROWS, INTEGERS, WEIGHTS, SCRATCH, WEIGHTS, result=float)
"""`loss_and_gradients(layout, rows, chosen, weights, scratch, gradient)`: the mean squared error; writes gradients."""

forward_loss = kernel("forward_loss", ROWS, INTEGERS, INTEGERS, SINGLES, WEIGHTS, result=float)
"""`forward_loss(rows, chosen, slot_offsets, tables, weights)`: the weighted mean squared error."""

_run_epoch = kernel(
    "run_epoch", LAYOUT, ROWS, INTEGERS, WHOLE, WEIGHTS, WEIGHTS, WEIGHTS, WEIGHTS, SCRATCH, WHOLE, STEPS, result=float
)
_forward_outputs = kernel("forward_outputs", CODES, INTEGERS, SINGLES, WEIGHTS, SINGLES)


def forward_outputs(
    codes: npt.NDArray[np.unsignedinteger],
    slot_offsets: npt.NDArray[np.int64],
    tables: npt.NDArray[np.float32],
    weights: Any,
) -> npt.NDArray[np.float32]:
    """Probability of each output, (rows, outputs)."""
    out = np.empty((len(codes), len(weights.output_bias)), np.float32)
    _forward_outputs(codes, slot_offsets, tables, weights, out)
    return out


def run_epoch(
    layout: Any,
    rows: Any,
    order: npt.NDArray[np.int64],
    batch_size: int,
    weights: Any,
    gradient: Any,
    moments: tuple[Any, Any],
    scratch: Any,
    step: int,
    steps: Any,
) -> tuple[float, int]:
    """All mini-batches of one epoch: gradients, penalties, Adam, clamping. Returns the mean loss and the step count."""
    loss = _run_epoch(layout, rows, order, batch_size, weights, gradient, *moments, scratch, step, steps)
    return loss, step - (-len(order) // batch_size)
