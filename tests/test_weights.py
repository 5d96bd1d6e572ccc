"""Weights of rows and classes: what is refused, and that neither their unit nor the order of the rows matters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln import NLNClassifier
from nln.checks import relative_weights
from nln.rules import Feature
from nln.rules.thresholds import best_class_thresholds, best_threshold
from nln.tables.encoding import make_encoding

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, (90, 3))
Y = X[:, 0]


def fitted(sample_weight=None, **parameters):
    return NLNClassifier(starts=1, n_rules=16, random_state=0, **parameters).fit(X, Y, sample_weight=sample_weight)


@pytest.mark.parametrize("weight", [-1, math.nan, math.inf, "heavy", None, True])
def test_a_class_weight_that_is_no_weight_is_refused(weight):
    with pytest.raises(ValueError, match=r"class_weight must be finite and at least 0; class 1 has "):
        fitted(class_weight={0: 1, 1: weight, 2: 1})


@pytest.mark.parametrize("weight", [math.inf, math.nan, -1.0])
def test_one_weight_for_all_rows_is_checked_like_many(weight):
    for given_weights in (weight, np.full(len(X), weight)):
        with pytest.raises(ValueError, match=r"sample_weight must be finite and at least 0; row 0 has"):
            fitted(given_weights)
    with pytest.raises(ValueError, match="nothing is left to learn from"):
        fitted(0)
    with pytest.raises(ValueError, match="sample_weight must hold numbers: could not convert"):
        fitted(["much"] * len(X))


@pytest.mark.parametrize("weight", [1 / len(X), 1e308, 5e-324])
def test_the_unit_of_weights_does_not_matter(weight):
    plain = fitted().program_
    assert plain.n_rules == 3
    assert fitted(weight).program_ == fitted(np.full(len(X), weight)).program_ == plain
    assert fitted(weight, class_weight=dict.fromkeys(range(3), 1e308)).program_ == plain


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_sums_of_very_different_weights_do_not_depend_on_the_order_of_rows(seed):
    rng = np.random.default_rng(seed)
    n_values, copies = int(rng.integers(255, 400)), int(rng.integers(2, 6))
    numbers = np.repeat(np.arange(n_values, dtype=float), copies)
    weights = np.tile(10.0 ** rng.uniform(-6, 0, copies), n_values)
    probability = rng.integers(1, 20, len(numbers)) / 20
    truth = rng.random((len(numbers), 3)) < 0.3
    feature = (Feature("x", "continuous"),)
    found = []
    for _ in range(2):
        rows = rng.permutation(len(numbers))
        relative = relative_weights(weights[rows])
        slots = make_encoding(feature, {"x": numbers[rows]}, relative).slots[0]
        thresholds = best_threshold(truth[rows, 0], probability[rows], relative, "f1")
        classes = best_class_thresholds(truth[rows], np.stack([probability[rows]] * 3, axis=1), relative)
        found.append((slots.lows.tolist(), slots.centers.tolist(), slots.positions.tolist(), thresholds, classes))
    assert found[0] == found[1]
