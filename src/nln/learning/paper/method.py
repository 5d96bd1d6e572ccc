"""The paper's learning method: one network, discretized, retrained, pruned and adjusted on all training rows.

1. The network is trained on regular intervals over the ranges of the continuous features; a share of the rows stops it.
2. Its weights, to three decimals, become -1, 0 or 1 by one of `DISCRETIZERS`, on all rows.
3. Boundaries and sharpnesses, then biases and missing weights, are retrained by gradient.
4. Pruning passes to a fixed point; coverage analysis with bias adjustment; removal of included rules; canonical form.

Values of a continuous feature with more than 254 distinct ones stand at the centres of quantile bins while learning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import numpy as np
import numpy.typing as npt

from nln.learning.options import LanguageOptions
from nln.learning.paper.coverage_analysis import as_it_is, cover
from nln.learning.paper.discretize import discretize
from nln.learning.paper.network_state import NetworkState
from nln.learning.paper.pruning import prune
from nln.learning.paper.retrain import retrain
from nln.learning.paper.rule_form import fold_certain, network_program, round_numbers, to_rule_form
from nln.learning.selection.folds import stratified_folds
from nln.learning.selection.threads import announce, run_threads
from nln.network.callbacks import Callback, StopOnEvent
from nln.network.layout import Integers, NetworkInput, TrainingRows, Weights, make_input
from nln.network.theory import network_outputs
from nln.network.training import Network, TrainingOptions, train
from nln.rules import LogicProgram, Schema
from nln.tables.encoding import Columns, EncodedRows, Encoding, Floats

_DECIMALS = 3
"""Decimals of the weights that are discretized: a step of training is about as large, so the rest is noise."""


@dataclass(frozen=True)
class PaperLearned:
    """The outcome of the paper's method.

    Parameters
    ----------
    program : LogicProgram
        The rules.
    networks : tuple of Network
        The soft networks; the one with the smallest validation loss became the program.
    """

    program: LogicProgram
    networks: tuple[Network, ...]


@dataclass(frozen=True)
class PaperTask:
    """A table made ready for the paper's method.

    Parameters
    ----------
    encoding, schema : Encoding, Schema
        The features' slots, and their names.
    given, rows : NetworkInput, TrainingRows
        How rows enter the network, and the rows.
    fit, check : ndarray of int
        Rows that train and rows that stop training, none without a validation split.
    training, language : TrainingOptions, LanguageOptions
        Settings.
    """

    encoding: Encoding
    schema: Schema
    given: NetworkInput
    rows: TrainingRows
    fit: Integers
    check: Integers
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
    given = make_input(encoding, rows, training.intervals_for(rows.n_rows), over_range=True)
    every = np.arange(rows.n_rows)
    if training.validation == 0:
        fit, check = every, every[:0]
    else:
        held_out = stratified_share(rows.targets, training.validation, rng)
        fit, check = every[~held_out], every[held_out]
    return PaperTask(encoding, schema, given, given.rows(rows), fit, check, training, language)


def stratified_share(
    targets: npt.NDArray[np.floating], share: float, rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """Choose a share of the rows at random, of every combination of targets alike.

    Examples
    --------
    >>> import numpy as np
    >>> targets = np.array([[0.0]] * 10 + [[1.0]] * 20)
    >>> chosen = stratified_share(targets, 0.2, np.random.default_rng(0))
    >>> int(chosen[:10].sum()), int(chosen[10:].sum())
    (2, 4)
    """
    rank = stratified_folds(targets, len(targets), rng)  # as many folds as rows: the place in the order of the targets
    return np.asarray(np.floor((rank + 1) * share) > np.floor(rank * share))


def learn_paper(
    encoding: Encoding,
    schema: Schema,
    rows: EncodedRows,
    *,
    n_rules: int,
    starts: int,
    discretization: str,
    training: TrainingOptions,
    language: LanguageOptions,
    seed: np.random.SeedSequence,
    n_jobs: int,
    callbacks: Sequence[Callback] = (),
) -> PaperLearned:
    """Learn rules from encoded rows.

    Parameters
    ----------
    encoding, schema, rows : Encoding, Schema, EncodedRows
        The data.
    n_rules : int
        Rule modules of a network.
    starts : int
        Networks to train; that with the smallest validation loss is discretized.
    discretization : str
        A key of `DISCRETIZERS`.
    training, language : TrainingOptions, LanguageOptions
        Settings; of the language, negation matters to the network as well.
    seed : SeedSequence
        Every start draws from its own child, so that the result does not depend on the number of threads.
    n_jobs : int
        Threads.
    callbacks : sequence of Callback
        Told of every epoch and stage.
    """
    _check_language(language, discretization)
    _check_kinds(schema, discretization)
    rng, children = np.random.default_rng(seed), [np.random.default_rng(child) for child in seed.spawn(starts)]
    task, stop = make_task(encoding, schema, rows, training, language, rng), Event()
    heard = (*callbacks, StopOnEvent(stop))

    def start_network(s: int) -> Network:
        return train_task(task, n_rules, children[s], heard, s)

    networks = run_threads(start_network, list(range(starts)), n_jobs, stop)
    best = min(networks, key=lambda network: network.validation_loss)
    program = discretized_program(task, best.weights, discretization, rng, callbacks=callbacks)
    return PaperLearned(program, tuple(networks))


def train_task(
    task: PaperTask, n_rules: int, rng: np.random.Generator, callbacks: Sequence[Callback] = (), start: int = 0
) -> Network:
    """Train a network for a task."""
    data = task.given, task.rows, task.fit, task.check
    return train(*data, n_rules, task.training, rng, callbacks, start, negation=task.language.negation)


def discretized_program(
    task: PaperTask,
    weights: Weights,
    discretization: str = "descending",
    rng: np.random.Generator | None = None,
    *,
    attempts: int | None = None,
    callbacks: Sequence[Callback] = (),
) -> LogicProgram:
    """Turn a trained network into a program: all that follows training.

    Parameters
    ----------
    task : PaperTask
        The table.
    weights : Weights
        A trained network.
    discretization : str
        A key of `DISCRETIZERS`.
    rng : Generator or None
        For retraining and for "stochastic"; None begins from seed 0.
    attempts : int or None
        Weight vectors tried a node by "stochastic" and "quantile"; None takes twice its inputs.
    callbacks : sequence of Callback
        Told of every stage.
    """
    rng = rng or np.random.default_rng(0)
    announce(callbacks, "discretizing")
    rounded = [np.round(w, _DECIMALS) for w in (weights.and_weights, weights.or_weights, weights.output_weights)]
    names = ("and_weights", "or_weights", "output_weights")
    weights = weights._replace(**dict(zip(names, rounded, strict=True)))
    crisp = discretize(NetworkState(task.given.layout, weights, task.rows), discretization, rng, attempts)
    announce(callbacks, "retraining")
    retrained = retrain(task.given, task.rows, task.fit, task.check, crisp.weights, task.training, rng)
    announce(callbacks, "pruning")
    state = prune(to_rule_form(NetworkState(task.given.layout, retrained, task.rows)))
    state = fold_certain(state)
    covered = cover(state, adjust=task.training.biases)
    names_of = task.given, task.encoding, task.schema
    program = network_program(state, covered, *names_of, negation=task.language.negation)
    return round_numbers(program).simplify()


def soft_probabilities(task: PaperTask, weights: Weights, columns: Columns, n_rows: int) -> Floats:
    """Probability of each output by a network that is not discretized, (rows, outputs).

    Parameters
    ----------
    task : PaperTask
        The table that the network was trained on.
    weights : Weights
        A trained network.
    columns : mapping of str to array
        Columns of any rows, as `nln.tables.read_columns` gives them.
    n_rows : int
        Number of these rows.
    """
    exact: Any = [w.astype(np.float64) for w in weights]
    return np.asarray(network_outputs(task.given.layout, Weights(*exact), task.encoding.codes(columns, n_rows)).T)


def _check_kinds(schema: Schema, discretization: str) -> None:
    for feature in schema.features:
        if feature.kind in ("periodic", "probability"):
            raise ValueError(
                f"Column {feature.name!r} is of kind {feature.kind!r}, which discretization={discretization!r} cannot "
                "take. Use discretization='coordinate' or give the column another kind in feature_types."
            )


def _check_language(language: LanguageOptions, discretization: str) -> None:
    if replace(language, negation=True) != LanguageOptions():
        raise ValueError(
            f"With discretization={discretization!r} the language can only be without negation: {language!r} asks for "
            "more. Take discretization='coordinate', which keeps to all limits."
        )


def retrained_program(task: PaperTask, weights: Weights) -> LogicProgram:
    """Write a discretized network as a program as it is: neither pruned nor adjusted nor rounded."""
    state = to_rule_form(NetworkState(task.given.layout, weights, task.rows))
    names_of = task.given, task.encoding, task.schema
    return network_program(state, as_it_is(state), *names_of, negation=task.language.negation)
