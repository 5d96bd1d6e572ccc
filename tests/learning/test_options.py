"""What is settled once the target is known."""

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
