from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from nln.rules import probabilities
from nln.scores import (
    NAMES,
    Outcomes,
    compute_scores,
    count_confusion,
    count_hits,
    find_outcomes,
    join_outcomes,
    score_counts,
    score_intervals,
    wilson,
)
from tests.report import programs

EXAMPLES = {"binary": programs.binary, "multiclass": programs.multiclass, "multilabel": programs.multilabel}


def outcomes_of(example, frame):
    P = probabilities(example.program, example.columns(frame), rows=len(example.truth))
    return find_outcomes(example.program, P, example.truth)


def sklearn_scores(o: Outcomes) -> dict[str, float]:
    holds, decided, q = o.holds.astype(int), o.decided.astype(int), o.probabilities
    if o.kind == "multilabel":
        return {
            "accuracy": metrics.accuracy_score(holds, decided),
            "macro_f1": metrics.f1_score(holds, decided, average="macro"),
            "auc": metrics.roc_auc_score(holds, q),
            "log_loss": np.mean([metrics.log_loss(h, p, labels=[0, 1]) for h, p in zip(holds.T, q.T, strict=True)]),
            "brier": np.mean((holds - q) ** 2),
        }
    true, guess = holds.argmax(axis=1), decided.argmax(axis=1)
    two = o.kind == "binary"
    return {
        "accuracy": metrics.accuracy_score(true, guess),
        "f1": metrics.f1_score(true, guess) if two else np.nan,
        "macro_f1": metrics.f1_score(true, guess, average="macro"),
        "balanced_accuracy": metrics.balanced_accuracy_score(true, guess),
        "auc": metrics.roc_auc_score(true, q[:, 1]) if two else metrics.roc_auc_score(true, q, multi_class="ovr"),
        "log_loss": metrics.log_loss(true, q),
        "brier": np.mean((true - q[:, 1]) ** 2) if two else np.mean(((holds - q) ** 2).sum(axis=1)),
    }


@pytest.mark.parametrize("kind", EXAMPLES)
def test_scores_are_those_of_scikit_learn(kind, frame):
    outcomes = outcomes_of(EXAMPLES[kind](), frame)
    expected = sklearn_scores(outcomes)
    assert compute_scores(outcomes) == pytest.approx({name: expected[name] for name in NAMES[kind]}, abs=1e-12)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_intervals_hold_the_score_and_repeat(kind, frame):
    outcomes = outcomes_of(EXAMPLES[kind](), frame)
    intervals = score_intervals(outcomes, np.random.default_rng(0))
    for name, value in compute_scores(outcomes).items():
        low, high = intervals[name]
        assert low < value < high
    assert intervals == score_intervals(outcomes, np.random.default_rng(0))
    assert intervals != score_intervals(outcomes, np.random.default_rng(1))


def test_scores_that_are_not_defined_are_none():
    holds = np.array([[False, True]] * 3)
    outcomes = Outcomes("binary", holds, holds, np.full((3, 2), 0.5))
    scores = compute_scores(outcomes)
    assert scores["auc"] is None
    assert scores["balanced_accuracy"] == scores["macro_f1"] == 1.0
    assert score_intervals(outcomes, np.random.default_rng(0))["auc"] is None


def test_confusion_counts_true_classes_by_decided_ones():
    holds = np.array([[True, False], [True, False], [False, True]])
    decided = np.array([[True, False], [False, True], [False, True]])
    outcomes = Outcomes("binary", holds, decided, decided * 1.0)
    assert count_confusion(outcomes) == [[1, 1], [0, 1]]
    assert outcomes.right.tolist() == [True, False, True]


@pytest.mark.parametrize("kind", EXAMPLES)
def test_outcomes_of_chunks_are_those_of_all_rows(kind, frame):
    whole = outcomes_of(EXAMPLES[kind](), frame)
    pieces = [
        Outcomes(kind, *(getattr(whole, name)[rows] for name in ("holds", "decided", "probabilities")))
        for rows in (slice(0, 3), slice(3, None))
    ]
    assert compute_scores(join_outcomes(pieces)) == compute_scores(whole)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_scores_from_counts_are_those_of_scikit_learn(kind, frame):
    example = EXAMPLES[kind]()
    outcomes = outcomes_of(example, frame)
    outputs = slice(1, None) if kind == "binary" else slice(None)
    holds, decided = outcomes.holds[:, outputs], outcomes.decided[:, outputs]
    found = {
        metric: score_counts(metric, kind, *count_hits(decided, holds), float(len(holds)))
        for metric in ("f1", "accuracy", "balanced_accuracy")
    }
    one, two = holds.astype(int), decided.astype(int)
    columns = list(zip(one.T, two.T, strict=True))
    recalls = [metrics.balanced_accuracy_score(*column) for column in columns]
    right = [metrics.accuracy_score(*column) for column in columns]
    classes = one.argmax(axis=1), two.argmax(axis=1)
    expected = {
        "f1": np.mean([metrics.f1_score(*column) for column in columns]),
        "accuracy": metrics.accuracy_score(*classes) if kind == "multiclass" else np.mean(right),
        "balanced_accuracy": metrics.balanced_accuracy_score(*classes) if kind == "multiclass" else np.mean(recalls),
    }
    assert found == pytest.approx(expected, abs=1e-12)


WILSON = [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0)]


@pytest.mark.parametrize(("hits", "of", "low", "high"), WILSON)
def test_wilson_interval(hits, of, low, high):
    assert wilson(hits, of) == pytest.approx((low, high), abs=5e-5)
