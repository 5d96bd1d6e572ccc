"""Retraining of the continuous parameters of a discretized network by gradient; its discrete weights are frozen.

As the paper's authors do it: first boundaries and sharpnesses, then biases and missing weights, each until the loss on
the validation rows has not improved for some epochs. Penalties do not apply.
"""

from __future__ import annotations

import numpy as np

from nln.network.kernels.modules import ORDERED
from nln.network.kernels.steps import Steps
from nln.network.layout import Integers, NetworkInput, TrainingRows, Weights
from nln.network.options import TrainingOptions
from nln.network.training import improve, network_loss


def retrain(
    inputs: NetworkInput,
    rows: TrainingRows,
    fit: Integers,
    check: Integers,
    weights: Weights,
    options: TrainingOptions,
    rng: np.random.Generator,
) -> Weights:
    """Retrain what is continuous; return the weights with the smallest loss on the rows of `check`, else of `fit`."""
    best = Weights(*(w.astype(np.float32) for w in weights))
    check = check if len(check) else fit
    frozen = Steps(np.float32(options.learning_rate), 0.0, 0.0, np.float32(-1), nodes=False)
    phases = [
        frozen._replace(missing=False, biases=False),
        frozen._replace(dichotomies=False, biases=options.biases),
    ]
    if not (inputs.layout.kinds == ORDERED).any():
        phases = phases[1:]
    limits = options.retrain_epochs, options.retrain_patience
    for steps in phases if len(best.rule_bias) else []:
        before = network_loss(inputs, rows, check, best)
        if before == 0.0:
            break
        found = improve(inputs, rows, fit, check, best.copy(), steps, options, limits, rng)
        if found.validation_loss < before:
            best = found.weights
    return best
