"""Tables and networks as a discretizer leaves them, for the tests of what follows it."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from nln.learning.options import PAPER_TRAINING, LanguageOptions
from nln.learning.paper.method import PaperTask, make_task
from nln.network.kernels.modules import ORDERED
from nln.network.layout import Weights, initial_weights
from nln.rules import Feature, Schema, Target
from nln.tables.encoding import make_encoding, merge_rows
from tests.network.networks import PAPER_FEATURES, RandomNetwork, random_network

FEATURES = (
    Feature("b", "binary", ("no", "yes")),
    Feature("c", "categorical", ("x", "y", "z", "w")),
    Feature("m", "binary", (0, 1)),  # with missing values
    Feature("n", "continuous"),
    Feature("k", "continuous"),  # with missing values
    Feature("o", "ordinal", ("low", "mid", "high", "top")),
)
SCHEMA = Schema(FEATURES, Target("label", "multiclass", ("p", "q", "r")))


def make_table(rng, n=60):
    columns = {
        "b": rng.integers(0, 2, n),
        "c": rng.integers(0, 4, n),
        "m": rng.integers(-1, 2, n),
        "n": rng.normal(size=n).round(2),
        "k": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 9, n) * 100.0),
        "o": rng.integers(0, 4, n),
    }
    return columns, np.eye(3)[rng.integers(0, 3, n)]


def random_task(rng) -> tuple[dict, PaperTask]:
    columns, targets = make_table(rng)
    weights = np.ones(len(targets))
    encoding = make_encoding(FEATURES, columns, weights)
    rows = merge_rows(encoding.codes(columns, len(targets)), targets, weights)
    return columns, make_task(encoding, SCHEMA, rows, PAPER_TRAINING, LanguageOptions(), rng)


def crisp_weights(task: PaperTask, rng, n_rules=4) -> Weights:
    """A discretized and retrained network: ordered modules that are used negatively have one interval."""
    w, layout = initial_weights(task.inputs, n_rules, 3, rng), task.inputs.layout
    w.and_weights[:] = rng.choice([-1, 0, 1], w.and_weights.shape)
    w.output_weights[:] = rng.integers(0, 2, w.output_weights.shape)
    for j, (first, n) in enumerate(zip(layout.weight_offsets, layout.n_regular, strict=False)):
        w.or_weights[first : first + n] = rng.integers(0, 2, (n, n_rules))
        if layout.kinds[j] == ORDERED:
            for i in np.flatnonzero(w.and_weights[j] < 0):
                w.or_weights[first : first + n, i] = 0
                w.or_weights[first + rng.integers(n), i] = 1
    w.rule_bias[:] = rng.random(n_rules)
    w.output_bias[:] = rng.random(3) / 2
    w.boundaries[:] += rng.uniform(-0.4, 0.4, w.boundaries.shape)
    w.sharpness[:] *= rng.uniform(0.3, 3.0, w.sharpness.shape)
    return w


def crisp_network(seed: int, n_features: int, n_rules: int) -> RandomNetwork:
    """A network as a discretizer leaves it: crisp but for biases and missing weights."""
    rng = np.random.default_rng(seed)
    network = random_network(rng, n_features, n_rules, n_rows=20, features=PAPER_FEATURES)
    w, layout = network.weights, network.layout
    w.and_weights[:] = rng.choice([-1, 0, 1, 1], w.and_weights.shape)
    w.output_weights[:] = rng.integers(0, 2, w.output_weights.shape)
    for first, n in zip(layout.weight_offsets, layout.n_regular, strict=False):
        w.or_weights[first : first + n] = rng.integers(0, 2, (n, n_rules))
    return network


crisp_networks = st.builds(crisp_network, st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 4))
