"""The paper's learning method: one network, discretized, retrained, pruned and adjusted on all training rows.

1. The network is trained on regular intervals over the ranges of the continuous features; a share of the rows stops it.
2. Its weights, to three decimals, become -1, 0 or 1 by one of `DISCRETIZERS`, on all rows. An interval whose AND
   weights were trained keeps the tightest boundary of each side.
3. Boundaries and sharpnesses, then biases and missing weights, are retrained by gradient.
4. Pruning passes to a fixed point; coverage analysis with bias adjustment; removal of included rules; canonical form.

Values of a continuous feature with more than 254 distinct ones stand at the centres of quantile bins while learning.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event

import numpy as np

from nln.learning.options import LanguageOptions, LearningSettings
from nln.learning.paper.coverage_analysis import cover
from nln.learning.paper.discretize import discretize
from nln.learning.paper.interval_ends import tightened
from nln.learning.paper.network_state import NetworkState
from nln.learning.paper.pruning import prune
from nln.learning.paper.rule_form import network_program, round_numbers, to_rule_form
from nln.learning.selection.runner import run_threads
from nln.learning.task import folds_for, left_out_share
from nln.network.callbacks import Callback, StopOnEvent, announce
from nln.network.kernels.modules import ORDERED
from nln.network.kernels.steps import Steps
from nln.network.layout import Integers, NetworkInput, TrainingRows, Weights, make_input
from nln.network.options import TrainingOptions
from nln.network.training import Network, improve, network_loss, train
from nln.rules import LogicProgram, Schema
from nln.tables.encoding import EncodedRows, Encoding

_DECIMALS = 3
"""Decimals of the weights that are discretized: a step of training is about as large, so the rest is noise."""
_DISCRETIZED = ("and_weights", "or_weights", "output_weights", "interval_weights")


@dataclass(frozen=True)
class PaperLearned:
    """The outcome of the paper's method."""

    program: LogicProgram
    networks: tuple[Network, ...]  # the one with the smallest validation loss became the program


@dataclass(frozen=True)
class PaperTask:
    """A table made ready for the paper's method."""

    encoding: Encoding
    schema: Schema
    inputs: NetworkInput
    rows: TrainingRows
    fit: Integers  # rows that train
    check: Integers  # rows that stop training; none without a validation share
    training: TrainingOptions
    language: LanguageOptions


def make_task(
    encoding: Encoding,
    schema: Schema,
    rows: EncodedRows,
    training: TrainingOptions,
    language: LanguageOptions,
    rng: np.random.Generator,
) -> PaperTask:
    """Lay out the network's arrays and split the rows."""
    inputs = make_input(encoding, rows, training.intervals_for(rows.n_rows), over_range=True)
    pieces = rows.split(1)
    every = np.arange(pieces.rows.n_rows)
    if training.validation == 0:
        fit, check = every, every[:0]
    else:
        folds_for(1, rows)  # at least two groups
        left_out = left_out_share(pieces, training.validation, rng)
        fit, check = every[~left_out], every[left_out]
    return PaperTask(encoding, schema, inputs, inputs.rows(pieces.rows), fit, check, training, language)


def learn_paper(encoding: Encoding, schema: Schema, rows: EncodedRows, settings: LearningSettings) -> PaperLearned:
    """Learn rules from encoded rows: the network with the smallest validation loss of all starts is discretized."""
    starts, stop = settings.starts_for(*rows.targets.shape), Event()
    rng = np.random.default_rng(settings.seed)
    children = [np.random.default_rng(child) for child in settings.seed.spawn(starts)]
    task = make_task(encoding, schema, rows, settings.training, settings.language, rng)
    callbacks = (*settings.callbacks, StopOnEvent(stop))
    networks = run_threads(
        lambda s: train_task(task, settings.n_rules, children[s], callbacks, s), range(starts), settings.n_jobs, stop
    )
    best = min(networks, key=lambda network: network.validation_loss)
    program = discretized_program(task, best.weights, settings.discretization, rng, settings.callbacks)
    return PaperLearned(program, tuple(networks))


def train_task(
    task: PaperTask, n_rules: int, rng: np.random.Generator, callbacks: tuple[Callback, ...] = (), start: int = 0
) -> Network:
    """Train a network for a task."""
    data = task.inputs, task.rows, task.fit, task.check
    return train(*data, n_rules, task.training, rng, callbacks, start, negation=task.language.negation)


def discretized_program(
    task: PaperTask,
    weights: Weights,
    discretization: str,
    rng: np.random.Generator,
    callbacks: tuple[Callback, ...] = (),
) -> LogicProgram:
    """Turn a trained network into a program: all that follows training."""
    announce(callbacks, "discretizing")
    rounded = {name: np.round(getattr(weights, name), _DECIMALS) for name in _DISCRETIZED}
    crisp = discretize(NetworkState(task.inputs.layout, weights._replace(**rounded), task.rows), discretization, rng)
    announce(callbacks, "retraining")
    retrained = retrain(task, tightened(task.inputs.layout, crisp.weights), rng)
    announce(callbacks, "pruning")
    state = prune(to_rule_form(NetworkState(task.inputs.layout, retrained, task.rows)))
    covered = cover(state, adjust=task.training.biases)
    program = network_program(state, covered, task.inputs, task.encoding, task.schema, negation=task.language.negation)
    return round_numbers(program).simplify()


def retrain(task: PaperTask, weights: Weights, rng: np.random.Generator) -> Weights:
    """Retrain what is continuous by gradient; return the weights with the smallest loss on the rows that stop training.

    As the paper's authors do it: first boundaries and sharpnesses, then biases and missing weights, each until the loss
    has not improved for some epochs. The discrete weights are frozen, and penalties do not apply.
    """
    inputs, rows, options = task.inputs, task.rows, task.training
    best = Weights(*(w.astype(np.float32) for w in weights))
    check = task.check if len(task.check) else task.fit
    still = {"nodes": False, "feature_units": options.feature_units}
    frozen = Steps(np.float32(options.learning_rate), 0.0, 0.0, np.float32(-1), **still)
    phases = [frozen._replace(dichotomies=False, biases=options.biases)]
    if (inputs.layout.kinds == ORDERED).any():
        phases.insert(0, frozen._replace(missing=False, biases=False))
    limits = options.retrain_epochs, options.retrain_patience
    for steps in phases if len(best.rule_bias) else []:
        before = network_loss(inputs, rows, check, best)
        if before == 0.0:
            break
        found = improve(inputs, rows, task.fit, check, best.copy(), steps, options, limits, rng)
        if found.validation_loss < before:
            best = found.weights
    return best
