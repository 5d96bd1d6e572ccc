"""Thresholds of several classes: their scores are those of the decisions, and they are taken only if they gain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from nln.rules import thresholds as chosen
from nln.rules.thresholds import best_class_thresholds, best_shared_threshold, best_threshold


def rows(seed, classes=3, n=60):
    """Classes and probabilities that know something of them; few values, so that ties occur."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(classes), rng.choice(classes, n, p=rng.dirichlet(np.ones(classes)))])
    probability = np.round(rng.random((len(y), classes)) + 0.5 * np.eye(classes)[y], 1) / 2
    return y, probability, rng.integers(1, 4, len(y)).astype(float)


def mean_f1(y, probability, weights, thresholds):
    return f1_score(y, (probability / thresholds).argmax(axis=1), average="macro", sample_weight=weights)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 2))
def test_every_threshold_is_priced_by_its_decisions(seed, k):
    y, probability, weights = rows(seed)
    others = np.random.default_rng(seed).choice(chosen._CLASS_GRID, 3)
    rows_of = chosen._ClassRows(np.eye(3, dtype=bool)[y], probability.T, weights)
    found = rows_of.mean_f1(k, rows_of.leaders(others))
    for threshold, score in zip(chosen._CLASS_GRID, found, strict=True):
        tried = np.where(np.arange(3) == k, threshold, others)
        assert score == pytest.approx(mean_f1(y, probability, weights, tried))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_thresholds_are_taken_only_if_they_gain(seed):
    y, probability, weights = rows(seed)
    found = best_class_thresholds(np.eye(3, dtype=bool)[y], probability, weights)
    if found:
        assert max(found) == 0.5
        assert mean_f1(y, probability, weights, found) > mean_f1(y, probability, weights, (0.5,) * 3)


def test_a_rare_class_gets_a_lower_threshold():
    y = np.array([0] * 90 + [1] * 10)
    probability = np.column_stack([np.full(100, 0.7), np.where(y == 1, 0.4, 0.1)])
    found = best_class_thresholds(np.eye(2, dtype=bool)[y], probability, np.ones(100))
    assert found[1] < found[0] == 0.5
    assert (probability / found).argmax(axis=1).tolist() == y.tolist()


@pytest.mark.parametrize("metric", ["both", "f1", "accuracy"])
def test_best_threshold_is_the_best_of_the_grid(metric):
    rng = np.random.default_rng(1)
    probability, weights = rng.random(200), rng.integers(1, 4, 200).astype(float)
    truth = rng.random(200) < probability

    def score(threshold):
        decided = probability >= threshold
        right, wrong = weights @ (decided == truth), weights @ (decided != truth)
        hits, rejections = weights @ (decided & truth), weights @ (~decided & ~truth)
        sides = 2 * hits / (2 * hits + wrong) + 2 * rejections / (2 * rejections + wrong)
        return {"both": sides + right / weights.sum(), "f1": sides, "accuracy": right}[metric]

    found = best_threshold(truth, probability, weights, metric)
    assert score(found) == pytest.approx(max(score(t) for t in np.arange(1, 100) / 100))


def test_thresholds_of_small_tables():
    assert best_threshold(np.array([False, True, True]), np.array([0.1, 0.7, 0.9]), np.ones(3), "f1") == 0.41
    truth, probability = np.array([[False, True], [False, True]]), np.array([[0.1, 0.7], [0.3, 0.9]])
    assert best_shared_threshold(truth, probability, np.ones(2), "accuracy") == 0.51
    probability = np.array([[0.9, 0.1, 0.0], [0.2, 0.8, 0.0], [0.6, 0.2, 0.4], [0.7, 0.1, 0.1]])
    truth = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]) > 0
    assert best_class_thresholds(truth, probability, np.ones(4)) == (0.5, 0.25, 0.25)


def test_nearby_thresholds_decide_where_rows_are_few():
    probability = np.array([0.1, 0.2, 0.3, 0.42, 0.55, 0.6, 0.7, 0.895, 0.905, 0.91])
    truth = np.array([0, 0, 0, 1, 1, 1, 1, 0, 1, 1], bool)
    weights = np.where(np.arange(10) == 7, 4.5, 1.0)  # one heavy row draws the best threshold above it
    assert best_threshold(truth, probability, weights, "accuracy") > 0.89
    assert 0.3 < best_threshold(truth, probability, weights, "accuracy", smooth=True) < 0.6
    clear = np.array([0.2, 0.4, 0.6, 0.8])
    found = best_threshold(np.array([False, False, True, True]), clear, np.ones(4), "f1", smooth=True)
    assert 0.4 < found <= 0.6
