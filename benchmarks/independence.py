"""Exact probabilities against those that take the concepts of a layer to be independent, by depth and width.

Networks of ten AND layers of one width. Relations and concepts are drawn from each network; the loss of the exact
probabilities on these outcomes is the least that is possible, and what the others lose beyond it is the price of the
assumption. The first part draws networks as the paper does, the others as training begins: with uncertain weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.independence_plot import write_plot
from benchmarks.record import Part, Record
from benchmarks.settings import Settings, say
from nln.network.theory import Layer, draw_layer, independent_joint, layer_joint, marginals

WIDTHS, DEPTH = (2, 3, 4, 5, 6), 10
DECIMALS = 8
"""Digits that are stored: what is left beyond is rounding of sums."""


class Outcomes(NamedTuple):
    """One layer of one network, (nodes, inputs) and (nodes, inputs, draws)."""

    exact: Any
    independent: Any
    drawn: Any


class Design(NamedTuple):
    """How networks and inputs are drawn."""

    networks: int  # of each width
    inputs: int  # of each network
    draws: int  # of relations and concepts for each input
    layer: Callable[[int, np.random.Generator], Layer]
    crisp: bool
    note: str


def paper_layer(width: int, rng: np.random.Generator) -> Layer:
    """Draw a layer of the paper: crisp relations, unobserved concepts, no empty and no unused node."""
    weights = rng.choice([0.0, 0.0, 1.0, -1.0], (width, width))
    for i in np.flatnonzero(~weights.any(axis=1)):  # an empty definition
        weights[i, rng.integers(width)] = rng.choice([1.0, -1.0])
    for j in np.flatnonzero(~weights.any(axis=0)):  # a concept that the next layer does not use
        weights[rng.integers(width), j] = rng.choice([1.0, -1.0])
    return Layer("and", weights, rng.random(width))


def uniform_layer(width: int, rng: np.random.Generator) -> Layer:
    """Draw a layer as training begins: uncertain relations, nothing unobserved."""
    return Layer("and", rng.uniform(-1.0, 1.0, (width, width)))


_UNIFORM = "Weights are uniform in [-1, 1] and biases are 1; inputs are uniform in"
DESIGNS = {
    "the paper's networks": Design(
        30, 1, 1000, paper_layer, False,
        "Weights are 0 with probability 1/2 and 1 or -1 with probability 1/4 each; a node without inputs and one that "
        "is not used get a weight of 1 or -1. Biases and the probabilities of the inputs are uniform in [0, 1].",
    ),
    "crisp inputs": Design(200, 16, 64, uniform_layer, True, f"{_UNIFORM} {{0, 1}}."),
    "uncertain inputs": Design(200, 16, 64, uniform_layer, False, f"{_UNIFORM} [0, 1]."),
}  # fmt: skip


def run(settings: Settings, record: Record) -> None:
    """Run one part for each design, and plot all."""
    for name in DESIGNS:
        record.part(name, partial(measure, name))
    if record.path is not None:
        reason = write_plot(record.content["parts"], record.path.with_suffix(".svg"))
        if reason:
            say(f"no plot: {reason}")


def measure(name: str, settings: Settings) -> Part:
    """Compare on random networks of every width."""
    design = DESIGNS[name]
    n_networks = 5 if settings.quick else design.networks
    rows = []
    for width in WIDTHS:
        rng = np.random.default_rng([settings.seed, list(DESIGNS).index(name), width])
        sums = np.zeros((DEPTH, len(SCORES)))
        largest = np.zeros(DEPTH)
        for _ in range(n_networks):
            for depth, found in enumerate(random_network(width, design, rng)):
                sums[depth] += [score(found).mean() for score in SCORES.values()]
                largest[depth] = max(largest[depth], np.abs(found.exact - found.independent).max())
        for depth in range(DEPTH):
            mean = (sums[depth] / n_networks).round(DECIMALS) + 0.0  # no negative zeros
            means = dict(zip(SCORES, mean.tolist(), strict=True))
            rows.append(
                {"width": width, "depth": depth + 1, **means, "largest difference": round(largest[depth], DECIMALS)}
            )
        say(f"{name}: width {width} done")
    last = [row for row in rows if row["depth"] == DEPTH]
    values = {f"width {row['width']}: {key}": row[key] for row in last for key in SCORES}
    return {"table": rows, "values": values, "notes": [_note(design, n_networks)]}


def random_network(width: int, design: Design, rng: np.random.Generator) -> Iterator[Outcomes]:
    """Draw a network and inputs; yield its layers from the first to the last."""
    inputs = rng.random((width, design.inputs))
    if design.crisp:
        inputs = np.round(inputs)
    concepts, joint = inputs, independent_joint(inputs)
    shape = (width, design.inputs, design.draws)
    drawn = (rng.random(shape) < inputs[..., None]).astype(float).reshape(width, -1)
    for _ in range(DEPTH):
        layer = design.layer(width, rng)
        concepts, joint, drawn = layer.outputs(concepts), layer_joint(layer, joint), draw_layer(layer, drawn, rng)
        yield Outcomes(marginals(joint), concepts, drawn.reshape(shape))


def _squared(probability: Any, drawn: Any) -> Any:
    return (probability[..., None] - drawn) ** 2


def _logarithmic(probability: Any, drawn: Any) -> Any:
    p = np.clip(probability, 1e-12, 1 - 1e-12)[..., None]
    return -np.log(np.where(drawn > 0.5, p, 1 - p))


SCORES = {
    "mean difference": lambda found: np.abs(found.exact - found.independent),
    "mean squared difference": lambda found: (found.exact - found.independent) ** 2,
    "squared error, exact": lambda found: _squared(found.exact, found.drawn),
    "squared error, independent": lambda found: _squared(found.independent, found.drawn),
    "excess squared error": lambda found: _squared(found.independent, found.drawn) - _squared(found.exact, found.drawn),
    "log-loss, exact": lambda found: _logarithmic(found.exact, found.drawn),
    "log-loss, independent": lambda found: _logarithmic(found.independent, found.drawn),
    "excess log-loss": lambda found: (
        _logarithmic(found.independent, found.drawn) - _logarithmic(found.exact, found.drawn)
    ),
}
"""What is averaged over the nodes of a layer, its inputs and, for losses, the draws."""


def _note(design: Design, n_networks: int) -> str:
    return (
        f"{design.note} {n_networks} networks of each width, {design.inputs} inputs of each, {design.draws} draws of "
        "relations and concepts for each input. Differences are between the two probabilities of a node, and losses "
        "are those of either probability on what was drawn. The excess squared error is, but for the noise of the "
        "draws, the mean squared difference."
    )
