"""Scores of predicted classes and probabilities: the same for every method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, f1_score, log_loss, roc_auc_score

F1, MACRO_F1, TUNED_F1 = "F1 (%)", "macro-F1 (%)", "F1 at own threshold (%)"

NOTE = (
    "F1 is that of the positive class for two classes and the mean over the classes for more; macro-F1 is always that "
    "mean. Brier is half the summed squared error of the class probabilities, a row; AUC is one against the rest, the "
    "mean over the classes, for more than two. Size is the mean number of conditions of a rule. All are means over the "
    "folds (and seeds)."
)


def scores(y: Any, predicted: Any, probability: Any, classes: Sequence[Any]) -> dict[str, float]:
    """Score one prediction.

    Parameters
    ----------
    y, predicted : array of shape (rows,)
        True and decided classes.
    probability : array of shape (rows, classes)
        Probability of each class.
    classes : sequence
        The classes in sorted order; of two, the second is the positive one.
    """
    y, predicted, probability = np.asarray(y), np.asarray(predicted), np.asarray(probability, dtype=float)
    classes = np.asarray(classes)
    truth = y[:, None] == classes
    macro = 100 * float(f1_score(y, predicted, average="macro", labels=classes, zero_division=0))
    positive = 100 * float(f1_score(y == classes[1], predicted == classes[1], zero_division=0))
    return {
        F1: positive if len(classes) == 2 else macro,
        MACRO_F1: macro,
        "accuracy (%)": 100 * float(accuracy_score(y, predicted)),
        "log-loss": float(log_loss(y, probability / probability.sum(axis=1, keepdims=True), labels=classes)),
        "Brier": float(np.mean(np.sum((probability - truth) ** 2, axis=1)) / 2),
        "AUC": _auc(truth, probability),
    }


def _auc(truth: Any, probability: Any) -> float:
    if truth.shape[1] == 2:
        return float(roc_auc_score(truth[:, 1], probability[:, 1]))
    return float(np.mean([roc_auc_score(t, p) for t, p in zip(truth.T, probability.T, strict=True)]))


def mean(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Mean of each score over the rows that have it."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return {key: float(np.mean([row[key] for row in rows if row.get(key) is not None])) for key in keys}
