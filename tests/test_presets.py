"""The paper's method through the classifier: presets, discretizers, tasks and switches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from nln import (
    Constraints,
    LanguageOptions,
    LogicProgram,
    NLNClassifier,
    Periodic,
    TrainingOptions,
    classifier,
    datasets,
)
from nln.learning.options import PAPER_TRAINING, PRESETS
from nln.learning.paper.discretize import DISCRETIZERS
from nln.rules import ValueCondition

FAST = TrainingOptions(
    learning_rate=0.02, batch_size=32, epochs=150, patience=150, intervals=9, retrain_epochs=20, module_penalties=True
)
PAPER = {"preset": "paper", "training": FAST, "n_rules": 24, "random_state": 0}


def table(n=300, seed=0):
    """A table with every kind of feature; ill is red and above 50, or not a smoker with a missing weight."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], n),
            "age": rng.integers(20, 80, n).astype(float),
            "smoker": rng.choice(["no", "yes"], n),
            "weight": np.where(rng.random(n) < 0.3, np.nan, rng.normal(70, 10, n).round()),
        }
    )
    ill = ((X["colour"] == "red") & (X["age"] > 50)) | ((X["smoker"] == "no") & X["weight"].isna())
    return X, pd.Series(np.where(ill, "ill", "fine"), name="state")


@pytest.fixture(scope="module")
def fitted():
    X, y = table()
    return X, y, NLNClassifier(**PAPER).fit(X, y)


def test_the_paper_preset_has_the_authors_settings():
    training = PRESETS["paper"].training
    assert (training.learning_rate, training.batch_size, training.epochs) == (1e-3, 128, 3000)
    assert (training.patience, training.validation, training.intervals) == (500, 0.2, 33)
    assert (training.retrain_epochs, training.retrain_patience) == (1000, 100)
    assert (training.non_empty, training.l1, training.reset_rules) == (0.1, 1e-3, True)
    assert (training.learned_intervals, training.feature_units) == (True, True)
    assert (PRESETS["paper"].starts, PRESETS["paper"].discretization) == (1, "descending")
    assert PRESETS["paper"].threshold == "accuracy"


def test_the_paper_preset_is_the_same_as_its_settings_one_by_one(fitted):
    X, y, model = fitted
    settings = {**PAPER, "preset": None, "starts": 1, "threshold": "accuracy", "discretization": "descending"}
    assert str(NLNClassifier(**settings).fit(X, y).program_) == str(model.program_)


def test_a_parameter_that_is_given_wins_over_the_preset(fitted):
    X, y, model = fitted
    other = NLNClassifier(**PAPER, threshold=0.123, discretization="threshold").fit(X, y)
    assert other.program_.thresholds == (0.123,)
    assert model.program_.thresholds != (0.123,)
    again = NLNClassifier(**PAPER, threshold=0.123).fit(X, y).program_
    assert again.rules == model.program_.rules


def test_the_default_preset_is_what_there_is_without_one():
    X, y = table(120)
    quick = {"starts": 2, "training": TrainingOptions(epochs=20), "random_state": 0}
    programs = {str(NLNClassifier(**quick, preset=preset).fit(X, y).program_) for preset in (None, "default")}
    programs.add(str(NLNClassifier(**quick, discretization="coordinate", threshold="f1").fit(X, y).program_))
    assert len(programs) == 1


def test_the_rules_are_learned(fitted):
    X, y, model = fitted
    assert model.score(X, y) > 0.95
    assert model.path_ == ()
    assert model.price_ is None
    assert model.network_ is not None
    assert len(model.history_) == 1
    text = str(model.program_)
    assert LogicProgram.parse(text, schema=model.schema_) == model.program_.simplify()


@pytest.mark.parametrize("discretization", [*DISCRETIZERS, "coordinate"])
def test_every_discretizer_gives_a_program(discretization, frame):
    X, y = table(150)
    model = NLNClassifier(**{**PAPER, "discretization": discretization}).fit(frame(X.to_dict("list")), y.to_numpy())
    assert model.score(frame(X.to_dict("list")), y.to_numpy()) >= 0.6
    assert model.program_.simplify() == model.program_


def test_several_classes_and_labels():
    X, y = datasets.load_wine()
    model = NLNClassifier(**PAPER).fit(X, y)
    assert model.score(X, y) > 0.8
    X, _ = table()
    Y = np.stack([X["colour"] == "red", (X["smoker"] == "yes") & (X["age"] < 40)], axis=1).astype(int)
    model = NLNClassifier(**PAPER).fit(X, Y)
    assert (model.predict(X) == Y).mean() > 0.95


def test_labels_have_a_threshold_each_or_one_for_all():
    X, _ = table()
    rng = np.random.default_rng(1)
    Y = np.stack([X["colour"] == "red", rng.random(len(X)) < 0.2 + 0.3 * (X["smoker"] == "yes")], axis=1).astype(int)
    each = NLNClassifier(**PAPER).fit(X, Y)
    shared = NLNClassifier(**PAPER, threshold="accuracy shared").fit(X, Y)
    assert len(set(shared.program_.thresholds)) == 1
    P = each.predict_proba(X)
    right = [((t <= P) == Y).mean() for t in np.arange(1, 100) / 100]
    assert ((shared.program_.thresholds[0] <= P) == Y).mean() == pytest.approx(max(right))


def test_without_negation_nothing_is_negated():
    X, y = table()
    model = NLNClassifier(**PAPER, language=LanguageOptions(negation=False)).fit(X, y)
    assert model.network_.weights.and_weights.min() >= 0
    conditions = [c for rule in model.program_.rules for c in rule.conditions if isinstance(c, ValueCondition)]
    assert conditions
    assert not any(c.negated and c.values for c in conditions)
    assert not any(c.feature == "smoker" and c.values == ("no",) for c in conditions)


def test_without_biases_rules_are_certain():
    X, y = table()
    training = replace(FAST, biases=False)
    model = NLNClassifier(**{**PAPER, "training": training}).fit(X, y)
    assert (model.network_.weights.rule_bias == 1).all()
    assert (model.network_.weights.output_bias == 0).all()
    assert {rule.weight for rule in model.program_.rules} == {0.999}
    assert model.program_.biases == (0.001,)


def test_without_a_validation_split_all_rows_train():
    X, y = table(100)
    model = NLNClassifier(**{**PAPER, "training": replace(FAST, validation=0.0, epochs=5)}).fit(X, y)
    history = model.history_[0]
    assert history.column("loss") == history.column("validation_loss")
    coordinate = NLNClassifier(starts=2, training=TrainingOptions(validation=0.0, epochs=5), random_state=0).fit(X, y)
    assert coordinate.history_[0].column("loss") == coordinate.history_[0].column("validation_loss")


def test_rule_reset_can_be_left_out():
    X, y = table(100)
    for reset in (True, False):
        training = replace(FAST, reset_rules=reset, epochs=400, l1=0.05)
        model = NLNClassifier(**{**PAPER, "training": training}).fit(X, y)
        assert any(model.history_[0].column("resets")) == reset


def test_the_number_of_threads_does_not_matter():
    X, y = table(100)
    programs = {str(NLNClassifier(**PAPER, starts=2, n_jobs=n).fit(X, y).program_) for n in (1, 2)}
    assert len(programs) == 1


@pytest.mark.parametrize("limits", [{"max_rules": 3}, {"unions": False}, {"fuzzy": False}, {"max_conditions": 2}])
def test_limits_that_the_papers_discretizers_cannot_keep_are_refused(limits):
    X, y = table(60)
    with pytest.raises(ValueError, match="discretization='coordinate'"):
        NLNClassifier(**PAPER, language=LanguageOptions(**limits)).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"price": 1.0}, "price needs discretization='coordinate'"),
        ({"size": "short"}, "size needs discretization='coordinate'"),
        ({"constraints": Constraints()}, "constraints needs discretization='coordinate'"),
        ({"initial_program": ""}, "initial_program needs discretization='coordinate'"),
        ({"language": LanguageOptions(max_rules=3)}, "the only option of the language is negation=False"),
    ],
)
def test_what_only_coordinate_descent_can_do_is_refused_before_the_table_is_read(parameters, message):
    with pytest.raises(ValueError, match=message):
        NLNClassifier(**PAPER, **parameters).fit(object(), object())


def test_kinds_that_the_paper_cannot_take_are_refused_before_any_row_is_encoded(monkeypatch):
    def encode(*args, **options):
        raise AssertionError("rows were encoded")

    monkeypatch.setattr(classifier, "make_encoding", encode)
    X, y = table(60)
    with pytest.raises(ValueError, match="'age' is of kind 'periodic', which discretization='descending' cannot"):
        NLNClassifier(**PAPER, feature_types={"age": Periodic(24)}).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"preset": "fast"}, "preset must be one of 'default', 'paper', or None for 'default'"),
        ({"size": "long"}, "size must be one of 'short', 'balanced', 'accurate', or None for 'balanced'"),
        ({"discretization": "rounding"}, "'coordinate', 'threshold', 'descending'"),
        ({"threshold": "f1 together"}, "'f1 shared'"),
    ],
)
def test_unknown_names_are_refused_with_the_known_ones(parameters, message):
    X, y = table(60)
    with pytest.raises(ValueError, match=message):
        NLNClassifier(**parameters).fit(X, y)


def test_the_papers_training_is_within_the_limits_of_the_options():
    assert replace(PAPER_TRAINING, epochs=1).bins == 254
