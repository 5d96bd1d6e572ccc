"""Programs keep to the language that was asked for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from nln import Constraints, LanguageOptions, NLNClassifier, TrainingOptions, datasets
from nln.rules import IntervalCondition, ValueCondition

QUICK = {"starts": 2, "training": TrainingOptions(epochs=60), "random_state": 0}


def conditions(program, kind):
    return [c for rule in program.rules for c in rule.conditions if isinstance(c, kind)]


def learned(data, **limits):
    return NLNClassifier(**QUICK, language=LanguageOptions(**limits)).fit(*data).program_


@pytest.fixture(scope="module")
def bands():
    """A table whose truth needs an exception and a union of intervals."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"colour": rng.choice(list("rgbwy"), 600), "x": rng.normal(size=600), "z": rng.normal(size=600)})
    return X, ((X["colour"] != "r") & (X["x"].abs() > 0.7)).astype(int)


def test_free_language_says_the_truth_as_it_is(bands):
    program = learned(bands)
    assert any(c.negated for c in conditions(program, ValueCondition))
    assert any(len(c.intervals) == 2 for c in conditions(program, IntervalCondition))


def test_no_negation(bands):
    program = learned(bands, negation=False)
    assert program.n_rules
    assert not any(c.negated and c.values for c in conditions(program, ValueCondition))


def test_no_unions(bands):
    program = learned(bands, unions=False)
    assert program.n_rules
    assert all(len(c.intervals) <= 1 for c in conditions(program, IntervalCondition))


def test_crisp_boundaries_only():
    program = learned(datasets.load_wine(), fuzzy=False)
    assert conditions(program, IntervalCondition)
    assert all(c.is_crisp for c in conditions(program, IntervalCondition))


@pytest.mark.parametrize("most", [1, 3])
def test_most_rules(most):
    program = learned(datasets.load_wine(), max_rules=most)
    assert 1 <= program.n_rules <= most


@pytest.mark.parametrize("most", [1, 2])
def test_most_conditions_of_a_rule(most):
    X, y = datasets.load_tic_tac_toe()
    program = learned((X, y), max_conditions=most)
    assert program.n_rules
    assert max(len(rule.conditions) for rule in program.rules) <= most


def test_rounding_makes_boundaries_shorter():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=2000)})
    y = (X["x"] + rng.normal(size=2000) / 3 > 0.5).astype(int)

    def digits(rounding):
        program = learned((X, y), rounding=rounding)
        return [len(repr(b.value)) for c in conditions(program, IntervalCondition) for b in c.boundaries]

    assert max(digits(0.5)) < max(digits(0.0))


def gappy(seed, n=400, classes=2):
    """A noisy table of numbers and values with gaps, which themselves tell something, and rare classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.normal(size=n), "z": rng.exponential(size=n), "n": rng.integers(0, 9, n).astype(float)})
    X["colour"] = rng.choice(["red", "green", "blue", "white"], n)
    score = X["x"] + (X["colour"] == "red") + (X["z"] > 1.5) + rng.normal(size=n) / 2
    y = np.digitize(score, [1.0, 2.2, 3.2][: classes - 1])
    X.loc[rng.random(n) < np.where(y > 0, 0.3, 0.1), "x"] = np.nan
    X.loc[rng.random(n) < np.where(y > 0, 0.1, 0.3), "colour"] = None
    return X, y


MADE_UP = [(0, 2), (1, 2), (2, 3), (3, 4)]


def every_rule(model):
    return [rule for point in model.path_ for rule in point.program.rules]


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("fuzzy", [False, True])
@pytest.mark.parametrize(("seed", "classes"), MADE_UP)
def test_every_rule_of_the_dial_covers_the_fewest_rows_or_more(seed, classes, fuzzy, weights):
    X, y = gappy(seed, classes=classes)
    weight = np.random.default_rng(seed).exponential(size=len(X)) if weights else None
    language = LanguageOptions(min_rows=25, fuzzy=fuzzy)
    model = NLNClassifier(**QUICK, language=language).fit(X, y, sample_weight=weight)
    assert every_rule(model)
    assert min(rule.coverage.rows for rule in every_rule(model)) >= 25


def test_rules_become_wider_rather_than_fewer():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=300), "z": rng.normal(size=300)})
    y = (X["x"] > 1.3) | ((X["x"] > 0.5) & (rng.random(300) < 0.7))
    narrow, wide = (learned((X, y), min_rows=n, fuzzy=False) for n in (1, 60))
    assert min(rule.coverage.rows for rule in narrow.rules) < 60
    assert wide.n_rules
    assert min(rule.coverage.rows for rule in wide.rules) >= 60


@pytest.mark.filterwarnings("ignore:No rule was learned")
def test_without_a_number_noise_decides_how_many_rows_a_rule_must_cover():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({f"x{i}": rng.normal(size=500) for i in range(4)})
    noise = NLNClassifier(**QUICK).fit(X, ((X["x0"] > 0) ^ (rng.random(500) < 0.4)).astype(int))
    assert min(rule.coverage.rows for rule in every_rule(noise)) >= 8  # log 500 / log 2 = 9 where nothing is explained


def test_a_rare_class_of_a_few_rows_still_has_its_rule():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"x": rng.normal(size=600), "sign": rng.choice(["a", "b"], 600)})
    y = ((X["x"] > 0) ^ (rng.random(600) < 0.2)).astype(int)
    X.loc[:5, "sign"], y[:6] = "c", 2
    program = NLNClassifier(**QUICK).fit(X, y).program_
    assert [rule.coverage.rows for rule in program.rules_for(2)] == [6]


@pytest.mark.parametrize(("seed", "classes"), MADE_UP)
def test_plain_rules_are_crisp_and_short_and_missing_values_satisfy_all_of_a_condition_or_nothing(seed, classes):
    X, y = gappy(seed, classes=classes)
    plain = NLNClassifier(**QUICK, language="plain").fit(X, y)
    rules = every_rule(plain)
    assert rules
    assert all(rule.is_crisp and len(rule.conditions) <= 3 for rule in rules)
    assert all(len(c.intervals) <= 1 for rule in rules for c in rule.conditions if isinstance(c, IntervalCondition))
    assert {c.missing for rule in rules for c in rule.conditions} <= {0.0, 1.0}
    same = NLNClassifier(**QUICK, language=LanguageOptions.plain()).fit(X, y)
    assert same.program_ == plain.program_


def test_the_default_language_says_what_the_plain_one_does_not():
    found = [NLNClassifier(**QUICK).fit(*gappy(seed, classes=classes)) for seed, classes in MADE_UP]
    missing = {c.missing for model in found for rule in every_rule(model) for c in rule.conditions}
    assert not missing <= {0.0, 1.0}
    assert not all(rule.is_crisp for model in found for rule in every_rule(model))


def test_plain_rules_keep_constraints_and_given_rules_too():
    X, y = gappy(0)
    limits = Constraints(monotone={"x": "increasing"}, price_factors={"z": 2.0}, required=["x", "colour"])
    given = "IF x >= 0 or missing (0.4) THEN class = 1 (0.7)"
    model = NLNClassifier(**QUICK, language="plain", constraints=limits, initial_program=given).fit(X, y)
    assert {c.missing for rule in every_rule(model) for c in rule.conditions} <= {0.0, 1.0}
    assert limits.violations(model.program_) == ()


@pytest.mark.parametrize("language", ["simple", "Plain"])
def test_other_names_of_languages_are_refused(language):
    with pytest.raises(ValueError, match="language must be a LanguageOptions, 'plain' or None"):
        NLNClassifier(language=language).fit(*gappy(0))


@pytest.mark.parametrize("limits", [{"max_rules": 0}, {"max_conditions": 1.5}, {"rounding": -1.0}, {"min_rows": 0}])
def test_limits_that_mean_nothing_are_refused(limits):
    with pytest.raises(ValueError, match=next(iter(limits))):
        LanguageOptions(**limits)
