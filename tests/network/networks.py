"""Random networks with every kind of feature, and exact zeros and ones among all weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nln.network.kernels.modules import BINARY, CIRCULAR, ORDERED, PROBABILITY, VALUES
from nln.network.kernels.passes import all_bands
from nln.network.layout import Layout, NetworkInput, Scratch, TrainingRows, Weights, make_scratch, neighbour_weights

Kind = tuple[int, int, bool]
"""Kind, values or intervals, missing."""

PAPER_FEATURES: tuple[Kind, ...] = (
    (BINARY, 0, False),
    (VALUES, 3, False),
    (VALUES, 4, True),
    (ORDERED, 5, False),
    (ORDERED, 3, True),
    (ORDERED, 1, True),
    (BINARY, 0, False),
    (VALUES, 1, True),
)
"""What the paper's discretizers take."""

FEATURES: tuple[Kind, ...] = (
    *PAPER_FEATURES,
    (CIRCULAR, 4, False),
    (CIRCULAR, 2, True),
    (PROBABILITY, 0, False),
    (PROBABILITY, 0, True),
)
PROBABILITIES = 5
"""Bins of a probability."""


@dataclass(frozen=True)
class RandomNetwork:
    layout: Layout
    weights: Weights
    rows: TrainingRows
    work: Scratch

    @property
    def inputs(self) -> NetworkInput:
        features, boundaries = np.arange(len(self.layout.kinds)), self.weights.boundaries
        return NetworkInput(self.layout, (), boundaries, self.weights.sharpness, features, self.layout.slot_offsets)

    @property
    def all_rows(self) -> np.ndarray:
        return np.arange(len(self.rows.weights))

    def exact(self) -> Weights:
        """The same weights in double precision."""
        return Weights(*(w.astype(np.float64) for w in self.weights))


def random_layout(rng: np.random.Generator, n_features: int, features: Sequence[Kind] = FEATURES) -> Layout:
    chosen = [features[i] for i in rng.integers(0, len(features), n_features)]
    kinds, n_regular, has_missing = (np.array(column, np.int64) for column in zip(*chosen, strict=True))
    n_bins = np.select([kinds <= VALUES, kinds == PROBABILITY], [0, PROBABILITIES], n_regular * 2)
    n_slots = np.select([kinds == BINARY, kinds == VALUES], [2, n_regular], n_bins) + has_missing
    positions = []
    for kind, bins, slots in zip(kinds, n_bins, n_slots, strict=True):
        places = np.sort(rng.uniform(0, 1 if kind == PROBABILITY else bins / 2, bins)) if bins else []
        positions.append(np.append(places, np.zeros(slots - bins)))
    return Layout(
        kinds,
        offsets(n_slots),
        offsets(n_regular + has_missing),
        n_regular,
        n_bins,
        offsets(np.select([kinds == ORDERED, kinds == CIRCULAR], [n_regular - 1, n_regular], 0)),
        np.concatenate(positions).astype(np.float32),
    )


def random_weights(
    rng: np.random.Generator, layout: Layout, n_rules: int, n_outputs: int, *, learned: bool = False
) -> Weights:
    dichotomies = int(layout.dichotomy_offsets[-1])
    boundaries = [np.arange(1.0, n + 1) for n in np.diff(layout.dichotomy_offsets)]
    interval_weights = neighbour_weights(layout)
    if learned:
        for j in np.flatnonzero(layout.kinds == ORDERED):
            first, n = layout.weight_offsets[j], layout.n_regular[j]
            part = np.s_[: n - 1, first : first + n]
            drawn = rng.uniform(-1, 1, interval_weights[part].shape)
            interval_weights[part] = with_exact(rng, drawn, (-1.0, 0.0, 0.0, 1.0))
    return Weights(
        and_weights=with_exact(rng, rng.uniform(-1, 1, (len(layout.kinds), n_rules)), (-1.0, 0.0, 1.0)),
        or_weights=with_exact(rng, rng.random((int(layout.weight_offsets[-1]), n_rules)), (0.0, 1.0)),
        rule_bias=with_exact(rng, rng.random(n_rules), (0.0, 1.0, 1.0)),
        output_weights=with_exact(rng, rng.random((n_outputs, n_rules)), (0.0, 1.0)),
        output_bias=with_exact(rng, rng.random(n_outputs), (0.0, 1.0)),
        boundaries=(np.concatenate(boundaries) + rng.uniform(-0.4, 0.4, dichotomies)).astype(np.float32),
        sharpness=rng.uniform(0.5, 12.0, dichotomies).astype(np.float32),
        interval_weights=interval_weights if learned else interval_weights[:0, :0].copy(),
    )


def random_network(
    rng: np.random.Generator,
    n_features: int = 5,
    n_rules: int = 4,
    n_rows: int = 30,
    features: Sequence[Kind] = FEATURES,
    *,
    learned: bool = False,
) -> RandomNetwork:
    layout = random_layout(rng, n_features, features)
    n_outputs = int(rng.integers(1, 4))
    weights = random_weights(rng, layout, n_rules, n_outputs, learned=learned)
    codes = rng.integers(0, np.diff(layout.slot_offsets), (n_rows, n_features)).astype(np.uint8)
    targets = rng.integers(0, 2, (n_rows, n_outputs)).astype(np.float32)
    row_weights = rng.uniform(0.1, 3.0, n_rows)
    rows = TrainingRows(codes, targets, (row_weights / row_weights.mean()).astype(np.float32))
    work = make_scratch(layout, n_rules)
    all_bands(layout, weights, work, np.float32(-1))
    return RandomNetwork(layout, weights, rows, work)


def with_exact(rng: np.random.Generator, values: np.ndarray, exact: tuple[float, ...]) -> np.ndarray:
    """Put exact numbers in the place of four in ten."""
    drawn = rng.choice(exact, values.shape)
    return np.where(rng.random(values.shape) < 0.4, drawn, values).astype(np.float32)


def offsets(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
