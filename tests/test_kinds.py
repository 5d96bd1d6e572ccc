"""Every kind of feature, from a table to a program that says what made the data, with gaps and without."""

from __future__ import annotations

import numpy as np
import pytest

from nln import Distribution, LanguageOptions, NLNClassifier, Periodic, TrainingOptions, load_model
from nln.rules import IntervalCondition, ValueCondition

QUICK = {"starts": 2, "training": TrainingOptions(epochs=60), "random_state": 0}
N = 400
HOURS = np.random.default_rng(0).integers(0, 48, N) / 2
NIGHT = (HOURS >= 22) | (HOURS < 6)


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def fitted(frame, columns, y, **parameters):
    return NLNClassifier(**{**QUICK, **parameters}).fit(frame(columns), y)


def test_a_window_over_midnight_is_one_rule(frame, rng):
    turned = HOURS + 24 * rng.integers(-2, 3, N)
    X = {"hour": turned, "other": rng.integers(0, 9, N) / 2}
    model = fitted(frame, X, NIGHT.astype(int), feature_types={"hour": Periodic(24)})
    assert model.program_.n_rules == 1
    assert str(model.program_).startswith("IF   22 <= hour < 6\nTHEN class = 1")
    hours = [22.0, 23.5, 0.0, 5.5, 6.0, 12.0, 21.5, -1.0, 25.0, None]
    answer = model.predict(frame({"hour": hours, "other": [1.0] * 10}))
    assert answer.tolist() == [1, 1, 1, 1, 0, 0, 0, 1, 1, 0]


def test_a_boundary_lies_well_inside_the_hours_that_never_occur(frame):
    """From 12.75 to 1 o'clock there are no rows: the boundary keeps a quarter of that away from both ends."""
    hours = 1 + HOURS / 2
    model = fitted(frame, {"hour": hours}, (hours >= 8).astype(int), feature_types={"hour": Periodic(24)})
    (rule,) = model.program_.rules
    low, high = sorted(boundary.value for boundary in rule.conditions[0].boundaries)
    assert 7.5 < low <= 8
    assert 15.5 < high < 22


def test_a_boundary_lies_at_zero_if_that_is_well_inside_them(frame):
    hours = 8 + HOURS / 2
    model = fitted(frame, {"hour": hours}, (hours >= 15).astype(int), feature_types={"hour": Periodic(24)})
    assert str(model.program_).startswith("IF   hour >= 15\n")


def test_unions_of_arcs_can_be_forbidden(frame):
    busy = ((HOURS >= 7) & (HOURS < 9)) | ((HOURS >= 16) & (HOURS < 18))
    parameters = {"feature_types": {"hour": Periodic(24)}, "language": LanguageOptions(unions=False)}
    model = fitted(frame, {"hour": HOURS}, busy.astype(int), **parameters)
    assert model.program_.rules
    for rule in model.program_.rules:
        for condition in rule.conditions:
            assert len(condition.boundaries) <= 2


def test_a_probability_gives_its_noise_to_the_rule(frame, rng):
    rain = rng.random(2000).round(3)
    wet = rng.random(2000) < rain
    model = fitted(frame, {"rain": rain}, wet.astype(int), feature_types={"rain": "probability"})
    (rule,) = model.program_.rules
    assert rule.conditions == (ValueCondition("rain", (1,)),)
    assert rule.weight > 0.9
    p = np.linspace(0, 1, 11)
    np.testing.assert_allclose(model.predict_proba(frame({"rain": p}))[:, 1], p, atol=0.06)


def test_a_missing_probability_has_a_membership_of_its_own(frame, rng):
    rain = rng.random(1000).round(2)
    rain[::4] = np.nan
    wet = np.where(np.isnan(rain), True, rng.random(1000) < rain)
    model = fitted(frame, {"rain": rain}, wet.astype(int), feature_types={"rain": "probability"})
    p = model.predict_proba(frame({"rain": [None, 0.0, 0.5, 1.0]}))[:, 1]
    np.testing.assert_allclose(p, [1.0, 0.0, 0.5, 1.0], atol=0.1)


def test_a_distribution_is_learned_by_its_columns(frame, rng):
    share = rng.dirichlet([1, 1, 1], 1000)
    X = dict(zip(["p_sun", "p_rain", "p_snow"], share.T, strict=True))
    wet = rng.random(1000) < share[:, 1] + share[:, 2]
    model = fitted(frame, X, wet.astype(int), feature_types={"weather": Distribution(tuple(X))})
    assert {feature.kind for feature in model.schema_.features} == {"probability"}
    corners = {"p_sun": [1.0, 0.0, 0.0], "p_rain": [0.0, 1.0, 0.0], "p_snow": [0.0, 0.0, 1.0]}
    assert model.predict(frame(corners)).tolist() == [0, 1, 1]


@pytest.mark.parametrize("kind", ["binary", "categorical", "ordinal", "continuous", "periodic", "probability"])
def test_missing_values_of_every_kind_are_learned_and_predicted(frame, rng, kind, tmp_path):
    """A row is positive if its value is high; half of the missing ones are."""
    high = rng.random(N) < 0.5
    cells = {
        "binary": np.where(high, "yes", "no"),
        "categorical": np.where(high, "red", "blue"),
        "ordinal": np.where(high, "large", "small"),
        "continuous": np.where(high, 2.5, 1.5) + rng.random(N) / 4,
        "periodic": np.where(high, 23.0, 12.0) + rng.random(N) * 2,
        "probability": np.where(high, 1.0, 0.0),
    }[kind].astype(object)
    missing = np.arange(N) % 5 == 0
    cells[missing] = None
    y = np.where(missing, np.arange(N) % 2, high).astype(int)
    wish = {"ordinal": ["small", "large"], "periodic": Periodic(24)}.get(kind, kind)
    X = frame({"x": cells.tolist()})
    model = NLNClassifier(**QUICK, feature_types={"x": wish}).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    assert (p[~missing & high] > 0.9).all()
    assert (p[~missing & ~high] < 0.1).all()
    assert abs(p[missing][0] - 0.5) < 0.1
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load_model(tmp_path / "model.json").predict_proba(X)[:, 1], p)


def test_a_missing_value_at_predict_alone_satisfies_nothing(frame, rng):
    columns = {"hour": HOURS, "rain": rng.integers(0, 2, N) * 1.0}
    y = (NIGHT & (columns["rain"] == 1)).astype(int)
    model = fitted(frame, columns, y, feature_types={"hour": Periodic(24), "rain": "probability"})
    conditions = [condition for rule in model.program_.rules for condition in rule.conditions]
    assert {type(condition) for condition in conditions} == {IntervalCondition, ValueCondition}
    rows = {"hour": [23.0, None, 23.0], "rain": [1.0, 1.0, None]}
    assert model.predict(frame(rows)).tolist() == [1, 0, 0]


def test_constant_labels_are_named_with_what_to_do(frame):
    y = frame({"night": (HOURS < 6).astype(int), "never": np.zeros(N, int), "always": np.ones(N, int)})
    with pytest.warns(UserWarning, match="'never', 'always'. Every row gets .* leave these columns out of y"):
        model = NLNClassifier(**QUICK).fit(frame({"hour": HOURS}), y)
    assert model.predict(frame({"hour": [3.0, 9.0]})).tolist() == [[1, 0, 1], [0, 0, 1]]
