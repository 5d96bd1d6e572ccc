"""Bad input gets an error that names the column or row and says what to do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from nln import NLNClassifier, TrainingOptions

QUICK = {"starts": 1, "training": TrainingOptions(epochs=5), "random_state": 0}


def table(**changes):
    columns = {"age": [31.0, 45.5, 52.0, 60.5] * 5, "colour": ["red", "blue", "red", "green"] * 5}
    return pd.DataFrame({**columns, **changes})


Y = ["no", "yes", "no", "yes"] * 5


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (table().iloc[:0], [], r"0 sample\(s\)"),
        (pd.DataFrame(index=range(20)), Y, r"0 feature\(s\)"),
        (table(), ["yes"] * 20, "1 class"),
        (table(), [*Y[:7], None, *Y[8:]], "'class' has 1 missing value .*row 7"),
        (table(age=[1.0, np.inf] * 10), Y, "Column 'age' has 10 infinite values .first at row 1"),
        (table(when=pd.to_timedelta(range(20), "h")), Y, "'when'.*hour"),
        (table(nested=[[1, 2]] * 20), Y, "'nested'"),
        (table().set_axis(["age", "age"], axis=1), Y, "age"),
        (table().set_axis(["age", 3], axis=1), Y, "string names"),
        (table(), Y[:-1], r"inconsistent numbers of samples: \[20, 19\]"),
        (table(), None, "requires y"),
        (table(), np.linspace(0, 1, 20), "Unknown label type"),
    ],
)
def test_table_or_target_that_cannot_be_learned_from_is_refused(X, y, message):
    model = NLNClassifier(**QUICK)
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(X, y)
    assert not hasattr(model, "program_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_rules": 0}, "n_rules must be an integer of at least 1, or None for 128 .more for many classes., not 0"),
        ({"starts": 0}, "starts"),
        ({"starts": 2.5}, "starts"),
        ({"price": -1.0}, "price must be a number above 0"),
        ({"price": "cheap"}, "price"),
        ({"threshold": "recall"}, "'f1', 'accuracy'"),
        ({"threshold": 2.0}, "threshold"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"training": {"epochs": 3}}, "TrainingOptions"),
        ({"feature_types": {"agee": "continuous"}}, "'agee'.*'age'"),
        ({"feature_types": {"colour": "continuous"}}, "'colour'"),
        ({"feature_types": {"colour": "binary"}}, "'colour'.*3"),
        ({"class_weight": "balance"}, "class_weight"),
    ],
)
def test_parameter_out_of_its_range_is_refused(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        NLNClassifier(**{**QUICK, **parameters}).fit(table(), Y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), r"shape \(20,\), not \(3,\)"),
        ([*[1.0] * 19, -1.0], "row 19"),
        ([np.nan, *[1.0] * 19], "row 0"),
        (np.zeros(20), "zero"),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        NLNClassifier(**QUICK).fit(table(), Y, sample_weight=weights)


def test_constant_and_empty_columns_are_ignored_with_a_warning_that_names_them():
    with pytest.warns(UserWarning, match="'flat', 'gone'"):
        model = NLNClassifier(**QUICK).fit(table(flat=1, gone=np.nan), Y)
    assert model.n_features_in_ == 4
    assert "flat" not in model.schema_.names
    assert model.predict(table(flat=1, gone=np.nan)).shape == (20,)


@pytest.mark.filterwarnings("ignore:No rule was learned")
def test_table_that_tells_nothing_gives_a_program_without_rules():
    with pytest.warns(UserWarning, match="ignored"):
        model = NLNClassifier(**QUICK).fit(pd.DataFrame({"flat": [1] * 20}), Y)
    assert model.program_.n_rules == 0
    np.testing.assert_allclose(model.predict_proba(pd.DataFrame({"flat": [1]})), [[0.5, 0.5]], atol=0.01)


def test_columns_are_found_by_name_at_predict_time_and_missing_ones_are_named():
    model = NLNClassifier(**QUICK).fit(table(), ["no", "no", "yes", "yes"] * 5)
    swapped = table(extra=1)[["extra", "colour", "age"]]
    np.testing.assert_array_equal(model.predict(swapped), model.predict(table()))
    with pytest.raises(ValueError, match=r"(?s)ages.*age"):
        model.predict(table().rename(columns={"age": "ages"}))
    with pytest.raises(ValueError, match=r"'age'.*row 0.*'old'"):
        model.predict(table(age="old"))


def test_unseen_categories_and_far_numbers_are_no_error():
    model = NLNClassifier(**QUICK).fit(table(), Y)
    strange = table(colour=["violet"] * 20, age=[1e12, -1e12] * 10)
    assert model.predict(strange).shape == (20,)


@pytest.mark.filterwarnings("ignore:No rule was learned")
def test_two_rows_of_a_class_and_even_one_can_be_learned_from():
    for rare in (1, 2):
        y = ["yes"] * rare + ["no"] * (20 - rare)
        assert set(NLNClassifier(**QUICK).fit(table(), y).predict(table())) <= {"yes", "no"}


def test_more_categories_than_slots_group_the_rare_ones_with_the_unseen():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 600, 6000)
    code[:3000] = rng.integers(0, 5, 3000)
    X = pd.DataFrame({"city": [f"city {c:03d}" for c in code]})
    model = NLNClassifier(**QUICK).fit(X, (code == 2).astype(int))
    assert model.score(X, (code == 2).astype(int)) == 1.0
    assert str(model.program_).startswith('IF   city = "city 002"')
