"""A trained network of the paper's settings, and the ways to turn it into rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from nln.learning.descent.boundaries import feature_boundaries
from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import fuzzy_layout, slot_layout
from nln.learning.draft import descent_rows
from nln.learning.learn import Learned
from nln.learning.options import PRESETS
from nln.learning.paper import method as paper
from nln.learning.selection.dial import Dial
from nln.learning.selection.from_network import draft_network
from nln.learning.selection.path import Variant, choose, plain_loss, price_ladders, run_path, width_floors
from nln.learning.selection.to_program import to_program
from nln.network.theory import network_outputs
from nln.rules import LogicProgram, Schema, probabilities, read_columns
from nln.tables.encoding import EncodedRows, Floats, make_encoding, merge_rows
from nln.tables.frames import read_table
from nln.tables.infer import infer_features
from nln.tables.target import read_target

NONE, COORDINATE = "none", "coordinate"
PAPER_METHODS = ("threshold", "descending", "ascending", "additive", "subtractive")
N_RULES = 128
QUICK = {"epochs": 30, "retrain_epochs": 5, "intervals": 16}

Predict = Callable[[Any], Floats]
"""From a table to the probability of each output, (rows, outputs)."""


@dataclass(frozen=True)
class Trained:
    """A network and the table it was trained on.

    Parameters
    ----------
    task : PaperTask
        The table, encoded, with the rows that trained and those that stopped training.
    network : Network
        The network.
    rows : EncodedRows
        All rows of the table.
    classes : ndarray
        The classes in sorted order.
    """

    task: Any
    network: Any
    rows: EncodedRows
    classes: Any

    def columns(self, X: Any) -> tuple[Any, int]:
        """Columns of a table as programs and encodings take them, and the number of rows."""
        table = read_table(X)
        return read_columns(table, self.task.schema), table.n_rows


@dataclass(frozen=True)
class ProgramPrediction:
    """What a program says about tables."""

    trained: Trained
    program: LogicProgram

    @property
    def n_rules(self) -> int:
        """Number of rules."""
        return self.program.n_rules

    def __call__(self, X: Any) -> Floats:
        """Probability of each output, (rows, outputs)."""
        columns, n_rows = self.trained.columns(X)
        return probabilities(self.program, columns, rows=n_rows)


def train_network(
    X: Any, y: Any, seed: int, types: dict[str, str] | None, *, reset: bool, quick: bool, epochs: int | None = None
) -> Trained:
    """Train one network with the paper's settings, with or without rule reset."""
    table = read_table(X)
    target, outputs, classes = read_target(y, table.n_rows)
    features, columns = infer_features(table, types)
    weights = np.ones(table.n_rows)
    encoding = make_encoding(features, columns, weights)
    rows = merge_rows(encoding.codes(columns, table.n_rows), outputs, weights)
    preset = PRESETS["paper"]
    options: dict[str, Any] = {**(QUICK if quick else {}), **({"epochs": epochs} if epochs else {})}
    training = replace(preset.training, reset_rules=reset, **options)
    rng, child = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    task = paper.make_task(encoding, Schema(features, target), rows, training, preset.language, rng)
    return Trained(task, paper.train_task(task, N_RULES, child), rows, classes)


def soft(trained: Trained, seed: int) -> Predict:
    """Take the network as it is."""
    return partial(_network_outputs, trained)


def _network_outputs(trained: Trained, X: Any) -> Floats:
    task, (columns, n_rows) = trained.task, trained.columns(X)
    codes = task.encoding.codes(columns, n_rows)
    none = np.zeros((n_rows, trained.rows.targets.shape[1]), np.float32)
    given = task.inputs.rows(EncodedRows(codes, none, np.ones(n_rows), np.ones(n_rows, np.int64)))
    found: Floats = network_outputs(task.inputs.layout, trained.network.weights, given.codes).T
    return found


def discretized(method: str, trained: Trained, seed: int) -> Predict:
    """Discretize, retrain, prune and adjust by the paper's steps."""
    program = paper.discretized_program(
        trained.task, trained.network.weights.copy(), method, np.random.default_rng(seed)
    )
    return ProgramPrediction(trained, program)


def coordinate(trained: Trained, seed: int) -> Predict:
    """Descend from this network alone; the rows that stopped its training choose the price."""
    task, rng = trained.task, np.random.default_rng(seed)
    layout, boundaries = slot_layout(task.encoding, task.language), feature_boundaries(task.encoding, task.language)
    seen, left_out = (descent_rows(trained.rows.take(part)) for part in (task.fit, task.check))
    prices = price_ladders([trained.network.validation_loss], trained.rows.n_rows, bool(boundaries))[0]
    draft = draft_network(trained.network, task.encoding, seen)
    variants = [Variant(floor) for floor in width_floors(boundaries)]
    layouts = [fuzzy_layout(layout, boundaries, v.floor) if v.floor else layout for v in variants]
    paths = [run_path(Descent(one, seen, draft), boundaries, left_out, prices, rng) for one in layouts]
    losses = np.array([[path.losses for path in paths]]).swapaxes(1, 2)
    chosen, v = choose(losses, variants, plain_loss(trained.rows), searched=not boundaries)
    every, price = descent_rows(trained.rows), prices[[chosen]]
    dial = Dial(layouts[v], boundaries, variants[v].floor, None, {}, rng)
    stages = dial.run(every, every, [paths[v].drafts[max(chosen - 1, 0)]], price, [])
    shared = boundaries, task.language.negation, (trained.network,), np.ones(every.targets.shape[0], np.int64)
    learned = Learned(tuple(stages), 0, price, price, *shared, encoding=task.encoding)
    return ProgramPrediction(trained, to_program(stages[0], learned, task.schema))


METHODS: dict[str, Callable[[Trained, int], Predict]] = {
    NONE: soft,
    **{method: partial(discretized, method) for method in PAPER_METHODS},
    COORDINATE: coordinate,
}
"""From a trained network and a seed to predictions."""
