from dataclasses import replace

import numpy as np
import pytest

from nln.learning.paper.method import retrain
from nln.network.options import TrainingOptions
from nln.network.training import network_loss
from tests.learning.paper.crisp_networks import crisp_weights, random_task

OPTIONS = TrainingOptions(learning_rate=0.01, retrain_epochs=20, retrain_patience=20)
DISCRETE = ("and_weights", "output_weights")


def run(seed=0, options=OPTIONS, validation=True):
    rng = np.random.default_rng(seed)
    _, task = random_task(rng)
    weights = crisp_weights(task, rng)
    check = task.check if validation else task.check[:0]
    found = retrain(replace(task, check=check, training=options), weights, np.random.default_rng(0))
    return task, weights, found


@pytest.mark.parametrize("seed", range(4))
def test_only_what_is_continuous_moves(seed):
    task, before, after = run(seed, validation=False)
    for name in DISCRETE:
        np.testing.assert_array_equal(getattr(before, name), getattr(after, name))
    layout = task.inputs.layout
    regular = np.zeros(len(before.or_weights), bool)
    for first, n in zip(layout.weight_offsets, layout.n_regular, strict=False):
        regular[first : first + n] = True
    np.testing.assert_array_equal(before.or_weights[regular], after.or_weights[regular])
    assert (before.rule_bias != after.rule_bias).any() or (before.output_bias != after.output_bias).any()


@pytest.mark.parametrize("validation", [True, False])
def test_the_watched_loss_does_not_rise(validation):
    for seed in range(4):
        task, before, after = run(seed, validation=validation)
        watched = task.check if validation else task.fit
        loss = [network_loss(task.inputs, task.rows, watched, w) for w in (before, after)]
        assert loss[1] <= loss[0]
        assert validation or loss[1] < loss[0]


def test_biases_stay_where_there_are_none():
    _, before, after = run(options=replace(OPTIONS, biases=False))
    np.testing.assert_array_equal(before.rule_bias, after.rule_bias)
    np.testing.assert_array_equal(before.output_bias, after.output_bias)


def test_the_given_weights_are_not_changed():
    rng = np.random.default_rng(0)
    _, task = random_task(rng)
    weights = crisp_weights(task, rng)
    before = weights.copy()
    retrain(replace(task, training=OPTIONS), weights, np.random.default_rng(0))
    for a, b in zip(weights, before, strict=True):
        np.testing.assert_array_equal(a, b)
