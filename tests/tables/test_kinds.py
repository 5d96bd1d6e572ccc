"""Periods, probabilities and distributions as users give them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from nln import Distribution, Periodic
from nln.rules import read_columns
from nln.rules.schema import Feature, Schema, Target
from nln.tables.encoding import make_encoding
from nln.tables.frames import read_table
from nln.tables.infer import infer_features

WEATHER = {"p_sun": [0.5, 0.2, 0.25], "p_rain": [0.5, 0.3, 0.25], "p_snow": [0.0, 0.5, 0.5]}


def inferred(table, feature_types):
    return infer_features(read_table(table), feature_types)


@pytest.mark.parametrize("wish", [Periodic(24), ("periodic", 24), Periodic(np.float32(24))])
def test_a_periodic_column_is_read_within_its_period(frame, wish):
    (feature,), columns = inferred(frame({"hour": [23.5, None, -1.0, 25.0]}), {"hour": wish})
    assert feature == Feature("hour", "periodic", period=24.0)
    np.testing.assert_array_equal(columns["hour"], [23.5, np.nan, 23.0, 1.0])
    schema = Schema((feature,), Target("y", "binary", (0, 1)))
    again = read_columns(read_table(frame({"hour": [49, 0, 24, -24]})), schema)
    np.testing.assert_array_equal(again["hour"], [1, 0, 0, 0])


def test_hours_a_day_apart_tell_nothing(frame):
    with pytest.warns(UserWarning, match="'hour'"):
        features, columns = inferred(frame({"hour": [0, 24, 48], "x": [1.5, 2.5, 3.5]}), {"hour": Periodic(24)})
    assert [feature.name for feature in features] == ["x"]
    assert set(columns) == {"x"}


def test_a_probability_is_read_as_it_is(frame):
    (feature,), columns = inferred(frame({"rain": [0.0, None, 0.25, 1.0]}), {"rain": "probability"})
    assert feature == Feature("rain", "probability")
    np.testing.assert_array_equal(columns["rain"], [0.0, np.nan, 0.25, 1.0])
    assert inferred(frame({"rain": [True, False]}), "probability")[0] == (feature,)


def test_a_distribution_makes_its_columns_probabilities(frame):
    features, columns = inferred(frame({**WEATHER, "x": [1, 2, 3]}), {"weather": Distribution(list(WEATHER))})
    assert [feature.kind for feature in features] == ["probability"] * 3 + ["continuous"]
    np.testing.assert_array_equal(columns["p_snow"], WEATHER["p_snow"])


@pytest.mark.filterwarnings("ignore:Columns without two")  # `b` has one known value
def test_rows_of_a_distribution_may_be_missing_and_round(frame):
    table = {"a": [0.3333333, None, 0.5], "b": [0.3333333, None, None], "c": [0.3333334, None, 0.2]}
    features, _ = inferred(frame(table), {"abc": Distribution(("a", "b", "c"))})
    assert {feature.name for feature in features} >= {"a", "c"}


@pytest.mark.parametrize(
    ("table", "types", "message"),
    [
        ({"hour": [1, 2]}, {"hour": "periodic"}, r"'periodic' for column 'hour' without a period.*Periodic\(24\)"),
        ({"hour": [1, 2]}, "periodic", "'periodic' for all columns without a period"),
        ({"hour": [1, 2]}, {"hour": ("periodic", 0)}, "above 0, not 0"),
        ({"hour": [1, 2]}, {"hour": ("periodic", "day")}, "A period is a number, not 'day'"),
        ({"hour": ["one", "two"]}, {"hour": Periodic(24)}, "Column 'hour' is periodic, but row 0 holds 'one'"),
        ({"hour": [1.0, np.inf]}, {"hour": Periodic(24)}, "Column 'hour' has 1 infinite value .at row 1"),
        (
            {"rain": [0.5, 20.0, 30.0]},
            {"rain": "probability"},
            r"Column 'rain' is a probability, but has 2 values outside \[0, 1\] \(first 20.0 at row 1\).*by 100",
        ),
        (
            {**WEATHER, "p_sun": [0.5, 0.2, 0.2]},
            {"weather": Distribution(tuple(WEATHER))},
            r"'weather' does not sum to 1 in 1 row \(first row 2: 'p_sun' 0.2, .* sum to 0.95\). Divide each row",
        ),
        (WEATHER, {"weather": Distribution(("p_sun", "p_hail"))}, "'weather' names 'p_hail', but X has no such column"),
        (
            WEATHER,
            {"one": Distribution(("p_sun", "p_rain")), "two": Distribution(("p_rain", "p_snow"))},
            "Column 'p_rain' is in two distributions, 'one' and 'two'",
        ),
        (WEATHER, {"p_sun": Distribution(("p_rain", "p_snow"))}, "the name 'p_sun', which is a column"),
        (
            WEATHER,
            {"weather": Distribution(tuple(WEATHER)), "p_sun": "continuous"},
            "says 'continuous' for column 'p_sun', which is part of the distribution 'weather'",
        ),
    ],
)
def test_bad_input_names_the_column_and_what_to_do(frame, table, types, message):
    with pytest.raises((ValueError, TypeError), match=message):
        inferred(frame(table), types)


def test_specifications_are_checked():
    for wrong in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="above 0"):
            Periodic(wrong)
    with pytest.raises(TypeError, match="A period is a number"):
        Periodic("24")
    for columns in (["a"], ["a", "a"]):
        with pytest.raises(ValueError, match="at least two columns"):
            Distribution(columns)
    with pytest.raises(TypeError, match="list of column names"):
        Distribution("ab")


def test_many_probabilities_share_at_most_254_bins_of_about_their_value():
    rng = np.random.default_rng(0)
    p = rng.random(5000)
    p[::50] = np.nan
    (slots,) = make_encoding((Feature("rain", "probability"),), {"rain": p}, np.ones(5000)).slots
    assert slots.n_slots <= 255
    codes = slots.codes(p)
    known = ~np.isnan(p)
    assert (codes[~known] == slots.n_slots - 1).all()
    assert np.abs(slots.centers[codes[known]] - p[known]).max() < 0.02


def test_ordinal_columns_keep_their_order_and_gaps(frame):
    (feature,), columns = inferred(frame({"size": ["S", None, "L", "M"]}), {"size": ["S", "M", "L"]})
    assert feature == Feature("size", "ordinal", ("S", "M", "L"))
    assert columns["size"].tolist() == [0, -1, 2, 1]
    pandas = pd.DataFrame({"size": pd.Categorical(["S", None, "L"], ["S", "M", "L"], ordered=True)})
    assert inferred(pandas, None)[0] == (feature,)
