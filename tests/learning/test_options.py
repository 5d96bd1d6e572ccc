"""What is settled once the target is known."""

from dataclasses import replace

import numpy as np
import pytest

from nln.learning.options import LearningSettings
from nln.rules import Target


@pytest.mark.parametrize(
    ("kind", "labels", "modules"),
    [
        ("binary", 2, 128),
        ("multiclass", 10, 128),
        ("multiclass", 26, 312),
        ("multiclass", 100, 512),
        ("multilabel", 50, 128),
    ],
)
def test_networks_for_many_classes_have_modules_in_proportion(kind, labels, modules):
    target = Target("class", kind, tuple(f"c{k}" for k in range(labels)))
    settings = LearningSettings(128, np.random.SeedSequence(0), grows=True)
    assert settings.for_target(target).n_rules == modules


def test_a_number_of_modules_that_was_asked_for_stays():
    target = Target("class", "multiclass", tuple(range(26)))
    assert LearningSettings(6, np.random.SeedSequence(0)).for_target(target).n_rules == 6


@pytest.mark.parametrize(
    ("rows", "outputs", "starts"), [(10_000, 1, 5), (10_001, 1, 3), (10_000, 10, 5), (5_000, 100, 3), (2_000, 50, 5)]
)
def test_long_tables_and_those_of_many_targets_have_fewer_starts(rows, outputs, starts):
    settings = LearningSettings(128, np.random.SeedSequence(0))
    assert settings.starts_for(rows, outputs) == starts
    assert replace(settings, size="accurate").starts_for(rows, outputs) == 10
    assert replace(settings, starts=7).starts_for(rows, outputs) == 7
