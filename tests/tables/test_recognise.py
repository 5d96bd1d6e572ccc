"""Columns of text that are numbers: recognised, shown, read alike everywhere; and those that are left as they are."""

from __future__ import annotations

import numpy as np
import pytest

from nln import NLNClassifier, load_model
from nln.rules import Feature, NumberReading
from nln.tables.frames import read_table
from nln.tables.infer import infer_features
from nln.tables.recognise import find_numbers


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
        Feature("price", "continuous", reading=NumberReading("$")),
        Feature("rate", "continuous", reading=NumberReading("%")),
        Feature("dose", "continuous", reading=NumberReading("mg")),
    )
    np.testing.assert_array_equal(columns["price"], [1020000, 5, 7, np.nan])
    np.testing.assert_array_equal(columns["rate"], [10.41, 3, 4.5, 2])


def test_the_user_can_keep_text_as_it_is(any_frame):
    features, _ = infer_features(
        read_table(any_frame(TABLE)), {"dose": "categorical", "rate": ["2%", "3%", "4.5%", "10.41%"]}
    )
    assert features[1].kind == "ordinal"
    assert features[2].kind == "categorical"


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
