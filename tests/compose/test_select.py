from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from nln.compose import select
from nln.rules import Feature, LogicProgram, Rule, Schema, Target
from tests.compose.examples import parse, table

PROGRAM = parse(
    """
    IF x < 3 AND colour in {blue, red} THEN class = yes (0.9)
    IF size >= L THEN class = yes (0.8)
    IF x >= 8 ± 0.5 THEN class = yes (0.9)
    IF x < 1.5 THEN class = yes (0.3)
    IF colour = blue THEN class = yes (0.4)
    IF x >= 9 THEN class = yes (0.9)
    OTHERWISE class = no (P(class = yes) = 0.1; class = yes from 0.5)
    """
)


def scores(metric, y, found, labels):
    if metric == "accuracy":
        return accuracy_score(y, found)
    if metric == "balanced_accuracy":
        return balanced_accuracy_score(y, found)
    if len(labels) == 2:
        return f1_score(y, found, pos_label=labels[1], zero_division=0)
    return f1_score(y, found, average="macro", labels=list(labels), zero_division=0)


def enumerate_best(program, X, y, metric, most):
    """Score all sub-programs with scikit-learn; return the best score and the smallest choices that have it."""
    rated = []
    for size in range(min(most, program.n_rules) + 1):
        for choice in combinations(range(program.n_rules), size):
            rules = tuple(program.rules[i] for i in choice)
            found = LogicProgram(program.schema, rules, program.biases, program.thresholds).predict(X)
            rated.append((scores(metric, y, found, program.schema.target.labels), choice))
    best = max(score for score, _ in rated)
    good = [choice for score, choice in rated if score >= best - 1e-12]
    return best, {choice for choice in good if len(choice) == len(good[0])}


@pytest.mark.parametrize("metric", ["f1", "accuracy", "balanced_accuracy"])
@pytest.mark.parametrize("most", [None, 0, 1, 2])
def test_selection_is_what_enumeration_finds(metric, most):
    X, y = table(120)
    found = select(PROGRAM, X, y, metric=metric, n_rules=most)
    best, choices = enumerate_best(PROGRAM, X, y, metric, PROGRAM.n_rules if most is None else most)
    assert found.proved
    assert found.score == pytest.approx(best)
    assert set(found.kept) == choices


@st.composite
def small_problems(draw):
    """A program over three classes or two, with crisp rules on value sets, and rows."""
    labels = draw(st.sampled_from([("a", "b"), ("a", "b", "c")]))
    target = Target("class", "binary" if len(labels) == 2 else "multiclass", labels)
    schema = Schema((Feature("f", "categorical", (0, 1, 2)), Feature("x", "continuous")), target)
    chance = st.sampled_from([0.2, 0.5, 0.8])
    texts = st.sampled_from(["f = 0", "f != 1", "x < 2", "x >= 1 ± 1", "f = 2 AND x < 3", "x >= 2"])
    rules: list[Rule] = []
    for text in draw(st.lists(texts, max_size=5)):
        label = draw(st.sampled_from(target.outputs))
        rules += LogicProgram.parse(f"IF {text} THEN class = {label} ({draw(chance)})", schema=schema).rules
    biases = tuple(draw(chance) for _ in target.outputs)
    several = draw(st.sampled_from([(), (0.5, 0.3, 0.1)]))
    program = LogicProgram(schema, tuple(rules), biases, (0.5,) if len(labels) == 2 else several)
    rows = draw(st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.integers(0, 4)), min_size=4, max_size=10))
    y = [*labels, *draw(st.lists(st.sampled_from(labels), min_size=10, max_size=10))][: len(rows)]
    return program, {"f": [f for f, _ in rows], "x": [float(x) for _, x in rows]}, y


@settings(max_examples=60)
@given(small_problems(), st.sampled_from(["f1", "accuracy"]), st.sampled_from([1, 2, 5]))
def test_selection_is_what_enumeration_finds_on_any_small_program(problem, metric, most):
    program, X, y = problem
    found = select(program, X, y, metric=metric, n_rules=most)
    best, choices = enumerate_best(program, X, y, metric, most)
    assert found.proved
    assert found.score == pytest.approx(best)
    assert set(found.kept) == choices


def test_enough_is_enough():
    X, y = table()
    full = select(PROGRAM, X, y)
    less = select(PROGRAM, X, y, score=0.5)
    assert 0.5 <= less.score < full.score
    assert less.program.n_rules < full.program.n_rules
    assert less.proved


def test_ties_come_with_the_wider_coverage_first():
    program = parse("IF x < 1 THEN class = yes IF x < 2 THEN class = yes IF x < 3 THEN class = yes (0.9)")
    X = {"x": [0.5, 1.5, 5.0], "colour": ["red"] * 3, "size": ["S"] * 3}
    found = select(program, X, ["yes", "yes", "no"])
    assert found.kept == ((1,), (2,))
    wide = select(program, {**X, "x": [0.5, 0.6, 5.0]}, ["yes", "yes", "no"])
    assert wide.kept == ((0,), (1,), (2,))
    assert found.program == found.ties[0]
    assert "1 of 3 rules" in str(found)


def test_without_nodes_the_choice_is_not_proved():
    X, y = table(60)
    found = select(PROGRAM, X, y, max_nodes=0)
    assert not found.proved
    assert "not proved" in str(found)
    assert found.score == pytest.approx(select(PROGRAM, X, y).score, abs=0.05)


def test_more_ties_than_asked_for_are_not_complete():
    X, y = table(60)
    program = parse("IF x < 5 THEN class = yes IF x < 5 ± 0.0001 THEN class = yes IF x < 5.0001 THEN class = yes")
    assert len(select(program, X, y, n_rules=1).ties) == 3
    some = select(program, X, y, n_rules=1, max_ties=2)
    assert len(some.ties) == 2
    assert not some.proved


def test_several_labels_are_selected_for_each():
    schema = Schema((Feature("x", "continuous"),), Target("labels", "multilabel", ("low", "high")))
    program = LogicProgram.parse("IF x < 2 THEN low IF x < 1 THEN low IF x >= 5 THEN high", schema=schema)
    X, y = {"x": [0.0, 1.5, 3.0, 6.0]}, np.array([[1, 0], [1, 0], [0, 0], [0, 1]])
    found = select(program, X, y)
    assert found.kept == ((0, 2),)
    assert found.score == 1.0


def test_table_libraries_and_inputs(frame):
    X, y = table(80)
    before = PROGRAM.to_dict()
    assert select(PROGRAM, frame(X), y) == select(PROGRAM, X, y)
    assert PROGRAM.to_dict() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "best"}, "metric must be one of 'f1'"),
        ({"n_rules": -1}, "n_rules"),
        ({"score": float("nan")}, "score must be a finite number"),
        ({"score": 2.0}, "No choice of at most 6 rules reaches f1 2.0; the best has"),
    ],
)
def test_bad_arguments_are_refused(options, message):
    X, y = table(20)
    with pytest.raises(ValueError, match=message):
        select(PROGRAM, X, y, **options)


@settings(max_examples=50)
@given(st.integers(0, 10_000))
def test_without_truth_the_fewest_rules_that_decide_alike_are_kept(seed):
    X, _ = table(60, seed)
    found = select(PROGRAM, X, metric="accuracy")
    decided = PROGRAM.predict(X)
    assert found.score == 1.0
    assert all((tie.predict(X) == decided).all() for tie in found.ties)
    _, fewest = enumerate_best(PROGRAM, X, decided, "accuracy", PROGRAM.n_rules)
    assert sorted(found.kept) == sorted(fewest)


def test_without_truth_what_rules_cover_stays_as_it_was():
    X, y = table()
    given_coverage = PROGRAM.with_coverage(X, y)
    short = {name: column[:50] for name, column in X.items()}
    found = select(given_coverage, short, metric="accuracy")
    kept = {given_coverage.rules[place] for place in found.kept[0]}
    assert set(found.program.rules) == kept
    with pytest.raises(ValueError, match="X has no rows"):
        select(PROGRAM, {name: [] for name in X})
