"""One start: it may be made and asked again anywhere, and finds the same."""

from copy import deepcopy

import numpy as np
import pytest

from nln.learning.options import LearningSettings
from nln.learning.prior import Prior
from nln.learning.selection.path import Variant
from nln.learning.selection.runner import Threads
from nln.learning.selection.start import begin_start, train_start
from nln.learning.task import prepare_task
from nln.network.options import TrainingOptions
from tests.learning.tables import table_of

PRICES = np.array([0.5, 2.0])
VARIANTS = [Variant(0), Variant(2), Variant(0, taught=True), Variant(0, single=True)]
SETTINGS = LearningSettings(8, np.random.SeedSequence(0), training=TrainingOptions(epochs=5))


@pytest.fixture(scope="module")
def task():
    return prepare_task(*table_of(0), SETTINGS, Prior(), np.random.default_rng(0))


def assert_same(ones, others):
    """Compare paths, number by number."""
    for one, other in zip(ones, others, strict=True):
        np.testing.assert_array_equal(one.losses, other.losses)
        for draft, rival in zip(one.drafts, other.drafts, strict=True):
            for part, like in zip(draft, rival, strict=True):
                np.testing.assert_array_equal(part, like)


def test_descents_leave_a_start_as_it_is(task):
    rng = np.random.default_rng(1)
    start = begin_start(task, 0, train_start(task, 0, SETTINGS, rng))
    before = deepcopy(rng)
    found = start.descend(rng, PRICES, VARIANTS)
    assert rng.bit_generator.state != before.bit_generator.state
    assert_same(start.descend(deepcopy(before), PRICES, VARIANTS), found)
    again = begin_start(task, 0, train_start(task, 0, SETTINGS, np.random.default_rng(1)))
    assert_same(again.descend(before, PRICES, VARIANTS), found)


def test_a_start_leaves_out_its_fold(task):
    trained = train_start(task, 2, SETTINGS, np.random.default_rng(0))
    assert (task.folds[trained.own] != 2).all()
    assert (task.folds[trained.left_out] == 2).all()
    assert len(trained.own) + len(trained.left_out) == len(task.folds)


def test_a_limit_holds_for_the_descents_that_follow(task):
    rng = np.random.default_rng(1)
    start = begin_start(task, 0, train_start(task, 0, SETTINGS, rng))
    (free,) = start.descend(deepcopy(rng), PRICES, VARIANTS[:1])
    (limited,) = start.limited(np.array([0.99])).descend(rng, PRICES, VARIANTS[:1])
    assert free.drafts[0].n_rules > 0
    assert limited.drafts[0].n_rules == 0


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_threads_find_what_each_start_finds_alone(task, n_jobs):
    seeds = range(len(task.views))
    threads = Threads(task, [np.random.default_rng(seed) for seed in seeds], n_jobs)
    networks = threads.train(SETTINGS)
    paths = threads.descend([3, 1], PRICES, VARIANTS)
    for s, found in zip([3, 1], paths, strict=True):
        rng = np.random.default_rng(s)
        start = begin_start(task, s, train_start(task, s, SETTINGS, rng))
        assert networks[s].history == start.network.history
        assert_same(start.descend(rng, PRICES, VARIANTS), found)
