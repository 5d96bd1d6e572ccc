"""Programs keep to the language that was asked for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from nln import LanguageOptions, NLNClassifier, TrainingOptions, datasets
from nln.rules import IntervalCondition, ValueCondition

QUICK = {"starts": 2, "training": TrainingOptions(epochs=60), "random_state": 0}


def conditions(program, kind):
    return [c for rule in program.rules for c in rule.conditions if isinstance(c, kind)]


def learned(data, **limits):
    return NLNClassifier(**QUICK, language=LanguageOptions(**limits)).fit(*data).program_


@pytest.fixture(scope="module")
def bands():
    """A table whose truth needs an exception and a union of intervals."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"colour": rng.choice(list("rgbwy"), 600), "x": rng.normal(size=600), "z": rng.normal(size=600)})
    return X, ((X["colour"] != "r") & (X["x"].abs() > 0.7)).astype(int)


def test_free_language_says_the_truth_as_it_is(bands):
    program = learned(bands)
    assert any(c.negated for c in conditions(program, ValueCondition))
    assert any(len(c.intervals) == 2 for c in conditions(program, IntervalCondition))


def test_no_negation(bands):
    program = learned(bands, negation=False)
    assert program.n_rules
    assert not any(c.negated and c.values for c in conditions(program, ValueCondition))


def test_no_unions(bands):
    program = learned(bands, unions=False)
    assert program.n_rules
    assert all(len(c.intervals) <= 1 for c in conditions(program, IntervalCondition))


def test_crisp_boundaries_only():
    program = learned(datasets.load_wine(), fuzzy=False)
    assert conditions(program, IntervalCondition)
    assert all(c.is_crisp for c in conditions(program, IntervalCondition))


@pytest.mark.parametrize("most", [1, 3])
def test_most_rules(most):
    program = learned(datasets.load_wine(), max_rules=most)
    assert 1 <= program.n_rules <= most


@pytest.mark.parametrize("most", [1, 2])
def test_most_conditions_of_a_rule(most):
    X, y = datasets.load_tic_tac_toe()
    program = learned((X, y), max_conditions=most)
    assert program.n_rules
    assert max(len(rule.conditions) for rule in program.rules) <= most


def test_rounding_makes_boundaries_shorter():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=2000)})
    y = (X["x"] + rng.normal(size=2000) / 3 > 0.5).astype(int)

    def digits(rounding):
        program = learned((X, y), rounding=rounding)
        return [len(repr(b.value)) for c in conditions(program, IntervalCondition) for b in c.boundaries]

    assert max(digits(0.5)) < max(digits(0.0))


@pytest.mark.parametrize("limits", [{"max_rules": 0}, {"max_conditions": 1.5}, {"rounding": -1.0}])
def test_limits_that_mean_nothing_are_refused(limits):
    with pytest.raises(ValueError, match=next(iter(limits))):
        LanguageOptions(**limits)
