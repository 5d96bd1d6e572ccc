"""Arithmetic from rows to rules: what made the table is found, and plain tables keep their programs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from nln import LanguageOptions, NLNClassifier, load_model
from nln.datasets import load_balance

CALCULATING = LanguageOptions(arithmetic=True)
N = 400


def noisy(truth, rng, share=0.05):
    return np.where(rng.random(len(truth)) < share, ~truth, truth).astype(int)


def numbers(rng, low=-2.0, high=2.0):
    return pd.DataFrame({name: rng.uniform(low, high, N).round(2) for name in "xyz"})


def fitted(X, y, language=CALCULATING, **parameters):
    return NLNClassifier(random_state=0, language=language, **parameters).fit(X, y)


def asked(model):
    """Texts of the calculations that the rules ask about."""
    schema = model.program_.schema
    return {schema[name].derived.text for name in model.program_.features_used if schema[name].derived is not None}


def test_the_balance_scale_is_three_comparisons():
    X, y = load_balance()
    model = fitted(X, y)
    assert model.program_.n_rules == 3
    assert model.score(X, y) == 1.0
    assert "left_distance * left_weight > right_distance * right_weight" in str(model.program_)


@pytest.mark.parametrize(
    ("truth", "low", "found"),
    [
        (lambda X: X.x < X.y, -2.0, "x - y"),
        (lambda X: X.x * X.y > 4, 1.0, "x * y"),
    ],
    ids=["difference", "product"],
)
def test_what_made_a_noisy_table_is_one_rule(truth, low, found):
    rng = np.random.default_rng(3)
    X = numbers(rng, low, 3.0 if low > 0 else 2.0)
    model = fitted(X, noisy(truth(X).to_numpy(), rng))
    assert asked(model) == {found}
    assert model.program_.n_rules == 1
    assert (model.predict(X) == truth(X)).mean() > 0.96


def test_the_body_mass_index_is_found():
    rng = np.random.default_rng(0)
    height = rng.normal(1.7, 0.1, N).round(2)
    weight = (rng.normal(27, 5, N) * height**2).round(1)
    truth = weight / height / height >= 30
    X = pd.DataFrame({"weight": weight, "height": height, "age": rng.integers(20, 80, N)})
    model = fitted(X, noisy(truth, rng))
    assert asked(model) == {"weight / height / height"}
    assert (model.predict(X) == truth).mean() > 0.96


def test_equal_values_are_one_rule():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(list("abcd"), N) for name in ("one", "other", "third")})
    model = fitted(X, (X.one == X.other).astype(int))
    assert str(model.program_).startswith("IF   one is other\n")
    assert model.program_.n_rules == 1


def test_equal_values_are_one_rule_where_labels_are_wrong():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({name: rng.choice(list("abc"), 2 * N) for name in ("one", "other", "third", "fourth")})
    model = fitted(X, noisy((X.one == X.other).to_numpy(), rng))
    assert asked(model) == {"one is other"}
    assert model.program_.n_rules == 1


def test_a_ratio_to_a_square_is_found_though_the_plain_ratio_says_nearly_as_much():
    rng = np.random.default_rng(7)
    X = pd.DataFrame({name: rng.uniform(0, 1, 2 * N) for name in "xyz"})
    model = fitted(X, noisy((X.x / X.y / X.y > 1.5).to_numpy(), rng))
    assert asked(model) == {"x / y / y"}
    assert model.program_.n_rules == 1


def test_products_are_compared_where_each_says_no_more_than_its_columns():
    rng = np.random.default_rng(5)
    X = pd.DataFrame({name: rng.uniform(0, 1, 2 * N).round(3) for name in "xyzw"})
    model = fitted(X, noisy((X.x * X.y > X.z * X.w).to_numpy(), rng))
    assert str(model.program_).startswith("IF   w * z < x * y\n")
    assert model.program_.n_rules == 1


def test_a_comparison_beside_a_condition_stays_short():
    rng = np.random.default_rng(6)
    X = pd.DataFrame({name: rng.uniform(0, 1, 2 * N).round(3) for name in "xyzw"})
    model = fitted(X, noisy(((X.z > 0.4) & (X.x > X.y)).to_numpy(), rng))
    assert asked(model) == {"x - y"}
    assert model.program_.features_used == ("z", "x - y")


def test_a_plain_table_keeps_its_program():
    rng = np.random.default_rng(1)
    X = numbers(rng)
    y = noisy(((X.x > 0) & (X.y < 0.5)).to_numpy(), rng)
    assert fitted(X, y).program_ == fitted(X, y, LanguageOptions()).program_


def test_neither_threads_nor_the_order_of_the_rows_matter(tmp_path):
    rng = np.random.default_rng(2)
    X = numbers(rng)
    X.loc[::17, "x"] = np.nan
    y = noisy((X.x < X.y).to_numpy(), rng)
    one, two = (fitted(X, y, n_jobs=n_jobs) for n_jobs in (1, 2))
    order = rng.permutation(N)
    third = fitted(X.iloc[order], y[order])
    assert asked(one)
    assert str(one.program_) == str(two.program_) == str(third.program_)
    one.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load_model(tmp_path / "model.json").predict(X), one.predict(X))


def test_groups_and_weights_go_with_calculations():
    rng = np.random.default_rng(4)
    X = numbers(rng)
    y = noisy((X.x < X.y).to_numpy(), rng)
    model = NLNClassifier(random_state=0, language=CALCULATING)
    model.fit(X, y, sample_weight=rng.uniform(0.5, 2.0, N), groups=np.arange(N) // 4)
    assert asked(model) == {"x - y"}


def test_fewer_mentions_and_the_other_options_are_limits():
    X, y = load_balance()
    model = fitted(X, y, replace(CALCULATING, arithmetic=2, fuzzy=False, max_rules=4))
    schema = model.program_.schema
    mentions = [len(f.derived.mentions) for f in schema.features if f.derived is not None]
    assert max(mentions, default=0) <= 2
    assert model.program_.n_rules <= 4


@pytest.mark.parametrize("limit", [1, -2, 2.5, "yes"])
def test_a_limit_is_a_truth_value_or_an_integer(limit):
    with pytest.raises(ValueError, match="arithmetic must be True, False, None or an integer of at least 2"):
        LanguageOptions(arithmetic=limit)
