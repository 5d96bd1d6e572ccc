import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, f1_score, roc_auc_score

from benchmarks.fit_point import exponent
from benchmarks.scores import mean, scores


def test_scores_of_two_classes_are_those_of_the_positive_one():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 50), rng.random(50)
    labels = np.array(["no", "yes"])
    found = scores(labels[y], labels[(p > 0.4).astype(int)], np.column_stack([1 - p, p]), labels)
    assert found["F1 (%)"] == pytest.approx(100 * f1_score(y, p > 0.4))
    assert found["macro-F1 (%)"] == pytest.approx(100 * f1_score(y, p > 0.4, average="macro"))
    assert found["Brier"] == pytest.approx(brier_score_loss(y, p))
    assert found["AUC"] == pytest.approx(roc_auc_score(y, p))
    assert found["accuracy (%)"] == pytest.approx(100 * np.mean(y == (p > 0.4)))


def test_scores_of_three_classes_are_means_over_the_classes():
    y = np.array(["a", "b", "c", "a"])
    sure = np.eye(3)[[0, 1, 2, 0]]
    found = scores(y, y, sure, ["a", "b", "c"])
    assert found["F1 (%)"] == found["macro-F1 (%)"] == found["accuracy (%)"] == 100
    assert found["Brier"] == 0
    assert found["AUC"] == 1
    assert scores(y, y, np.full((4, 3), 1 / 3), ["a", "b", "c"])["log-loss"] == pytest.approx(np.log(3))


def test_means_leave_out_what_is_missing():
    assert mean([{"a": 1.0}, {"a": 3.0, "b": 5.0}]) == {"a": 2.0, "b": 5.0}


def test_the_exponent_of_a_power_law_is_found():
    table = [{"rows": n, "wall (s)": 3 * n**1.5} for n in (10, 100, 1000)]
    assert exponent(table, "rows", "wall (s)") == pytest.approx(1.5)
