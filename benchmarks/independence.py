"""Exact probabilities against those that take the concepts of a layer to be independent, by depth and width.

Networks of ten AND layers, as in the paper's comparison, which says no more of its networks than "10 AND layers of
width 2 to 6". Here weights are uniform in [-1, 1], biases 1 and inputs either crisp, uniform in {0, 1}, or uncertain,
uniform in [0, 1]. Relations and concepts are drawn from each network; the loss of the exact probabilities on these
outcomes is the least that is possible, and what the others lose beyond it is the price of the assumption.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.independence_plot import write_plot
from benchmarks.record import Part, Record
from benchmarks.settings import Settings, say
from nln.network.theory import Layer, draw_layer, independent_joint, layer_joint, marginals

WIDTHS, DEPTH = (2, 3, 4, 5, 6), 10
NETWORKS, INPUTS, DRAWS = 200, 16, 64
"""Networks of each width, inputs of each network, draws of each input."""
DECIMALS = 8
"""Digits that are stored: what is left beyond is rounding of sums."""
CRISP, UNCERTAIN = "crisp inputs", "uncertain inputs"


class Outcomes(NamedTuple):
    """One layer of one network, (nodes, inputs) and (nodes, inputs, draws)."""

    exact: Any
    independent: Any
    drawn: Any


def run(settings: Settings, record: Record) -> None:
    """Run one part a kind of inputs, and plot both."""
    for name in (CRISP, UNCERTAIN):
        record.part(name, partial(measure, name))
    if record.path is not None:
        reason = write_plot(record.content["parts"], record.path.with_suffix(".svg"))
        if reason:
            say(f"no plot: {reason}")


def measure(name: str, settings: Settings) -> Part:
    """Compare on random networks of every width."""
    n_networks = 5 if settings.quick else NETWORKS
    rows = []
    for width in WIDTHS:
        rng = np.random.default_rng([settings.seed, name == CRISP, width])
        sums = np.zeros((DEPTH, len(SCORES)))
        largest = np.zeros(DEPTH)
        for _ in range(n_networks):
            for depth, found in enumerate(random_network(width, name == CRISP, rng)):
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
    return {"table": rows, "values": values, "notes": [_note(n_networks)]}


def random_network(width: int, crisp: bool, rng: np.random.Generator) -> Iterator[Outcomes]:
    """Draw a network and inputs; yield its layers from the first to the last."""
    inputs = rng.random((width, INPUTS))
    if crisp:
        inputs = np.round(inputs)
    concepts, joint = inputs, independent_joint(inputs)
    drawn = (rng.random((width, INPUTS, DRAWS)) < inputs[..., None]).astype(float).reshape(width, -1)
    for _ in range(DEPTH):
        layer = Layer("and", rng.uniform(-1.0, 1.0, (width, width)))
        concepts, joint, drawn = layer.outputs(concepts), layer_joint(layer, joint), draw_layer(layer, drawn, rng)
        yield Outcomes(marginals(joint), concepts, drawn.reshape(width, INPUTS, DRAWS))


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


def _note(n_networks: int) -> str:
    return (
        f"AND layers with weights uniform in [-1, 1] and biases 1; {n_networks} networks of each width, {INPUTS} "
        f"inputs of each, {DRAWS} draws of relations and concepts for each input. Differences are between the two "
        "probabilities of a node, and losses are those of either probability on what was drawn. The excess squared "
        "error is, but for the noise of the draws, the mean squared difference."
    )
