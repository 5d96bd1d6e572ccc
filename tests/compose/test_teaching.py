"""Taught rules are kept, sharpened, contradicted or found redundant, and the report says so."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from nln import Constraints, LanguageOptions, NLNClassifier, TrainingOptions, datasets
from nln.compose import TeachingReport, teach
from nln.compose.core.changes import canonical_rule
from nln.compose.teaching import match_rules, same_condition
from nln.rules import Feature, LogicProgram, Schema, Target, ValueCondition

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
TAUGHT, WRONG = ((0, 1, 2), (3, 4, 5), (0, 3, 6), (2, 4, 6)), (0, 1, 4)


def quick(**options) -> NLNClassifier:
    return NLNClassifier(**{"starts": 2, "training": TrainingOptions(epochs=60), "random_state": 0, **options})


def line_text(squares: list[str], line: tuple[int, ...]) -> str:
    return f"IF {' AND '.join(f'{squares[i]} = x' for i in line)} THEN class = positive"


def squares_of(rule, squares: list[str]) -> tuple[int, ...]:
    assert all(c == ValueCondition(c.feature, ("x",)) for c in rule.conditions)
    return tuple(sorted(squares.index(c.feature) for c in rule.conditions))


@pytest.fixture(scope="module")
def game() -> tuple[pd.DataFrame, pd.Series, TeachingReport]:
    X, y = datasets.load_tic_tac_toe(backend="pandas")
    text = "\n".join(line_text(list(X), line) for line in (*TAUGHT, WRONG))
    return X, y, teach(text, X, y, classifier=quick())


def test_incomplete_and_partly_wrong_rules_come_back_complete_and_corrected(game):
    X, y, report = game
    assert sorted(squares_of(rule, list(X)) for rule in report.program.rules) == sorted(LINES)
    assert report.model.score(X, y) == 1.0
    assert [squares_of(e.taught, list(X)) for e in report.of("kept")] == list(TAUGHT)
    assert sorted(squares_of(e.learned, list(X)) for e in report.of("new")) == sorted(set(LINES) - set(TAUGHT))
    assert [e.taught_number for e in report.of("contradicted")] == [5]
    assert len(report.entries) == 9


def test_rows_that_contradict_a_rule_are_those_it_covers_without_its_label(game):
    X, y, report = game
    wrong = report.of("contradicted")[0]
    covered = (X[[X.columns[i] for i in WRONG]] == "x").all(axis=1)
    assert wrong.n_covered == covered.sum()
    assert list(wrong.against) == np.flatnonzero(covered & (y == "negative")).tolist()
    assert wrong.against
    by = {squares_of(report.program.rules[n - 1], list(X)) for n in wrong.covered_by}
    assert by == {(0, 1, 2), (1, 4, 7), (0, 4, 8)}


def test_text_of_the_report_says_all(game):
    *_, report = game
    text = str(report)
    assert text.startswith("5 rules taught, 8 learned: 4 kept, 1 contradicted, 4 new.")
    assert text.count("KEPT rule") == 4
    assert text.count("NEW rule") == 4
    assert "CONTRADICTED rule 5 as taught" in text
    assert f"against it: {len(report.of('contradicted')[0].against)} of " in text


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_frame_has_a_row_an_entry(game, backend):
    *_, report = game
    frame = report.to_frame(backend)
    assert isinstance(frame, pd.DataFrame if backend == "pandas" else pl.DataFrame)
    assert list(frame["status"]) == [e.status for e in report.entries]
    assert list(frame["against"]) == [len(e.against) for e in report.entries]
    numbers = [None if n is None or n is pd.NA else int(n) for n in frame["taught"]]
    assert numbers == [1, 2, 3, 4, 5, None, None, None, None]
    assert frame["after"][0].count(" AND ") == 2


@pytest.fixture(scope="module")
def ages() -> tuple[dict, list[str]]:
    rng = np.random.default_rng(0)
    X = {"age": rng.integers(20, 80, 500).tolist(), "smoker": rng.choice(["no", "yes"], 500).tolist()}
    X["town"] = rng.choice(list("abc"), 500).tolist()
    return X, ["yes" if a >= 60 and s == "yes" else "no" for a, s in zip(X["age"], X["smoker"], strict=True)]


def taught(ages, text: str, frame=pd.DataFrame, **options) -> TeachingReport:
    X, y = ages
    crisp = {"language": LanguageOptions(fuzzy=False), **options}
    return teach(text, frame(X), y, classifier=quick(**crisp))


def test_sharpened_rules_show_the_old_and_the_new_boundary(ages, frame):
    report = taught(ages, "IF age >= 50 AND smoker = yes AND town != a THEN class = yes", frame)
    (entry,) = report.entries
    assert entry.status == "sharpened"
    assert {c.feature: (c.before, c.after) for c in entry.changes} == {
        "age": ("age >= 50", "age >= 60"),
        "town": ("town != a", None),
    }
    assert "age >= 50  ->  age >= 60" in str(report)
    assert "dropped town != a" in str(report)


def test_redundant_and_unsupported_rules_are_told_apart(ages):
    text = """
    IF age >= 60 AND smoker = yes THEN class = yes
    IF age >= 70 AND smoker = yes AND town = a THEN class = yes
    IF age >= 200 THEN class = yes
    """
    report = taught(ages, text)
    assert [e.status for e in report.entries] == ["kept", "redundant", "unsupported"]
    assert report.entries[0].learned.conditions == report.entries[0].taught.conditions
    assert report.entries[1].covered_by == (1,)
    assert report.entries[2].n_covered == 0


@pytest.mark.filterwarnings("ignore:No rule was learned")
def test_a_rule_with_lift_is_supported_though_weaker_than_claimed():
    """Smokers are ill more often, 37 % against 16 %, but a rule that claims certainty does not stay."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"smoker": rng.choice(["no", "yes"], 600), "town": rng.choice(list("abc"), 600)})
    y = np.where(rng.random(600) < np.where(X["smoker"] == "yes", 0.37, 0.16), "yes", "no")
    text = "IF smoker = yes AND town != c THEN class = yes  IF smoker = no THEN class = yes"
    report = teach(text, X, y, classifier=quick(price=1000.0))
    lift, none = report.entries
    assert (lift.status, none.status) == ("supported", "contradicted")
    covered = (X["smoker"] == "yes") & (X["town"] != "c")
    assert lift.share == pytest.approx((y[covered] == "yes").mean())
    assert lift.share_elsewhere == pytest.approx((y[~covered] == "yes").mean())
    assert "SUPPORTED, WEAKER THAN CLAIMED rule 1 as taught" in str(report)
    assert f"its label: {100 * lift.share:.0f} % of the {covered.sum()} rows that it covers, " in str(report)
    assert report.to_frame("pandas")["share"][0] == lift.share
    modest = teach("IF smoker = yes THEN class = yes (0.2)", X, y, classifier=quick(price=1000.0))
    assert "SUPPORTED rule 1 as taught" in str(modest)


def test_fixed_rules_are_kept_with_the_rows_that_speak_against_them(ages):
    report = taught(ages, "IF town = a THEN class = yes", constraints=Constraints(fixed_rules=True))
    assert report.entries[0].status == "kept"
    assert len(report.entries[0].against) > 0.5 * report.entries[0].n_covered


def test_classifier_given_stays_as_it_is(ages):
    X, y = ages
    given = quick(starts=1)
    report = teach("IF age >= 60 THEN class = yes", pd.DataFrame(X), y, classifier=given)
    assert given.initial_program is None
    assert not hasattr(given, "program_")
    assert report.model.starts == 1
    assert report.program is report.model.program_


def test_arrays_and_several_labels_can_be_taught():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2)).round(2)
    y = np.stack([X[:, 0] > 0.5, X[:, 1] > 0], axis=1).astype(int)
    report = teach("IF x0 >= 0 THEN y0 IF x1 < 0 THEN y1", X, y, classifier=quick())
    assert {e.status for e in report.entries if e.taught_number == 1} == {"sharpened"}
    assert {e.status for e in report.entries if e.taught_number == 2} == {"contradicted"}
    assert report.program.rules_for("y1")


def test_unknown_status_is_refused(game):
    with pytest.raises(ValueError, match="no status 'gone'; known: kept"):
        game[2].of("gone")


def test_unknown_library_is_refused(game):
    with pytest.raises(ValueError, match="backend must be"):
        game[2].to_frame("arrow")


def test_value_set_and_its_complement_are_the_same_condition():
    colour = Feature("colour", "categorical", ("blue", "green", "red"))
    listed, negated = ValueCondition("colour", ("blue", "red")), ValueCondition("colour", ("green",), negated=True)
    assert same_condition(listed, negated, colour)
    assert not same_condition(listed, ValueCondition("colour", ("green",), negated=True, missing=0.5), colour)


def test_no_learned_rule_stands_for_two_and_the_closest_wins():
    schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    old = LogicProgram.parse("IF x < 5 THEN class = yes IF x < 7 THEN class = yes", schema=schema)
    new = LogicProgram.parse("IF x < 6.5 THEN class = yes", schema=schema)
    x = np.arange(10)
    old_rows, new_rows = np.stack([x < 5, x < 7], axis=1), np.stack([x < 7], axis=1)
    rules = [canonical_rule(rule, old) for rule in old.rules]
    assert match_rules(rules, new.rules, old_rows, new_rows) == {1: (0, 1.0)}
