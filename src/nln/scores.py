"""All metrics, from decisions and probabilities or from counts. `report/page/scores.js` has the same formulas.

The scores of `Outcomes` are weighted sums over the rows, so a bootstrap sample is the same computation with other
weights. The scores from counts (`score_counts`) never fall with more hits or fewer wrong decisions, so bounds of the
counts give bounds of the score, which is what `nln.compose.select` searches by. An F1 that is not defined counts as 0
there, and is left out of the means of `Outcomes`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nln.rules import LogicProgram, TargetKind
from nln.rules.thresholds import f1

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Metric = Literal["f1", "accuracy", "balanced_accuracy"]

RESAMPLES = 500
NORMAL_95 = 1.959963984540054
"""97.5 % quantile of the normal distribution."""

NAMES: dict[str, tuple[str, ...]] = {
    "binary": ("accuracy", "f1", "macro_f1", "balanced_accuracy", "auc", "log_loss", "brier"),
    "multiclass": ("accuracy", "macro_f1", "balanced_accuracy", "auc", "log_loss", "brier"),
    "multilabel": ("accuracy", "macro_f1", "auc", "log_loss", "brier"),
}
"""The scores that each kind of target has."""

TITLES = {
    "accuracy": "accuracy",
    "f1": "F1",
    "macro_f1": "macro F1",
    "balanced_accuracy": "balanced accuracy",
    "auc": "AUC",
    "log_loss": "log loss",
    "brier": "Brier score",
}
"""What people call them."""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What holds, what is decided and how probable it is: arrays of shape (rows, labels)."""

    kind: TargetKind
    holds: Bools
    decided: Bools
    probabilities: Floats

    @property
    def right(self) -> Bools:
        """Which rows are decided correctly, with all labels of a multi-label target."""
        return np.asarray((self.holds == self.decided).all(axis=1))


def decided_outputs(program: LogicProgram, P: Floats) -> Bools:
    """Which outputs are decided to hold, (rows, outputs), given their probabilities."""
    decided = program.decide(P)
    if program.schema.target.kind == "multilabel":
        return decided.astype(np.bool_)
    # Of two classes the second one is the output.
    places = np.arange(P.shape[1]) if program.schema.target.kind == "multiclass" else np.ones(1, np.intp)
    mask: Bools = decided[:, None] == places
    return mask


def find_outcomes(program: LogicProgram, P: Floats, truth: Bools) -> Outcomes:
    """Compare a program's decisions with the truth; both `P` and `truth` have the shape (rows, outputs)."""
    kind = program.schema.target.kind
    holds, decided = truth, decided_outputs(program, P)
    if kind == "binary":
        holds, decided = (np.hstack([~positive, positive]) for positive in (holds, decided))
    return Outcomes(kind, holds, decided, program.label_probabilities(P))


def join_outcomes(parts: Sequence[Outcomes]) -> Outcomes:
    """Join the outcomes of several chunks of rows."""
    arrays = (np.concatenate([getattr(o, name) for o in parts]) for name in ("holds", "decided", "probabilities"))
    return Outcomes(parts[0].kind, *arrays)


def compute_scores(outcomes: Outcomes) -> dict[str, float | None]:
    """Compute the scores of `NAMES`; None where one is not defined, such as the AUC of a single class."""
    return _Weighted(outcomes).scores(np.ones(len(outcomes.holds)))


def count_confusion(outcomes: Outcomes) -> list[list[int]]:
    """Count rows by true and decided class; for each label: true positives, false positives, misses, true negatives."""
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
    """Compute 95 % intervals: Wilson's for the accuracy, bootstrap percentiles for the others."""
    weighted, rows = _Weighted(outcomes), len(outcomes.holds)
    # Each weight is how often the row is drawn in a bootstrap sample.
    draws = (np.bincount(rng.integers(rows, size=rows), minlength=rows) for _ in range(RESAMPLES))
    drawn = [weighted.scores(counts.astype(np.float64)) for counts in draws]
    intervals: dict[str, tuple[float, float] | None] = {}
    for name in NAMES[outcomes.kind]:
        values = [value for sample in drawn if (value := sample[name]) is not None]
        ends = np.quantile(values, (0.025, 0.975)).tolist() if values else None
        intervals[name] = (ends[0], ends[1]) if ends else None
    intervals["accuracy"] = wilson(int(outcomes.right.sum()), rows)
    return intervals


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Compute Wilson's 95 % interval of a share."""
    share, z2 = hits / of, NORMAL_95**2 / of
    middle = (share + z2 / 2) / (1 + z2)
    half = math.sqrt(share * (1 - share) * z2 + z2 * z2 / 4) / (1 + z2)
    return max(0.0, middle - half) if hits else 0.0, min(1.0, middle + half) if hits < of else 1.0


def auc(holds: Bools, probability: Floats) -> float:
    """Share of the pairs of rows in which the row that holds is the more probable one, ties as one half; else NaN."""
    return _auc(holds, np.unique(probability, return_inverse=True)[1], np.ones(len(holds)))


def log_losses(outcomes: Outcomes) -> Floats:
    """Log loss of each row; the mean over the labels of a multi-label target."""
    tiny = np.finfo(np.float64).eps
    safe = np.clip(outcomes.probabilities, tiny, 1 - tiny)
    if outcomes.kind == "multilabel":
        return np.asarray(-np.where(outcomes.holds, np.log(safe), np.log1p(-safe)).mean(axis=1))
    return np.asarray(-np.log(safe[outcomes.holds]))


def brier_scores(outcomes: Outcomes) -> Floats:
    """Squared error of each row: of the positive class, the sum over several classes, the mean over labels."""
    squares = (outcomes.probabilities - outcomes.holds) ** 2
    if outcomes.kind == "multiclass":
        return np.asarray(squares.sum(axis=1))
    return np.asarray(squares[:, 1] if outcomes.kind == "binary" else squares.mean(axis=1))


def count_hits(decided: Bools, truth: Bools) -> tuple[Floats, Floats, Floats]:
    """Count, for each output, the rows that rightly and wrongly get it, and the rows that have it."""
    masks = decided & truth, decided & ~truth, truth
    hits, wrong, positive = (np.count_nonzero(mask, axis=0).astype(np.float64) for mask in masks)
    return hits, wrong, positive


def score_counts(
    metric: Metric, kind: TargetKind, hits: Floats, wrong: Floats, positive: Floats, total: float
) -> float:
    """Score decisions given the counts of each output (see `count_hits`) and the number of rows.

    For two classes `f1` is that of the positive class, else the mean over the classes or labels. `balanced_accuracy` is
    the mean recall of the classes; for labels, of both sides of each label.
    """
    if metric == "f1":
        return float(np.mean(f1(hits, hits + wrong + positive)))
    if metric == "accuracy":
        return float(hits.sum() / total if kind == "multiclass" else np.mean((hits + total - positive - wrong) / total))
    recall = hits / np.maximum(positive, 1e-300)
    if kind == "multiclass":
        return float(recall[positive > 0].mean())
    negative = total - positive
    rejected = np.where(negative > 0, 1.0 - wrong / np.maximum(negative, 1e-300), 1.0)
    return float(np.mean((np.where(positive > 0, recall, 1.0) + rejected) / 2.0))


class _Weighted:
    """Everything that does not depend on the weights of the rows, computed once."""

    def __init__(self, outcomes: Outcomes) -> None:
        self.kind = outcomes.kind
        holds, decided, q = outcomes.holds, outcomes.decided, outcomes.probabilities
        losses = outcomes.right, log_losses(outcomes), brier_scores(outcomes)
        self.cells = np.column_stack([*losses, holds & decided, ~holds & decided, holds & ~decided]).astype(np.float64)
        columns = [1] if self.kind == "binary" else range(q.shape[1])
        self.ranked = [(holds[:, k], np.unique(q[:, k], return_inverse=True)[1]) for k in columns]

    def scores(self, weights: Floats) -> dict[str, float | None]:
        # Not a matrix product: starting the threads of a linear algebra library takes longer than these sums.
        sums = np.einsum("r,rc->c", weights, self.cells)
        accuracy, log_loss, brier = (sums[:3] / weights.sum()).tolist()
        tp, fp, fn = sums[3:].reshape(3, -1)
        size = 2 * tp + fp + fn
        f1s = np.where(size > 0, f1(tp, size), np.nan)
        with np.errstate(invalid="ignore"):
            recall = tp / (tp + fn)
        found = {
            "accuracy": accuracy,
            "f1": float(f1s[-1]),
            "macro_f1": _mean(f1s),
            "balanced_accuracy": _mean(recall),
            "auc": _mean(np.array([_auc(holds, ranks, weights) for holds, ranks in self.ranked])),
            "log_loss": log_loss,
            "brier": brier,
        }
        return {name: None if math.isnan(found[name]) else found[name] for name in NAMES[self.kind]}


def _mean(values: Floats) -> float:
    """Average the defined values: a label that neither holds nor is decided anywhere has no F1."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


def _auc(holds: Bools, ranks: NDArray[np.intp], weights: Floats) -> float:
    above = np.bincount(ranks, weights * holds)
    below = np.bincount(ranks, weights * ~holds)
    pairs = above.sum() * below.sum()
    return float((above * (np.cumsum(below) - below / 2)).sum() / pairs) if pairs else math.nan
