"""Dates in text, and the features that are read from them."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.model import SavedModel, model_from_dict
from nln.rules import DateReading, Feature, LogicProgram, ModelFormatError, Schema, Target, read_columns
from nln.rules.dates import MONTHS, WEEKDAYS, parse_date
from tests.tools import model_file_validator

TARGET = Target("class", "binary", ("no", "yes"))
FEATURES = (
    Feature("visit year", "continuous", reading=DateReading("visit", "year")),
    Feature("visit month", "ordinal", MONTHS, reading=DateReading("visit", "month")),
    Feature("visit weekday", "ordinal", WEEKDAYS, reading=DateReading("visit", "weekday")),
    Feature("visit hour", "periodic", period=24, reading=DateReading("visit", "hour")),
    Feature("days from 2020-01-01 to visit", "continuous", reading=DateReading("visit", "days", since="2020-01-01")),
    Feature("days from birth to visit", "continuous", reading=DateReading("visit", "days", since_column="birth")),
)
SCHEMA = Schema(FEATURES, TARGET)
PROGRAM = LogicProgram.parse(
    'IF "visit month" >= October AND "days from birth to visit" >= 100 THEN class = yes (0.9)', schema=SCHEMA
)


@pytest.mark.parametrize(
    "text",
    [
        "2021-04-03", "2021/4/3", "2021.04.03", " 2021-04-03 ", "2021-04-03T00:00:00", "2021-04-03 00:00",
        "3 April 2021", "3 Apr 2021", "03-Apr-2021", "3. April 2021", "April 3, 2021", "Apr. 3rd, 2021",
        "2021-04-03T00:00:00Z",
        "2021-04-03 00:00:00.000+02:00", "2021-04-03, 12:00 AM",
    ],
)  # fmt: skip
def test_a_date_that_can_be_read_in_one_way_is_read(text):
    assert parse_date(text) == dt.datetime(2021, 4, 3)


@pytest.mark.parametrize(("order", "month", "day"), [("dmy", 4, 3), ("mdy", 3, 4)])
@pytest.mark.parametrize("text", ["03/04/2021", "3.4.2021", "3-4-2021", "3/4/2021 00:00"])
def test_the_order_decides_what_comes_first(text, order, month, day):
    assert parse_date(text, order) == dt.datetime(2021, month, day)
    assert parse_date(text) is None


@pytest.mark.parametrize(
    "text", ["", "2021", "2021-04", "03/04/21", "2021-02-30", "2021-04-03 25:00", "3 Foo 2021", "2021-4/3"]
)
def test_what_is_no_date_or_half_of_one_is_not_read(text):
    assert parse_date(text, "dmy") is None


@given(st.datetimes(dt.datetime(1800, 1, 1), dt.datetime(2200, 1, 1)), st.datetimes(dt.datetime(1800, 1, 1)))
def test_parts_and_days_are_those_of_the_calendar(visit, birth):
    found = read_columns({"visit": [visit.isoformat(), None], "birth": [birth.date(), birth.date()]}, SCHEMA)
    first = [column[0] for column in found.values()]
    days = [(visit.date() - start).days for start in (dt.date(2020, 1, 1), birth.date())]
    assert first == [visit.year, visit.month - 1, visit.weekday(), visit.hour, *days]
    assert all(math.isnan(column[1]) if column.dtype.kind == "f" else column[1] == -1 for column in found.values())


def test_days_are_missing_if_one_of_the_dates_is():
    found = read_columns({"visit": ["2021-01-01", "2021-01-01"], "birth": [None, "2020-12-31"]}, SCHEMA)
    np.testing.assert_array_equal(found["days from birth to visit"], [math.nan, 1.0])


def test_a_cell_that_is_no_date_is_named():
    with pytest.raises(ValueError, match=r"Column 'visit' is read as dates, such as 2021-04-03 .*row 1 holds 'soon'"):
        read_columns({"visit": ["2021-01-01", "soon"]}, SCHEMA, only=["visit year"])
    with pytest.raises(ValueError, match=r"Column 'visit' is read as dates.*row 0 holds 20210101"):
        read_columns({"visit": [20210101]}, SCHEMA, only=["visit year"])


def test_a_column_that_dates_are_read_from_must_be_there():
    with pytest.raises(ValueError, match="lacks columns that are needed: 'birth'"):
        PROGRAM.predict({"visit": ["2021-01-01"]})
    assert PROGRAM.columns_used == ("visit", "birth")


def test_values_of_the_feature_itself_may_be_given():
    row = {"visit month": "October", "days from birth to visit": 100}
    assert PROGRAM.predict(row).tolist() == ["yes"]
    assert PROGRAM.predict({"visit": "2021-10-05", "birth": "2021-09-01"}).tolist() == ["no"]
    assert PROGRAM.predict({"visit": "2021-10-05", "days from birth to visit": 100}).tolist() == ["yes"]


def test_a_table_without_names_has_the_columns_that_are_read():
    assert SCHEMA.columns == ("visit", "birth")
    assert PROGRAM.predict(np.array([["2021-10-05", "2020-01-01"]], dtype=object)).tolist() == ["yes"]


def test_explanations_and_counterfactuals_speak_of_the_feature():
    row = {"visit": dt.date(2021, 5, 5), "birth": dt.date(2020, 1, 1)}
    assert "visit month" in PROGRAM.explain(row).details()
    (change,) = PROGRAM.counterfactuals(row)[0].changes
    assert (change.feature, change.old) == ("visit month", "May")


def test_a_model_file_holds_the_readings():
    model = SavedModel(PROGRAM, np.array(["no", "yes"]), ("id", "visit", "birth"), named=True)
    document = model.to_dict()
    assert document["program"]["features"][1]["reading"] == {"kind": "date", "column": "visit", "part": "month"}
    model_file_validator().validate(document)
    again = model_from_dict(document)
    assert again.schema_ == SCHEMA
    with pytest.raises(ModelFormatError, match="lacks the column 'birth'"):
        model_from_dict({**document, "columns": ["visit"]})


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"part": "minute"}, "reading.part: must be one of"),
        ({"order": "ymd"}, "reading.order: must be one of"),
        ({"since": "2020-01-01"}, "only days are"),
        ({"part": "days"}, "counted from a date or from a column"),
        ({"part": "days", "since": "soon"}, "such as 2020-01-01"),
        ({"unit": "mg"}, "unknown key 'unit'"),
    ],
)
def test_a_wrong_reading_in_a_file_is_named(changes, problem):
    document = PROGRAM.to_dict()
    document["features"][0]["reading"].update(changes)
    assert changes.get("since") == "soon" or not model_file_validator().is_valid(document)
    with pytest.raises(ModelFormatError, match=problem):
        LogicProgram.from_dict(document)


def test_a_part_of_a_date_has_the_kind_that_fits():
    with pytest.raises(ValueError, match="continuous, but read from the dates in 'visit' it is ordinal"):
        Feature("visit month", "continuous", reading=DateReading("visit", "month"))
