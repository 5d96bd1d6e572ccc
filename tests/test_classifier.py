from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import nln
from nln import Callback, LogicProgram, NLNClassifier, TrainingOptions, classifier, datasets
from nln.rules import evaluate
from nln.rules.storage.programs import shared_schema

QUICK = {"starts": 2, "training": TrainingOptions(epochs=40), "random_state": 0}


def expected_failures(estimator):
    reason = "A weight says how much a row counts; a row given twice was seen twice, so that folds may share it."
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@pytest.mark.filterwarnings("ignore:No rule was learned")  # its checks fit noise, too
@parametrize_with_checks([NLNClassifier(**QUICK)], expected_failed_checks=expected_failures)
def test_scikit_learn_agrees_that_this_is_an_estimator(estimator, check):
    check(estimator)


def noisy_table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], n),
            "age": rng.normal(50, 15, n).round(1),
            "smoker": rng.choice([True, False], n),
        }
    )
    y = np.where((X["colour"] == "red") & (X["age"] > 50), "ill", "well")
    return X, pd.Series(y, name="state")


LINES = ["top", "middle", "bottom"], ["left", "middle", "right"]


def winning_lines():
    rows, columns = LINES
    lines = [{(r, c) for c in columns} for r in rows] + [{(r, c) for r in rows} for c in columns]
    lines += [{(r, c) for r, c in zip(rows, columns, strict=True)}]
    lines += [{(r, c) for r, c in zip(rows, columns[::-1], strict=True)}]
    return {frozenset(f"{r}-{c}-square" for r, c in line) for line in lines}


@pytest.mark.parametrize("seed", range(5))
def test_tic_tac_toe_gives_exactly_the_eight_winning_lines_in_every_fold(seed):
    X, y = datasets.load_tic_tac_toe()
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        model = NLNClassifier(random_state=seed).fit(X.iloc[train], y.iloc[train])
        assert {frozenset(c.feature for c in rule.conditions) for rule in model.program_.rules} == winning_lines()
        assert all(c.values == ("x",) and not c.negated for rule in model.program_.rules for c in rule.conditions)
        assert model.program_.n_rules == 8
        assert (model.predict(X.iloc[test]) == y.iloc[test]).all()


def test_the_frame_of_rules_is_in_the_library_of_the_table(frame):
    X, y = noisy_table(100)
    model = NLNClassifier(**QUICK).fit(frame(X.to_dict("list")), y)
    rules = model.to_frame()
    assert type(rules) is frame
    assert len(rules) == model.program_.n_rules
    assert list(rules["conditions"]) == [record["conditions"] for record in model.program_.to_records()]


def test_the_frame_of_rules_after_another_table_is_of_an_installed_library():
    X, y = noisy_table(100)
    for table in (pa.table(X.to_dict("list")), X.to_numpy()):
        assert isinstance(NLNClassifier(**QUICK).fit(table, y).to_frame(), pd.DataFrame)
    with pytest.raises(NotFittedError):
        NLNClassifier().to_frame()


@pytest.mark.parametrize("method", ["predict", "predict_proba", "rule_memberships", "explain"])
def test_a_model_that_is_not_fitted_says_so(method):
    with pytest.raises(NotFittedError):
        getattr(NLNClassifier(), method)([[1.0]])


def test_true_rule_of_a_mixed_table_is_found_and_its_names_are_kept():
    X, y = noisy_table()
    model = NLNClassifier(random_state=0).fit(X, y == "ill")
    (rule,) = model.program_.rules
    assert {c.feature for c in rule.conditions} == {"colour", "age"}
    assert "colour = red" in str(model.program_)


def test_same_seed_gives_same_program_on_any_number_of_threads():
    X, y = noisy_table()
    texts = {str(NLNClassifier(**QUICK, n_jobs=jobs).fit(X, y).program_) for jobs in (1, 2, 4)}
    assert len(texts) == 1


def test_order_of_rows_does_not_matter():
    X, y = noisy_table()
    order = np.random.default_rng(1).permutation(len(X))
    first = NLNClassifier(**QUICK).fit(X, y).program_
    second = NLNClassifier(**QUICK).fit(X.iloc[order], y.iloc[order]).program_
    assert first == second


@pytest.mark.filterwarnings("ignore:No rule was learned")
@given(
    scale=st.floats(0.01, 1000),
    seed=st.integers(0, 9),
    class_weight=st.sampled_from([None, "balanced", {"ill": 3, "well": 1}]),
)
@settings(max_examples=15, deadline=None)
def test_only_the_ratios_of_weights_matter(scale, seed, class_weight):
    rng = np.random.default_rng(seed)
    X, y = noisy_table(80, seed)
    weights = [rng.integers(0, 4, len(X)), rng.exponential(1.0, len(X)) + 1e-3, np.ones(len(X))][seed % 3]
    model = NLNClassifier(**QUICK, class_weight=class_weight)
    first = model.fit(X, y, sample_weight=weights).program_
    assert model.fit(X, y, sample_weight=scale * weights).program_ == first


def test_equal_weights_of_any_size_are_no_weights():
    X, y = noisy_table()
    plain = NLNClassifier(**QUICK).fit(X, y)
    heavy = NLNClassifier(**QUICK).fit(X, y, sample_weight=np.full(len(X), 2.0))
    assert heavy.program_ == plain.program_
    assert [point.validation_loss for point in heavy.path_] == [point.validation_loss for point in plain.path_]


@pytest.mark.filterwarnings("ignore:No rule was learned")
def test_weights_do_not_let_rows_left_out_be_learned_by_heart():
    X, _ = noisy_table(200)
    noise = pd.Series(np.random.default_rng(3).integers(0, 2, len(X)))  # nothing can be learned of it
    weights = np.random.default_rng(4).integers(2, 5, len(X))
    model = NLNClassifier(**QUICK).fit(X, noise, sample_weight=weights)
    assert min(point.validation_loss for point in model.path_) > 0.2


def visits(n_patients=40, seed=0):
    """Four visits of each patient, with a fingerprint by which rules can recognize them, and a fate that is chance."""
    rng = np.random.default_rng(seed)
    patients, fate = np.repeat(np.arange(n_patients), 4), rng.integers(0, 2, n_patients)
    names = np.array([f"patient {p}" for p in patients])
    return pd.DataFrame({"fingerprint": names, "noise": rng.normal(size=len(names))}), fate[patients], names


def left_out_loss(model):
    return min(point.validation_loss for point in model.path_)


@pytest.mark.filterwarnings("ignore:No rule was learned")
@pytest.mark.parametrize("seed", range(3))
def test_rules_that_recognize_a_patient_fail_on_left_out_patients(seed):
    X, y, patients = visits(seed=seed)
    assert left_out_loss(NLNClassifier(**QUICK).fit(X, y)) < 0.1
    grouped = NLNClassifier(**QUICK).fit(X, y, groups=patients)
    assert left_out_loss(grouped) > 0.2
    assert grouped.program_.n_rules <= 1


@pytest.mark.filterwarnings("ignore:No rule was learned")
def test_equal_rows_of_different_groups_are_not_left_out_apart_from_their_groups():
    X, y, patients = visits()
    X = X[["fingerprint"]]  # all visits of a patient are one row
    assert left_out_loss(NLNClassifier(**QUICK).fit(X, y)) < 0.1
    assert left_out_loss(NLNClassifier(**QUICK).fit(X, y, groups=patients)) > 0.2


def test_the_order_of_rows_with_groups_does_not_matter():
    X, y = noisy_table()
    groups = np.arange(len(X)) // 3
    order = np.random.default_rng(0).permutation(len(X))
    first = NLNClassifier(**QUICK).fit(X, y, groups=groups)
    second = NLNClassifier(**QUICK).fit(X.iloc[order], y.iloc[order], groups=groups[order])
    assert first.program_ == second.program_


@pytest.mark.filterwarnings("ignore:No rule was learned")
@pytest.mark.parametrize("parameters", [{"discretization": "descending"}, {"n_rules": 8}])
def test_groups_that_hold_one_class_each_can_be_learned_from(parameters):
    X, y = noisy_table(60)
    model = NLNClassifier(**(QUICK | {"starts": 1} | parameters)).fit(X, y, np.ones(len(X)), (y == "ill").to_numpy())
    assert model.program_.n_rules <= 8


@pytest.mark.filterwarnings("ignore:No rule was learned")
def test_scikit_learn_routes_groups_to_fit():
    X, y, patients = visits()
    with config_context(enable_metadata_routing=True):
        model = NLNClassifier(**QUICK).set_fit_request(groups=True)
        scores = cross_val_score(model, X, y, cv=GroupKFold(2), params={"groups": patients})
    assert scores.mean() < 0.8


def test_same_program_from_every_table_library(frame):
    X, y = noisy_table()
    given = frame({name: X[name].tolist() for name in X})
    expected = NLNClassifier(**QUICK).fit(X, y)
    model = NLNClassifier(**QUICK).fit(given, y.tolist())
    assert model.program_.rules == expected.program_.rules
    np.testing.assert_array_equal(model.predict_proba(given), expected.predict_proba(X))
    assert model.feature_names_in_.tolist() == ["colour", "age", "smoker"]


def test_program_alone_predicts_what_the_classifier_predicts():
    X, y = noisy_table()
    X.loc[::7, "age"] = np.nan
    X.loc[::5, "colour"] = None
    model = NLNClassifier(**QUICK).fit(X, y)
    X.loc[3, "colour"] = "violet"
    np.testing.assert_array_equal(model.program_.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(model.program_.predict(X), model.predict(X))


def test_each_stage_is_evaluated_once_on_the_training_rows(monkeypatch):
    evaluated, plan = [], evaluate.make_plan
    monkeypatch.setattr(evaluate, "make_plan", lambda program: evaluated.append(program) or plan(program))
    X, y = noisy_table()
    model = NLNClassifier(**QUICK).fit(X, y)
    assert len(evaluated) == len(model.path_) > 1


def test_text_of_a_learned_program_parses_back_to_it():
    X, y = datasets.load_wine()
    model = NLNClassifier(**QUICK).fit(X, y)
    assert LogicProgram.parse(str(model.program_), schema=model.schema_) == model.program_


def test_multiclass_probabilities_sum_to_one_and_classes_are_sorted():
    X, y = datasets.load_wine()
    model = NLNClassifier(**QUICK).fit(X, y)
    assert model.classes_.tolist() == ["1", "2", "3"]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.score(X, y) > 0.9


def test_multilabel_target_gives_a_matrix_and_rules_for_each_label():
    X, _ = noisy_table()
    Y = pd.DataFrame({"hot": (X["colour"] == "red").astype(int), "old": (X["age"] > 50).astype(int)})
    model = NLNClassifier(**QUICK).fit(X, Y)
    assert model.predict(X).shape == (len(X), 2)
    assert model.predict_proba(X).shape == (len(X), 2)
    assert {rule.label for rule in model.program_.rules} == {"hot", "old"}
    assert (model.predict(X) == Y.to_numpy()).mean() > 0.99


def test_prices_on_a_long_table_do_not_grow_with_the_number_of_labels():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=4200), "b": rng.normal(size=4200)})
    label = (X["a"] > 0) ^ (rng.random(4200) < 0.2)
    options = {"random_state": 0, "starts": 1, "n_rules": 8, "training": TrainingOptions(epochs=10)}
    two, nine = (
        NLNClassifier(**options).fit(X, pd.DataFrame({f"y{i}": label for i in range(n)})).path_ for n in (2, 9)
    )
    assert [point.price for point in two] == [point.price for point in nine]


def test_an_imputer_in_a_pipeline_does_not_change_rules():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(1, 3, 200), "b": rng.integers(0, 6, 200), "c": rng.integers(0, 90, 200)})
    y = np.where((X["a"] == 2) & (X["b"] >= 3), "yes", "no")
    alone = NLNClassifier(**QUICK).fit(X, y)
    imputer = SimpleImputer(strategy="most_frequent").set_output(transform="pandas")  # whole numbers become floats
    imputed = make_pipeline(imputer, NLNClassifier(**QUICK)).fit(X.astype(float), y)[-1]
    assert str(imputed.program_) == str(alone.program_)
    assert imputed.schema_ == alone.schema_


@pytest.mark.filterwarnings("ignore:No rule was learned")
def test_works_in_pipeline_grid_search_and_cross_validation():
    X, y = datasets.load_wine()
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), NLNClassifier(**QUICK))
    folds = StratifiedKFold(3)
    by_hand = []
    for train, test in folds.split(X, y):
        scaler = StandardScaler().set_output(transform="pandas").fit(X.iloc[train])
        model = NLNClassifier(**QUICK).fit(scaler.transform(X.iloc[train]), y.iloc[train])
        by_hand.append(model.score(scaler.transform(X.iloc[test]), y.iloc[test]))
    assert cross_val_score(pipeline, X, y, cv=folds).tolist() == by_hand
    search = GridSearchCV(NLNClassifier(**QUICK), {"price": [1e4, 0.5]}, cv=2).fit(X, y)
    alone = [cross_val_score(NLNClassifier(**QUICK, price=price), X, y, cv=2).mean() for price in (1e4, 0.5)]
    assert search.cv_results_["mean_test_score"].tolist() == alone
    assert search.best_params_["price"] == 0.5  # at the other price no rule pays


def test_clone_keeps_parameters_and_forgets_the_fit():
    X, y = noisy_table()
    model = NLNClassifier(**QUICK, price=1.0).fit(X, y)
    copy = clone(model)
    assert copy.get_params()["price"] == 1.0
    assert not hasattr(copy, "program_")


def test_higher_price_never_gives_longer_programs():
    X, y = datasets.load_wine()
    literals = []
    for price in (0.1, 2.0, 20.0):
        program = NLNClassifier(**QUICK, price=price).fit(X, y).program_
        literals.append(sum(rule.size for rule in program.rules))
    assert literals == sorted(literals, reverse=True)


def test_dial_gives_programs_of_every_size_without_another_fit():
    X, y = datasets.load_wine()
    model = NLNClassifier(random_state=0).fit(X, y)
    assert [point.program for point in model.path_ if point.price == model.price_] == [model.program_]
    counts = [point.n_rules for point in model.path_]
    for most in range(min(counts), max(counts) + 2):
        found = model.at(n_rules=most)
        assert found.n_rules == max(count for count in counts if count <= most)
        assert found.rules[0].coverage is not None
    with pytest.raises(ValueError, match=f"shortest program on the path has {min(counts)} rules"):
        model.at(n_rules=min(counts) - 1)


def test_dial_needs_prices():
    X, y = datasets.load_wine()
    quick = TrainingOptions(epochs=2, intervals=8, retrain_epochs=2)
    model = NLNClassifier(preset="paper", training=quick, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="no path"):
        model.at(n_rules=3)


@pytest.mark.filterwarnings("ignore:No rule was learned")
def test_class_weight_moves_the_decision_towards_the_heavier_class():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.choice(["a", "b"], 400)})
    y = (rng.random(400) < np.where(X["x"] == "a", 0.3, 0.1)).astype(int)
    settings = {**QUICK, "threshold": 0.5}
    plain = NLNClassifier(**settings).fit(X, y).predict(X).mean()
    heavy = NLNClassifier(**settings, class_weight={0: 1, 1: 6}).fit(X, y).predict(X).mean()
    assert plain == 0.0
    assert heavy > 0.3


def test_given_threshold_is_kept():
    X, y = noisy_table()
    assert NLNClassifier(**QUICK, threshold=0.25).fit(X, y).program_.thresholds == (0.25,)


def test_callbacks_hear_of_every_stage():
    heard = []

    class Listener(Callback):
        def on_fit_begin(self, starts, epochs):
            heard.append(("begin", starts, epochs))

        def on_stage(self, name):
            heard.append(name)

        def on_fit_end(self):
            heard.append("end")

    X, y = noisy_table()
    model = NLNClassifier(**{**QUICK, "callbacks": [Listener()]}).fit(X, y)
    stages = ["choosing the price", "trying calculations", "pooling the rules", "writing the rules"]
    assert heard == [("begin", 2, 40), *stages, "end"]
    assert len(model.history_) == 2
    assert model.history_[0].column("validation_loss")


def test_interrupted_fit_leaves_the_estimator_unfitted():
    class Interrupt(Callback):
        def on_epoch_end(self, start, epoch, record):
            raise KeyboardInterrupt

    X, y = noisy_table()
    model = NLNClassifier(**QUICK).fit(X, y)
    model.set_params(callbacks=[Interrupt()])
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert [name for name in vars(model) if name.endswith("_")] == []


def test_rules_of_every_stage_say_in_how_many_starts_they_were_found():
    X, y = noisy_table()
    model = NLNClassifier(**(QUICK | {"starts": 3})).fit(X, y)
    counts = [rule.starts for point in model.path_ for rule in point.program.rules]
    assert counts
    assert all(0 <= found <= of == 3 for found, of in counts)
    assert [rule.starts for rule in model.program_.rules] == [(3, 3)] * 2  # the truth


def test_chance_finds_other_rules_in_every_start():
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(150, 4)), columns=list("abcd")), rng.integers(0, 2, 150)
    program = NLNClassifier(**(QUICK | {"starts": 5}), price=0.1).fit(X, y).program_
    assert np.mean([rule.is_rarely_found for rule in program.rules]) > 0.5
    assert "of 5 starts" in str(program)


def test_a_program_without_rules_is_said_so():
    rng = np.random.default_rng(2)
    X, y = pd.DataFrame({"age": rng.integers(20, 80, 200), "bmi": rng.normal(25, 4, 200)}), rng.integers(0, 2, 200)
    with pytest.warns(UserWarning, match="No rule was learned") as caught:
        model = NLNClassifier(price=50, random_state=0).fit(X, np.where(y, "ill", "well"))
    assert model.program_.n_rules == 0
    (text,) = (str(warning.message) for warning in caught)
    assert "What may help: more rows, other columns" in text
    assert "does not hold up on left-out rows" in text
    assert re.search(rf"(age|bmi) .+ \(\d+ rows, \d+ % ill; \d+ of {y.sum()} ill in 200 rows\); .* % well;", text)


def test_the_best_conditions_are_shown_where_calculations_were_found_but_no_rule_is_left(monkeypatch):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.normal(size=200).round(2) for name in "ab"})
    to_program = classifier.to_program
    monkeypatch.setattr(classifier, "to_program", lambda *given: replace(to_program(*given), rules=()))
    with pytest.warns(UserWarning, match=r"does not hold up on left-out rows, so do not use it: (a|b) (<|>=) "):
        model = NLNClassifier(random_state=0, starts=2).fit(X, X["a"] > X["b"])
    assert any(feature.derived is not None for feature in model.schema_.features)


def test_importances_say_which_columns_the_rules_live_on():
    X, y = noisy_table()
    model = NLNClassifier(**QUICK).fit(X, y)
    found = dict(zip(model.feature_names_in_, model.feature_importances_, strict=True))
    assert found["smoker"] == 0
    assert found["colour"] > 0.2 and found["age"] > 0.2
    assert sum(found.values()) == pytest.approx(1)


@pytest.mark.filterwarnings("ignore:No rule was learned")
def test_importances_of_a_program_without_rules_are_zero():
    X, _ = noisy_table(60)
    model = NLNClassifier(price=1e6, **QUICK).fit(X, ["ill", "well"] * 30)
    assert model.feature_importances_.tolist() == [0, 0, 0]


def test_importances_choose_columns_in_scikit_learn():
    X, y = noisy_table()
    chosen = SelectFromModel(NLNClassifier(**QUICK), threshold=0.1).fit(X, y)
    assert chosen.get_feature_names_out().tolist() == ["colour", "age"]


def test_an_edited_program_becomes_a_classifier_a_model_file_and_predictions(tmp_path):
    X, y = noisy_table()
    model = NLNClassifier(**QUICK).fit(X, y)
    program = nln.edit(model.program_, author="Ada").drop(1, reason="too odd").program
    again = NLNClassifier.from_program(program, X)
    assert again.program_ is program
    assert (again.predict(X) != model.predict(X)).any()
    again.save(tmp_path / "model.json")
    loaded = nln.load_model(tmp_path / "model.json")
    assert loaded.program_ == replace(program, schema=shared_schema(program))
    assert loaded.program_.history == program.history
    np.testing.assert_array_equal(loaded.predict(X), again.predict(X))
    assert loaded.feature_names_in_.tolist() == list(X)


def test_rows_choose_the_thresholds_of_a_given_program_and_count_its_coverage_but_change_no_rule():
    X, y = noisy_table()
    learned = NLNClassifier(**QUICK).fit(X, y).program_
    weak = replace(
        learned, thresholds=(0.999,), rules=tuple(replace(rule, coverage=None) for rule in learned.rules[::-1])
    )
    model = NLNClassifier.from_program(weak, X, y)
    assert model.program_.rules == weak.with_coverage(X, y).rules
    assert model.program_.biases == weak.biases
    assert 0.01 <= model.program_.thresholds[0] < 0.999
    assert model.score(X, y) > 0.9
    assert model.made_.rows == len(X) and model.made_.seed is None
    assert sum(model.feature_importances_) == pytest.approx(1)


def test_a_given_program_keeps_its_thresholds_without_rows(frame):
    X, y = noisy_table()
    program = replace(NLNClassifier(**QUICK).fit(frame(X), y).program_, thresholds=(0.2,))
    model = NLNClassifier.from_program(program)
    assert model.program_ == program
    assert not hasattr(model, "feature_importances_")
    np.testing.assert_array_equal(model.predict(X), program.predict(X))
    assert (model.path_, model.price_, model.network_, model.history_) == ((), None, None, [])
    assert str(model.explain(X.iloc[0])) == str(program.explain(X.iloc[0]))


def test_a_given_program_takes_an_array_by_position():
    X, y = noisy_table()
    table = X[["age"]].to_numpy()
    program = LogicProgram.parse(
        "IF age >= 60 THEN state = well", schema=NLNClassifier(**QUICK).fit(X[["age"]], y).schema_
    )
    model = NLNClassifier.from_program(program, table, y)
    np.testing.assert_array_equal(model.predict(table), NLNClassifier.from_program(program, X, y).predict(X))
    wide = NLNClassifier(**QUICK).fit(X[["age", "smoker"]].to_numpy(float), y).program_
    model = NLNClassifier.from_program(wide, X[["age", "smoker"]].to_numpy(float))
    assert not hasattr(model, "feature_names_in_") and model.n_features_in_ == 2


def test_a_given_program_is_scored_as_it_is_inside_a_frozen_estimator_and_clones_are_not_fitted():
    X, y = noisy_table()
    model = NLNClassifier.from_program(NLNClassifier(**QUICK).fit(X, y).program_, X, y)
    scores = cross_val_score(FrozenEstimator(model), X, y, cv=StratifiedKFold(3))
    assert scores.mean() == pytest.approx(model.score(X, y))
    with pytest.raises(NotFittedError):
        clone(model).predict(X)


def test_wrong_programs_and_rows_are_refused():
    X, y = noisy_table(60)
    program = NLNClassifier(**QUICK).fit(X, y).program_
    with pytest.raises(TypeError, match="from_program takes a LogicProgram, not str"):
        NLNClassifier.from_program("IF x THEN y")
    with pytest.raises(ValueError, match="takes y together with X"):
        NLNClassifier.from_program(program, y=y)
    with pytest.raises(ValueError, match="The table lacks the column 'age' of the program"):
        NLNClassifier.from_program(program, X.drop(columns="age"), y)
    with pytest.raises(ValueError, match="known labels"):
        NLNClassifier.from_program(program, X, ["strange"] * 60)


def test_one_dictionary_is_one_row():
    X, y = noisy_table()
    model = NLNClassifier(**QUICK).fit(X, y)
    row = {"colour": "red", "age": 70, "smoker": True}
    assert model.predict(row).tolist() == ["ill"]
    assert model.predict_proba(row).shape == (1, 2)
    assert model.explain(row).decision == "ill"
    assert [str(one) for one in model.counterfactuals(row)] == [str(one) for one in model.program_.counterfactuals(row)]
    assert model.counterfactuals(row, frozen="age", limit=1)[0].changes[0].feature == "colour"
    with pytest.raises(NotFittedError):
        NLNClassifier().counterfactuals(row)


def test_notebooks_show_the_diagram_of_scikit_learn_and_the_rules_below_it():
    X, y = noisy_table()
    model = NLNClassifier(**QUICK)
    diagram = model._repr_mimebundle_()["text/html"]
    assert "sk-top-container" in diagram and "OTHERWISE" not in diagram
    model.fit(X, y)
    for shown in (model._repr_mimebundle_()["text/html"], model._repr_html_()):
        assert 0 < shown.index("sk-top-container") < shown.index("OTHERWISE")
        assert shown.endswith(model.program_._repr_html_())
    with config_context(display="text"):
        assert set(model._repr_mimebundle_()) == {"text/plain"}
    path = model.path_._repr_html_()
    assert path.count("<tr") == 1 + len(model.path_) and "loss on left-out rows" in path
    assert isinstance(model.path_, tuple)
