"""Cells of every library: what a column decodes into, and what a feature makes of it."""

import datetime as dt
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.rules.cells import check_finite
from nln.rules.columns import read_columns
from nln.rules.decoding import decode
from nln.rules.schema import Feature, Schema, Target
from nln.tables.frames import read_table

COLOUR = Feature("colour", "categorical", ("blue", "red"))
SIZE = Feature("size", "ordinal", ("S", "M", "L"))
AGE = Feature("age", "continuous")
FLAG = Feature("flag", "binary", (False, True))
GRADE = Feature("grade", "categorical", (1, 2, 5))


def schema_of(*features):
    return Schema(features, Target("class", "binary", (0, 1)))


def read_one(X, feature):
    (at_fit,) = read_columns(read_table(X), schema_of(feature)).values()
    (later,) = read_columns(X, schema_of(feature)).values()
    np.testing.assert_array_equal(at_fit, later, strict=True)
    return at_fit


MOMENTS = {
    "time": [dt.time(12)],
    "duration": [dt.timedelta(1)],
}


@pytest.mark.parametrize("what", list(MOMENTS))
def test_times(any_frame, what):
    with pytest.raises(
        TypeError, match=f"Column '{what}' holds points or spans of time.*Turn it into numbers.*weekday"
    ):
        read_table(any_frame({what: MOMENTS[what]})).cells(what)


def test_spans_in_arrays():
    with pytest.raises(TypeError, match="Column 'when' holds points or spans of time"):
        decode("when", np.array([3], dtype="m8[D]"))


DAY, MOMENT = dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 13, 30)
EAST = dt.timezone(dt.timedelta(hours=9))


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ([DAY, None], "2020-01-01"),
        ([MOMENT, None], "2020-01-01T13:30:00"),
        ([dt.datetime(2020, 1, 1), None], "2020-01-01"),
        ([MOMENT.replace(tzinfo=EAST), None], "2020-01-01T13:30:00"),
    ],
)
def test_dates_are_the_same_text_in_every_library(any_frame, column, text):
    frame = any_frame({"when": column})
    local = read_table(frame).cells("when")
    if column[0] != MOMENT.replace(tzinfo=EAST) or not isinstance(frame, pl.DataFrame):  # polars keeps UTC only
        assert (local.codes.tolist(), local.values, local.order) == ([0, -1], (text,), "dates")
    for form in (column, np.array(column, dtype=object), pd.Series(column, dtype=object)):
        assert decode("when", form).values == (text,)


def test_dates_in_arrays():
    for column in (np.array(["2020-01-01"], "M8[D]"), np.array([np.datetime64("2020")], dtype=object)):
        assert decode("when", column).values == ("2020-01-01",)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York"])
def test_times_count_as_the_clock_of_their_zone_shows_them(zone):
    frame = pd.DataFrame({"when": pd.to_datetime(["2020-07-01 23:30", None]).tz_localize(zone)})
    table = pa.Table.from_pandas(frame)
    for form in (frame, pl.from_arrow(table), table, table.to_pandas(types_mapper=pd.ArrowDtype)):
        assert read_table(form).cells("when").values == ("2020-07-01T23:30:00",)


def test_dates_and_text_in_one_column_are_text():
    found = decode("when", [DAY, "unknown", pd.NaT, np.datetime64("2021-02-03")])
    assert found.values == ("2020-01-01", "unknown", "2021-02-03T00:00:00")


def test_periods():
    with pytest.raises(TypeError, match="Column 'when' holds points or spans of time"):
        read_table(pd.DataFrame({"when": pd.period_range("2020", periods=2, freq="Y")})).cells("when")


@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}])
def test_nested_cells(any_frame, cell):
    with pytest.raises(
        TypeError, match=r"Column 'x' holds a value of type .* in row 1.*argument must be a string or a number"
    ):
        read_table(any_frame({"x": [None, cell]})).cells("x")


@pytest.mark.parametrize("cell", [{"foo": "bar"}, [1], b"bytes", object(), pd.Interval(0, 1), (1, 2)])
def test_strange_cells(cell):
    column = np.array([1.5, None, "a"], dtype=object)
    column[1] = cell
    with pytest.raises(TypeError, match=f"'x' .* type {type(cell).__name__} in row 1, .*must be a string or a number"):
        decode("x", column)


def test_byte_strings():
    with pytest.raises(TypeError, match="type bytes in row 0"):
        decode("x", np.array([b"a"]))


def test_binned_numbers_name_the_interval_type():
    with pytest.raises(TypeError, match="Column 'x' holds a value of type Interval in row 0"):
        read_table(pd.DataFrame({"x": pd.cut([1, 5, 9], 2)})).cells("x")


def test_infinite_numbers_at_fit(any_frame):
    X = any_frame({"age": [1.0, np.inf, -np.inf, np.inf]})
    message = "Column 'age' has 3 infinite values (first at row 1). Replace them or drop the rows."
    with pytest.raises(ValueError, match=re.escape(message)):
        check_finite("age", read_table(X).cells("age"))
    assert read_one(X, AGE).tolist() == [1, np.inf, -np.inf, np.inf]


def test_infinite_number_among_texts_at_fit():
    X = np.array([["a"], [np.inf]], dtype=object)
    with pytest.raises(ValueError, match=re.escape("Column 'x0' has 1 infinite value (at row 1).")):
        check_finite("x0", read_table(X).cells("x0"))


def test_columns_of_every_kind(any_frame):
    X = any_frame(
        {
            "flag": [True, None, False],
            "age": [3, None, 5],
            "colour": ["red", None, "green"],
            "size": ["M", "S", None],
            "grade": [5, 1, 7],
        }
    )
    columns = read_columns(read_table(X), schema_of(COLOUR, SIZE, AGE, FLAG, GRADE))
    assert list(columns) == ["colour", "size", "age", "flag", "grade"]
    assert columns["colour"].tolist() == [1, -1, -2]
    assert columns["size"].tolist() == [1, 0, -1]
    assert columns["flag"].tolist() == [1, -1, 0]
    assert columns["grade"].tolist() == [2, 0, -2]
    np.testing.assert_array_equal(columns["age"], [3, np.nan, 5])
    assert {name: column.dtype for name, column in columns.items()} == {
        "age": np.float64,
        **dict.fromkeys(["colour", "size", "flag", "grade"], np.int32),
    }


CATEGORY_COLUMNS = {
    "pandas category": pd.DataFrame({"colour": pd.Categorical(["red", None, "green"], ["red", "unused", "green"])}),
    "pandas object": pd.DataFrame({"colour": ["red", None, "green"]}, dtype=object),
    "pandas NA": pd.DataFrame({"colour": pd.array(["red", pd.NA, "green"], dtype="string")}),
    "pandas arrow": pd.DataFrame({"colour": pd.array(["red", None, "green"], dtype="string[pyarrow]")}),
    "polars category": pl.DataFrame({"colour": pl.Series(["red", None, "green"], dtype=pl.Categorical)}),
    "polars enum": pl.DataFrame({"colour": pl.Series(["red", None, "green"], dtype=pl.Enum(["green", "red"]))}),
    "polars object": pl.DataFrame({"colour": pl.Series(["red", None, "green"], dtype=pl.Object)}),
    "pyarrow dictionary": pa.table({"colour": pa.array(["red", None, "green"]).dictionary_encode()}),
    "pyarrow chunks": pa.table({"colour": pa.chunked_array([["red"], [None, "green"]]).dictionary_encode()}),
    "numpy NA": np.array([["red"], [pd.NA], ["green"]], dtype=object),
}


@pytest.mark.parametrize("X", CATEGORY_COLUMNS.values(), ids=CATEGORY_COLUMNS)
def test_categories_of_every_library(X):
    assert read_columns(X, schema_of(COLOUR))["colour"].tolist() == [1, -1, -2]


@pytest.mark.parametrize(
    "values",
    [
        pd.array([3, None], dtype="Int64"),
        pd.array([3, None], dtype="Float32"),
        pd.array([3, None], dtype="int64[pyarrow]"),
        pd.arrays.SparseArray([3, np.nan]),
        pd.Categorical([3, None]),
        np.array([Decimal(3), None]),
        np.array([Fraction(3), np.nan], dtype=object),
        pl.Series([3, None], dtype=pl.Decimal(10, 2)).to_pandas(),
    ],
    ids=lambda values: str(values.dtype),
)
def test_numbers_of_every_type(values):
    np.testing.assert_array_equal(read_one(pd.DataFrame({"age": values}), AGE), [3.0, np.nan])


def test_polars_decimals():
    X = pl.DataFrame({"age": [Decimal("3.5"), None]})
    np.testing.assert_array_equal(read_one(X, AGE), [3.5, np.nan])


@pytest.mark.parametrize("given", [[1.0, 2.0, 5.0], [1, 2, 5], np.array([1, 2, 5], dtype=object), [1.0, 2, Decimal(5)]])
def test_whole_numbers_match_whatever_their_type(given):
    assert read_one(pd.DataFrame({"grade": given}), GRADE).tolist() == [0, 1, 2]


def test_truth_values_match_zero_and_one(frame):
    assert read_one(frame({"flag": [1, 0, 2]}), FLAG).tolist() == [1, 0, -2]
    assert read_one(frame({"n": [True, False]}), Feature("n", "binary", (0, 1))).tolist() == [1, 0]


def test_negative_zero_is_zero(frame):
    assert read_one(frame({"n": [-0.0, 0.0, 1.0]}), Feature("n", "binary", (0, 1))).tolist() == [0, 0, 1]


def test_numbers_never_match_text(frame):
    assert read_one(frame({"n": [1, 2]}), Feature("n", "categorical", ("1", "2"))).tolist() == [-2, -2]


def test_large_integers_stay_different():
    big = 2**60
    X = pl.DataFrame({"id": [big, big + 1, big + 2]})
    assert read_one(X, Feature("id", "categorical", (big, big + 1))).tolist() == [0, 1, -2]


@pytest.mark.parametrize("feature", [AGE, Feature("age", "binary", (0, 1)), Feature("age", "ordinal", (1, 2))])
def test_text_in_a_column_of_numbers(any_frame, feature):
    what = feature.kind if feature.is_numeric else f"{feature.kind} and its values are numbers"
    message = f"Column 'age' is {what}, but row 2 holds 'old'. Correct these cells"
    with pytest.raises(ValueError, match=message):
        read_one(any_frame({"age": ["1", None, "old"]}), feature)


def test_numbers_as_text_must_be_cast(any_frame):
    with pytest.raises(ValueError, match=r"Column 'age' is continuous, but row 1 holds '1\.5'. Cast the column, for"):
        read_one(any_frame({"age": [None, "1.5", "2"]}), AGE)


def test_unused_text_categories_do_no_harm():
    X = pd.DataFrame({"age": pd.Categorical([1, 2], categories=[1, 2, "none"])})
    assert read_one(X, AGE).tolist() == [1, 2]


def test_missing_column_of_any_type_is_missing(any_frame):
    X = read_table(any_frame({"colour": [None, None], "age": [None, None]}))
    columns = read_columns(X, schema_of(COLOUR, AGE))
    assert columns["colour"].tolist() == [-1, -1]
    assert np.isnan(columns["age"]).all()


def test_order_of_the_column_type():
    ordered = pd.Categorical(["M", "S"], ["S", "M"], ordered=True)
    for X in (pd.DataFrame({"s": ordered}), pa.Table.from_pandas(pd.DataFrame({"s": ordered}))):
        cells = read_table(X).cells("s")
        assert (cells.values, cells.order, cells.codes.tolist()) == (("S", "M"), "ordered", [1, 0])
    enum = read_table(pl.DataFrame({"s": pl.Series(["M", "S"], dtype=pl.Enum(["S", "M"]))})).cells("s")
    assert (enum.values, enum.order, enum.codes.tolist()) == (("S", "M"), "declared", [1, 0])


@given(
    st.lists(st.tuples(st.sampled_from(["blue", "red", "green", None]), st.sampled_from([0.5, 1.5, None])), min_size=1),
    st.permutations(["colour", "age", "more"]),
)
def test_reading_does_not_depend_on_the_order_of_columns(rows, order):
    data = {"colour": [row[0] for row in rows], "age": [row[1] for row in rows], "more": list(range(len(rows)))}
    schema = schema_of(COLOUR, AGE)
    expected = read_columns(read_table(pl.DataFrame(data)), schema)
    for library in (pd.DataFrame, pl.DataFrame, pa.table):
        table = library({name: data[name] for name in order})
        for name, column in read_columns(table, schema).items():
            np.testing.assert_array_equal(column, expected[name])
