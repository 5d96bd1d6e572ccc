"""Scores of decisions, from the rows that each output gets right and wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from nln.rules import TargetKind

Metric = Literal["f1", "accuracy", "balanced_accuracy"]
Floats = NDArray[np.float64]


def check_metric(metric: str) -> None:
    """Refuse an unknown metric."""
    if metric not in get_args(Metric):
        raise ValueError(f"metric must be one of {', '.join(map(repr, get_args(Metric)))}, not {metric!r}.")


def score(metric: Metric, kind: TargetKind, hits: Floats, wrong: Floats, positive: Floats, total: float) -> float:
    """Score decisions; more hits and fewer wrong ones never lower it, so that bounds of both give a bound of it.

    Parameters
    ----------
    metric : {"f1", "accuracy", "balanced_accuracy"}
        For two classes `f1` is that of the positive class, else the mean over the classes or labels.
        `balanced_accuracy` is the mean recall of the classes; for labels, of both sides of each.
    kind : {"binary", "multiclass", "multilabel"}
        The kind of target.
    hits, wrong, positive : array of shape (outputs,)
        Per output the rows that rightly and wrongly get it, and the rows that have it.
    total : float
        All rows.

    Examples
    --------
    >>> score("f1", "binary", np.array([3.0]), np.array([1.0]), np.array([4.0]), 10.0)
    0.75
    """
    return _METRICS[metric](kind, hits, wrong, positive, total)


def _f1(kind: TargetKind, hits: Floats, wrong: Floats, positive: Floats, total: float) -> float:
    return float(np.mean(2.0 * hits / np.maximum(hits + wrong + positive, 1e-300)))


def _accuracy(kind: TargetKind, hits: Floats, wrong: Floats, positive: Floats, total: float) -> float:
    if kind == "multiclass":
        return float(hits.sum() / total)
    return float(np.mean((hits + total - positive - wrong) / total))


def _balanced(kind: TargetKind, hits: Floats, wrong: Floats, positive: Floats, total: float) -> float:
    recall = hits / np.maximum(positive, 1e-300)
    if kind == "multiclass":
        return float(recall[positive > 0].mean())
    negative = total - positive
    rejected = np.where(negative > 0, 1.0 - wrong / np.maximum(negative, 1e-300), 1.0)
    return float(np.mean((np.where(positive > 0, recall, 1.0) + rejected) / 2.0))


_METRICS: dict[str, Callable[[TargetKind, Floats, Floats, Floats, float], float]] = {
    "f1": _f1,
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced,
}
