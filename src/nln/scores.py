"""Scores of probabilities and decisions, with intervals. `page/scores.js` computes the same on the rows of the page.

Everything is a weighted sum over the rows, so that a bootstrap sample is the same computation with other weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nln.rules import LogicProgram

Floats = NDArray[np.float64]

RESAMPLES = 500
NORMAL_95 = 1.959963984540054
"""97.5 % quantile of the normal distribution."""

NAMES: dict[str, tuple[str, ...]] = {
    "binary": ("accuracy", "f1", "macro_f1", "balanced_accuracy", "auc", "log_loss", "brier"),
    "multiclass": ("accuracy", "macro_f1", "balanced_accuracy", "auc", "log_loss", "brier"),
    "multilabel": ("accuracy", "macro_f1", "auc", "log_loss", "brier"),
}
"""Which scores each kind of target has."""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What holds, what is decided and how probable it is, one column a label.

    Parameters
    ----------
    kind : str
        Kind of the target.
    holds, decided : array of bool, (rows, labels)
        The truth and the decisions.
    probabilities : array of shape (rows, labels)
        As `LogicProgram.predict_proba` gives them.
    """

    kind: str
    holds: NDArray[np.bool_]
    decided: NDArray[np.bool_]
    probabilities: Floats

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which rows are decided right, all labels of a multi-label target together."""
        return np.asarray((self.holds == self.decided).all(axis=1))


def find_outcomes(program: LogicProgram, P: Floats, truth: NDArray[np.bool_]) -> Outcomes:
    """Line up truth and decisions.

    Parameters
    ----------
    program : LogicProgram
        What decides.
    P : array of shape (rows, outputs)
        The probability of each output.
    truth : array of bool, (rows, outputs)
        What holds.

    Examples
    --------
    >>> from nln.rules import Schema, Target
    >>> program = LogicProgram(Schema((), Target("class", "binary", ("no", "yes"))), (), (0.25,), (0.5,))
    >>> outcomes = find_outcomes(program, np.array([[0.25], [0.75]]), np.array([[False], [False]]))
    >>> outcomes.right
    array([ True, False])
    """
    kind = program.schema.target.kind
    decided = program.decide(P)
    if kind != "multilabel":
        decided = decided[:, None] == np.arange(len(program.schema.target.labels))
    holds = np.hstack([~truth, truth]) if kind == "binary" else truth
    return Outcomes(kind, holds, decided.astype(np.bool_), program.label_probabilities(P))


def compute_scores(outcomes: Outcomes) -> dict[str, float | None]:
    """Compute the scores of `NAMES`; None where one is not defined, as the AUC of a single class.

    Examples
    --------
    >>> holds = np.array([[True, False], [False, True]])
    >>> compute_scores(Outcomes("binary", holds, holds, holds * 0.5 + 0.25))["brier"]
    0.0625
    """
    return _Weighted(outcomes).scores(np.ones(len(outcomes.holds)))


def count_confusion(outcomes: Outcomes) -> list[list[int]]:
    """Rows by true and by decided class; of labels: right, wrongly decided, missed and rightly left out.

    Examples
    --------
    >>> holds = np.array([[True, False], [True, False], [False, True]])
    >>> decided = np.array([[True, False], [False, True], [False, True]])
    >>> count_confusion(Outcomes("binary", holds, decided, decided * 1.0))
    [[1, 1], [0, 1]]
    """
    holds, decided = outcomes.holds, outcomes.decided
    table: NDArray[np.intp]
    if outcomes.kind == "multilabel":
        cells = holds & decided, ~holds & decided, holds & ~decided, ~holds & ~decided
        table = np.array([cell.sum(axis=0) for cell in cells]).T
    else:
        table = holds.astype(np.intp).T @ decided.astype(np.intp)
    counts: list[list[int]] = table.tolist()
    return counts


def score_intervals(outcomes: Outcomes, rng: np.random.Generator) -> dict[str, tuple[float, float] | None]:
    """Compute 95 % intervals: Wilson's for the accuracy, of bootstrap percentiles for the others.

    Parameters
    ----------
    outcomes : Outcomes
        Truth and decisions.
    rng : Generator
        Draws the samples.
    """
    weighted, rows = _Weighted(outcomes), len(outcomes.holds)
    drawn = [weighted.scores(_resampled(rows, rng)) for _ in range(RESAMPLES)]
    intervals: dict[str, tuple[float, float] | None] = {}
    for name in NAMES[outcomes.kind]:
        values = [value for sample in drawn if (value := sample[name]) is not None]
        ends = np.quantile(values, (0.025, 0.975)).tolist() if values else None
        intervals[name] = (ends[0], ends[1]) if ends else None
    intervals["accuracy"] = wilson(int(outcomes.right.sum()), rows)
    return intervals


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Compute Wilson's 95 % interval of a share.

    Examples
    --------
    >>> low, high = wilson(958, 958)
    >>> round(low, 3), high
    (0.996, 1.0)
    """
    share, z2 = hits / of, NORMAL_95**2 / of
    middle = (share + z2 / 2) / (1 + z2)
    half = math.sqrt(share * (1 - share) * z2 + z2 * z2 / 4) / (1 + z2)
    return max(0.0, middle - half) if hits else 0.0, min(1.0, middle + half) if hits < of else 1.0


def _resampled(rows: int, rng: np.random.Generator) -> Floats:
    """Count how often each row is in a sample of as many rows, drawn with replacement."""
    return np.bincount(rng.integers(rows, size=rows), minlength=rows).astype(np.float64)


class _Weighted:
    """What does not depend on the rows' weights, computed once."""

    def __init__(self, outcomes: Outcomes) -> None:
        self.kind = outcomes.kind
        holds, decided, q = outcomes.holds, outcomes.decided, outcomes.probabilities
        losses = outcomes.right, _log_losses(holds, q, self.kind), _squares(holds, q, self.kind)
        self.cells = np.column_stack([*losses, holds & decided, ~holds & decided, holds & ~decided]).astype(np.float64)
        columns = [1] if self.kind == "binary" else range(q.shape[1])
        self.ranked = [(holds[:, k], np.unique(q[:, k], return_inverse=True)[1]) for k in columns]

    def scores(self, weights: Floats) -> dict[str, float | None]:
        # Not a matrix product: starting the threads of a linear algebra library takes longer than these sums.
        sums = np.einsum("r,rc->c", weights, self.cells)
        accuracy, log_loss, brier = (sums[:3] / weights.sum()).tolist()
        tp, fp, fn = sums[3:].reshape(3, -1)
        with np.errstate(invalid="ignore"):
            f1, recall = 2 * tp / (2 * tp + fp + fn), tp / (tp + fn)
        found = {
            "accuracy": accuracy,
            "f1": float(f1[-1]),
            "macro_f1": _mean(f1),
            "balanced_accuracy": _mean(recall),
            "auc": _mean(np.array([_auc(holds, ranks, weights) for holds, ranks in self.ranked])),
            "log_loss": log_loss,
            "brier": brier,
        }
        return {name: None if math.isnan(found[name]) else found[name] for name in NAMES[self.kind]}


def _mean(values: Floats) -> float:
    """Average what is defined: a label that neither holds nor is decided anywhere has no F1."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


def _auc(holds: NDArray[np.bool_], ranks: NDArray[np.intp], weights: Floats) -> float:
    """Compute the share of pairs in which the row that holds has the higher probability, ties as one half."""
    above = np.bincount(ranks, weights * holds)
    below = np.bincount(ranks, weights * ~holds)
    pairs = above.sum() * below.sum()
    return float((above * (np.cumsum(below) - below / 2)).sum() / pairs) if pairs else math.nan


def _log_losses(holds: NDArray[np.bool_], q: Floats, kind: str) -> Floats:
    tiny = np.finfo(np.float64).eps
    safe = np.clip(q, tiny, 1 - tiny)
    if kind == "multilabel":
        return np.asarray(-np.where(holds, np.log(safe), np.log1p(-safe)).mean(axis=1))
    return np.asarray(-np.log(safe[holds]))


def _squares(holds: NDArray[np.bool_], q: Floats, kind: str) -> Floats:
    squares = (q - holds) ** 2
    if kind == "multiclass":
        return np.asarray(squares.sum(axis=1))
    return np.asarray(squares[:, 1] if kind == "binary" else squares.mean(axis=1))
