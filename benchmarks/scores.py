"""Scores of predicted classes and probabilities: the same for every method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nln.scores import Outcomes, auc, count_hits, log_losses, score_counts

F1, MACRO_F1, TUNED_F1 = "F1 (%)", "macro-F1 (%)", "F1 at own threshold (%)"

NOTE = (
    "F1 is that of the positive class for two classes and the mean over the classes for more; macro-F1 is always that "
    "mean. Brier is half the summed squared error of the class probabilities, a row; AUC is one against the rest, the "
    "mean over the classes, for more than two. Size is the mean number of conditions of a rule. All are means over the "
    "folds (and seeds)."
)


def scores(y: Any, predicted: Any, probability: Any, classes: Sequence[Any]) -> dict[str, float]:
    """Score predicted classes and probabilities, (rows, classes); of two sorted classes the second is positive."""
    y, predicted, probability = np.asarray(y), np.asarray(predicted), np.asarray(probability, dtype=float)
    truth, decided = (column[:, None] == np.asarray(classes) for column in (y, predicted))
    outcomes = Outcomes("multiclass", truth, decided, probability / probability.sum(axis=1, keepdims=True))
    rows = float(len(y))
    macro, positive = (
        100 * score_counts("f1", "multiclass", *count_hits(decided[:, some], truth[:, some]), rows)
        for some in (slice(None), slice(1, 2))
    )
    areas = [auc(holds, found) for holds, found in zip(truth.T, probability.T, strict=True)]
    return {
        F1: positive if len(classes) == 2 else macro,
        MACRO_F1: macro,
        "accuracy (%)": 100 * float(outcomes.right.mean()),
        "log-loss": float(log_losses(outcomes).mean()),
        "Brier": float(np.mean(np.sum((probability - truth) ** 2, axis=1)) / 2),
        "AUC": areas[1] if len(classes) == 2 else float(np.mean(areas)),
    }


def mean(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Mean of each score over the rows that have it."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return {key: float(np.mean([row[key] for row in rows if row.get(key) is not None])) for key in keys}
