"""Columns of text that are numbers, and columns of dates: recognised and read alike everywhere, or left as they are."""

from __future__ import annotations

import datetime as dt
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nln import Constraints, NLNClassifier, load_model
from nln.rules import Feature, NumberReading
from nln.tables.frames import read_table
from nln.tables.infer import infer_features
from nln.tables.recognise import find_date_order, find_numbers
from nln.tables.target import read_target


@pytest.mark.parametrize(
    ("cells", "reading"),
    [
        (["$1,020,000.00", "$5.00", "$7"], NumberReading("$")),
        (["10.41%", "3%", "4.5 %"], NumberReading("%")),
        (["1 020,50 €", "3,20 €", "4 €"], NumberReading("€", ",")),
        (["1.020,5", "3,1", "2"], NumberReading("", ",")),
        (["<0.006", "0.12", "0.5"], NumberReading()),
        (["5 mg", "7 mg", "10 MG", "0"], NumberReading("mg")),
        (["1 day", "2 days", "3 days"], NumberReading("days")),
        (["1,020", "950", "2,300"], NumberReading()),
        (["$1,020", "$2,300", "$4,500"], NumberReading("$")),
        (["12", "13.5", "14"], NumberReading()),
        ([12, "<3", 14.5], NumberReading()),
        (["1.234 g", "2.345 g", "3.456 g"], NumberReading("g")),
    ],
)
def test_one_pattern_with_one_unit_is_read(cells, reading):
    assert find_numbers(cells) == reading


@pytest.mark.parametrize(
    "cells",
    [
        ["12", "13", "14"],  # may be codes
        ["007", "012", "100"],
        ["1,020", "2,300", "4,500"],  # 1020 or 1.02
        ["5 mg", "5 g", "7 mg"],
        ["$5", "7", "9"],
        ["5 mg", "7 mg", "n/a"],
        ["A1", "A2", "A3"],
        ["18-25", "26-35", "65+"],
        ["2021-01-01", "2021-01-02", "2021-01-03"],
        ["12:30", "12:40", "1:20"],
        ["1st", "2nd", "3rd"],
        ["2wd", "4wd"],
        ["a", "b", "c"],
        [True, "5%", "6%", "7%"],
        [],
    ],
)
def test_what_is_no_number_or_not_in_one_way_stays_text(cells):
    assert find_numbers(cells) is None


TABLE = {
    "price": ["$1,020,000.00", "$5.00", "$7", None],
    "rate": ["10.41%", "3%", "4.5%", "2%"],
    "dose": ["5 mg", "7 mg", "10 mg", "12 mg"],
    "size": ["L", "M", "L", "S"],
}


def test_the_features_are_continuous_in_every_library(any_frame):
    features, columns = infer_features(read_table(any_frame(TABLE)))
    assert features[:3] == (
        Feature("price", "continuous", reading=NumberReading("$"), whole=True),
        Feature("rate", "continuous", reading=NumberReading("%")),
        Feature("dose", "continuous", reading=NumberReading("mg"), whole=True),
    )
    np.testing.assert_array_equal(columns["price"], [1020000, 5, 7, np.nan])
    np.testing.assert_array_equal(columns["rate"], [10.41, 3, 4.5, 2])


def test_the_user_can_keep_text_as_it_is(any_frame):
    features, _ = infer_features(
        read_table(any_frame(TABLE)), {"dose": "categorical", "rate": ["2%", "3%", "4.5%", "10.41%"]}
    )
    assert features[1].kind == "ordinal"
    assert features[2].kind == "categorical"


@pytest.mark.parametrize("cells", [["$1", "$2", "$3"], ["0.5", "1", "2"], ["2021-01-01", "2021-01-02", "2021-01-03"]])
def test_a_type_of_categories_says_that_cells_are_values(cells):
    forms = [
        pd.DataFrame({"f": pd.Categorical(cells)}),
        pl.DataFrame({"f": pl.Series(cells, dtype=pl.Categorical)}),
        pl.DataFrame({"f": pl.Series(cells, dtype=pl.Enum(cells))}),
        pa.table({"f": pa.array(cells).dictionary_encode()}),
    ]
    wish = "date" if "-" in cells[0] else "continuous"
    for form in forms:
        (feature,), _ = infer_features(read_table(form))
        assert (feature.kind, feature.values) == ("categorical", tuple(cells))
        assert infer_features(read_table(form), {"f": wish})[0][0].reading is not None


def test_the_user_can_say_that_digits_in_text_are_numbers(any_frame):
    table = read_table(any_frame({"x": ["1", "2", "3", "12"]}))
    assert infer_features(table)[0][0].kind == "categorical"
    features, columns = infer_features(table, {"x": "continuous"})
    assert features[0].kind == "continuous"
    assert columns["x"].tolist() == [1.0, 2.0, 3.0, 12.0]


def test_a_model_reads_new_rows_as_it_read_the_training_rows(any_frame, tmp_path):
    prices = [100 * place for place in range(1, 41)]
    table = any_frame({"price": [f"${price:,}.00" for price in prices]})
    truth = ["dear" if price >= 2000 else "cheap" for price in prices]
    model = NLNClassifier(starts=1, random_state=0).fit(table, truth)
    model.save(tmp_path / "model.json")
    for fitted in (model, load_model(tmp_path / "model.json")):
        assert fitted.predict(table).tolist() == truth
        assert fitted.predict({"price": "$2,500.00"}).tolist() == ["dear"]
        assert fitted.predict([{"price": 300}, {"price": "3,100"}]).tolist() == ["cheap", "dear"]
        with pytest.raises(ValueError, match="Column 'price' is read as numbers in"):
            fitted.predict({"price": "a lot"})


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["2021-01-31", "2020-02-01"], ""),
        (["3 May 2021", "2020-02-01 13:00"], ""),
        (["13/04/2021", "01/02/2021"], "dmy"),
        (["04/13/2021", "01/02/2021"], "mdy"),
        (["03.04.2021", "01.02.2021"], "dmy"),
        (["03/04/2021", "01/02/2021"], None),  # day or month first?
        (["13/04/2021", "04/13/2021"], None),
        (["2021-01-31", "soon"], None),
        (["12", "13"], None),
        (["a", "b"], None),
    ],
)
def test_dates_are_recognised_if_they_can_be_read_in_one_way(texts, order):
    assert find_date_order(texts) == order


DATES = {
    "admission": ["2021-01-04", "2021-03-07", "2020-12-31"],
    "discharge": ["2021-01-09", "2021-03-07", "2021-01-01"],
}


def test_dates_become_features_that_read_well(any_frame):
    features, columns = infer_features(read_table(any_frame(DATES)))
    assert [feature.name for feature in features] == [
        "admission year",
        "admission month",
        "admission weekday",
        "days from 2020-01-01 to admission",
        "discharge month",  # all in one year
        "discharge weekday",
        "days from 2021-01-01 to discharge",
        "days from admission to discharge",
    ]
    assert columns["days from admission to discharge"].tolist() == [5.0, 0.0, 1.0]
    assert columns["admission weekday"].tolist() == [0, 6, 3]


def test_typed_dates_give_the_same_features_as_their_text(any_frame):
    typed = {name: [dt.date.fromisoformat(text) for text in column] for name, column in DATES.items()}
    (typed_features, typed_columns), (features, columns) = (
        infer_features(read_table(any_frame(table))) for table in (typed, DATES)
    )
    assert typed_features == features
    assert {name: c.tolist() for name, c in typed_columns.items()} == {name: c.tolist() for name, c in columns.items()}


def test_days_run_from_the_column_that_is_mostly_earlier():
    features, _ = infer_features(read_table(pa.table(dict(reversed(DATES.items())))))
    assert features[-1].name == "days from admission to discharge"


def test_of_many_date_columns_only_neighbours_are_compared():
    table = {f"d{i}": [f"2021-01-0{i + 1}", f"2021-02-0{2 * i + 1}"] for i in range(5)}
    names = [feature.name for feature in infer_features(read_table(pa.table(table)))[0]]
    assert sum(name.startswith("days from d") for name in names) == 4
    assert "days from d0 to d1" in names
    assert "days from d0 to d2" not in names


def test_hours_are_read_where_there_are_times():
    table = pa.table({"when": ["2021-01-04 13:30", "2021-01-05 02:00"]})
    features = {feature.name: feature for feature in infer_features(read_table(table))[0]}
    assert (features["when hour"].kind, features["when hour"].period) == ("periodic", 24.0)


def test_the_user_says_what_dates_are(any_frame):
    table = read_table(any_frame({"when": ["03/04/2021", "01/02/2021", "05/06/2021"]}))
    assert infer_features(table)[0][0].kind == "categorical"
    months = [infer_features(table, {"when": f"date:{order}"})[1]["when month"].tolist() for order in ("dmy", "mdy")]
    assert months == [[3, 1, 5], [2, 0, 4]]
    with pytest.raises(ValueError, match=r"'when' cannot be read as dates in one way.*'date:dmy'"):
        infer_features(table, {"when": "date"})
    dates = read_table(any_frame(DATES))
    assert infer_features(dates, {"admission": "categorical"})[0][0] == Feature(
        "admission", "categorical", tuple(sorted(DATES["admission"]))
    )
    with pytest.raises(ValueError, match=r"Column 'when' is read as dates.*row 0 holds 1"):
        infer_features(read_table(any_frame({"when": [1, 2, 3]})), {"when": "date:dmy"})


def test_a_column_that_has_the_name_of_a_derived_feature_is_itself():
    features, columns = infer_features(read_table(pa.table({**DATES, "admission month": [1, 5, 9]})))
    assert [feature.name for feature in features].count("admission month") == 1
    assert columns["admission month"].tolist() == [1.0, 5.0, 9.0]


def test_dates_that_do_not_differ_are_left_out_with_a_warning():
    with pytest.warns(UserWarning, match=r"Columns without two different values.*'when'"):
        features, _ = infer_features(read_table(pa.table({"when": ["2021-01-01"] * 2, "x": [1.5, 2.5]})))
    assert [feature.name for feature in features] == ["x"]


def test_a_target_of_dates_is_refused():
    with pytest.raises(TypeError, match="holds dates, which are no classes"):
        read_target(np.array(["2021-01-01", "2021-01-02"], "M8[D]"))


def stays(n=48):
    start = dt.date(2021, 1, 1)
    admission = [start + dt.timedelta(days=5 * i) for i in range(n)]
    discharge = [day + dt.timedelta(days=(7 * i) % 30) for i, day in enumerate(admission)]
    return admission, discharge, ["long" if (7 * i) % 30 >= 14 else "short" for i in range(n)]


def test_a_model_learned_from_dates_reads_them_in_every_form(any_frame, tmp_path):
    admission, discharge, truth = stays()
    model = NLNClassifier(starts=1, random_state=0).fit(
        any_frame({"admission": admission, "discharge": discharge}), truth
    )
    assert model.feature_names_in_.tolist() == ["admission", "discharge"]
    assert model.program_.features_used == ("days from admission to discharge",)
    assert model.feature_importances_.tolist() == [0.5, 0.5]
    model.save(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    texts = {"admission": list(map(str, admission)), "discharge": [day.strftime("%d %B %Y") for day in discharge]}
    forms = [
        any_frame(texts),
        pd.DataFrame({"admission": admission, "discharge": pd.to_datetime(discharge)}),
        [{"admission": one, "discharge": str(two)} for one, two in zip(admission, discharge, strict=True)],
        np.array([admission, discharge], "M8[D]").T,
    ]
    expected = model.predict_proba({"admission": admission, "discharge": discharge})
    assert model.classes_[expected.argmax(axis=1)].tolist() == truth
    for fitted in (model, loaded):
        for X in forms:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # a table without names
                np.testing.assert_array_equal(fitted.predict_proba(X), expected)


def test_rules_may_be_forbidden_to_ask_about_a_column_of_dates():
    admission, discharge, truth = stays()
    X = pa.table({"admission": admission, "discharge": discharge, "x": [float(label == "long") for label in truth]})
    model = NLNClassifier(starts=1, random_state=0, constraints=Constraints(forbidden=["discharge"])).fit(X, truth)
    assert model.program_.columns_used == ("x",)
    free = NLNClassifier(starts=1, random_state=0).fit(X.drop_columns("x"), truth).program_
    assert "'discharge', which is forbidden" in Constraints(forbidden=["discharge"]).violations(free)[0]
