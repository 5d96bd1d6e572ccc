"""Training of the soft network: Adam on the squared error, rule reset, early stopping.

The loop knows only hook names; progress bars and the like are callbacks. The history has one entry per epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from nln.native.binding import Bound
from nln.network.callbacks import Callback
from nln.network.initial import InitialRules, write_rules
from nln.network.kernels.passes import BAND, all_bands, all_memberships, forward_loss, run_epoch
from nln.network.kernels.records import LAYOUT, ROWS, SCRATCH, STEPS, WEIGHTS
from nln.network.kernels.steps import Steps
from nln.network.layout import (
    Integers,
    Layout,
    NetworkInput,
    Scratch,
    Singles,
    TrainingRows,
    Weights,
    draw_rules,
    initial_weights,
    make_scratch,
)
from nln.network.options import TrainingOptions

_ALIVE = 1e-5
"""A rule whose output weights are all below this is dead."""


@dataclass
class History:
    """What happened in the epochs of one start: losses, validation losses, resets."""

    records: list[dict[str, float]] = field(default_factory=list)
    best_epoch: int = -1

    def __len__(self) -> int:
        return len(self.records)

    def column(self, name: str) -> list[float]:
        """One quantity over the epochs."""
        return [record[name] for record in self.records]


@dataclass(frozen=True)
class Network:
    """A trained soft network: how rows enter it, and the weights with the best validation loss."""

    inputs: NetworkInput
    weights: Weights
    history: History

    @property
    def validation_loss(self) -> float:
        """Mean squared error on the validation rows, of the weights kept."""
        return self.history.records[self.history.best_epoch]["validation_loss"]

    def tables(self) -> Singles:
        """Look-up tables of the rules on the network's own slots, (slots, rules)."""
        scratch = make_scratch(self.inputs.layout, self.weights.rule_bias.shape[0])
        return _tables(LAYOUT.bind(self.inputs.layout), WEIGHTS.bind(self.weights), SCRATCH.bind(scratch))


def train(
    inputs: NetworkInput,
    rows: TrainingRows,
    fit: Integers,
    check: Integers,
    n_rules: int,
    options: TrainingOptions,
    rng: np.random.Generator,
    callbacks: Sequence[Callback] = (),
    start: int = 0,
    initial: InitialRules | None = None,
    *,
    negation: bool = True,
) -> Network:
    """Train one network from a random start, whose first rule modules may begin with given rules.

    It learns from the rows of `fit` and stops by those of `check`, or by the training loss if there are none.
    """
    low = -1.0 if negation else 0.0
    shape = n_rules, rows.targets.shape[1]
    learned = options.learned_intervals
    weights = initial_weights(inputs, *shape, rng, low, options.most_features, learned_intervals=learned)
    if initial is not None:
        write_rules(inputs, weights, initial)
    steps = Steps(
        np.float32(options.learning_rate),
        options.non_empty,
        options.l1,
        np.float32(low),
        options.module_penalties,
        biases=options.biases,
        feature_units=options.feature_units,
    )
    n_rows = min(len(fit), options.rows_per_epoch)
    limits = options.epochs, options.patience_for(n_rows)
    return improve(inputs, rows, fit, check, weights, steps, options, limits, rng, callbacks, start)


def improve(
    inputs: NetworkInput,
    rows: TrainingRows,
    fit: Integers,
    check: Integers,
    weights: Weights,
    steps: Steps,
    options: TrainingOptions,
    limits: tuple[int, int],
    rng: np.random.Generator,
    callbacks: Sequence[Callback] = (),
    start: int = 0,
) -> Network:
    """Train a network further, in place; return it with the weights of the best epoch.

    `steps` says what a step changes; `limits` are the most epochs, and the epochs without a better validation loss
    after which training stops. Dead rules are drawn again only if their weights move at all.
    """
    moves = {"moves_nodes": steps.nodes, "moves_dichotomies": steps.dichotomies}
    scratch = make_scratch(inputs.layout, weights.rule_bias.shape[0], **moves)
    gradient, first, second = weights.zeros(), weights.zeros(), weights.zeros()
    n_rows, step = min(len(fit), options.rows_per_epoch), 0
    batch, (epochs, patience) = options.batch_for(n_rows), limits
    room = LAYOUT.bind(inputs.layout), WEIGHTS.bind(weights), SCRATCH.bind(scratch)
    layout, own, work = room
    slopes, moments = WEIGHTS.bind(gradient), (WEIGHTS.bind(first), WEIGHTS.bind(second))
    data, how = ROWS.bind(rows), STEPS.bind(steps)
    best, best_loss, history = weights.copy(), np.inf, History()
    for epoch in range(epochs):
        order = fit[rng.choice(len(fit), n_rows, replace=False)]
        loss, step = run_epoch(layout, data, order, batch, own, slopes, moments, work, step, how)
        may_reset = options.reset_rules and steps.nodes
        resets = _reset(inputs, weights, (first, second), rng, steps, options.most_features) if may_reset else 0
        tables = _tables(*room)
        is_checked = len(check) > 0
        watched = forward_loss(data, check, inputs.layout.slot_offsets, tables, own) if is_checked else loss
        record = {"loss": float(loss), "validation_loss": float(watched), "resets": float(resets)}
        history.records.append(record)
        if watched < best_loss:
            best, best_loss, history.best_epoch = weights.copy(), watched, epoch
        for callback in callbacks:
            callback.on_epoch_end(start, epoch, record)
        if epoch - history.best_epoch >= patience:
            break
    for callback in callbacks:
        callback.on_start_end(start)
    return Network(inputs, best, history)


def _tables(layout: Bound[Layout], weights: Bound[Weights], scratch: Bound[Scratch]) -> Singles:
    all_bands(layout, weights, scratch, BAND)
    all_memberships(layout, weights, scratch)
    return scratch.value.tables


def network_loss(inputs: NetworkInput, rows: TrainingRows, check: Integers, weights: Weights) -> float:
    """Weighted mean squared error of a network on some of the rows."""
    scratch = make_scratch(inputs.layout, weights.rule_bias.shape[0])
    tables = _tables(LAYOUT.bind(inputs.layout), WEIGHTS.bind(weights), SCRATCH.bind(scratch))
    return float(forward_loss(rows, check, inputs.layout.slot_offsets, tables, weights))


def _reset(
    inputs: NetworkInput,
    weights: Weights,
    moments: tuple[Weights, Weights],
    rng: np.random.Generator,
    steps: Steps,
    most_features: int | None,
) -> int:
    """Draw dead rules again; their output weights start from 0, so that the outputs stay as they are."""
    dead = np.flatnonzero((weights.output_weights.max(axis=0) <= _ALIVE) | (weights.rule_bias <= 0))
    if len(dead):
        draw_rules(inputs.layout, weights, dead, rng, float(steps.low), most_features)
        weights.output_weights[:, dead] = 0.0
        for moment in moments:
            for by_rule in (moment.and_weights, moment.or_weights, moment.output_weights):
                by_rule[:, dead] = 0.0
            moment.rule_bias[dead] = 0.0
    return len(dead)
