import datetime
import decimal
import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nln.rules import Feature, Schema, Target, read_columns
from nln.rules.cells import encode, find_values
from nln.rules.columns import read_inputs
from nln.rules.decoding import decode, is_missing

SCHEMA = Schema(
    (
        Feature("x", "continuous"),
        Feature("colour", "categorical", ("red", "blue")),
        Feature("size", "ordinal", (1, 2, 5)),
        Feature("smoker", "binary", (False, True)),
    ),
    Target("y", "binary", (0, 1)),
)
DATA = {
    "x": [1.5, None, 3.0],
    "colour": ["blue", None, "green"],
    "size": [5, 1, 7],
    "smoker": [True, False, None],
}
ROWS = [dict(zip(DATA, row, strict=True)) for row in zip(*DATA.values(), strict=True)]
EXPECTED = {"x": [1.5, math.nan, 3.0], "colour": [1, -1, -2], "size": [2, 0, -2], "smoker": [1, 0, -1]}
TABLES = {
    "lists": DATA,
    "arrays": {name: np.array(column, dtype=object) for name, column in DATA.items()},
    "rows": ROWS,
    "array": np.array(list(zip(*DATA.values(), strict=True)), dtype=object),
    "list of lists": [list(row.values()) for row in ROWS],
    "records": np.array([tuple(row.values()) for row in ROWS], dtype=[(name, object) for name in DATA]),
    "pandas": pd.DataFrame(DATA),
    "pandas nullable": pd.DataFrame(DATA).convert_dtypes(),
    "pandas category": pd.DataFrame(DATA).astype({"colour": "category"}),
    "polars": pl.DataFrame(DATA),
    "polars category": pl.DataFrame(DATA).with_columns(pl.col("colour").cast(pl.Categorical)),
    "pyarrow": pa.table(DATA),
    "pyarrow dictionary": pa.table({**DATA, "colour": pa.array(DATA["colour"]).dictionary_encode()}),
}


@pytest.mark.parametrize("form", TABLES)
def test_every_form_of_table_gives_the_same_columns(form):
    columns = read_columns(TABLES[form], SCHEMA)
    assert list(columns) == list(EXPECTED)
    for name, expected in EXPECTED.items():
        np.testing.assert_array_equal(columns[name], expected)
        assert columns[name].dtype == (np.float64 if name == "x" else np.int32)
    assert read_inputs(TABLES[form], SCHEMA, only=()) == ({}, 3, {})


def test_one_dict_of_scalars_is_one_row():
    columns = read_columns(ROWS[0], SCHEMA)
    assert {name: column.tolist() for name, column in columns.items()} == {
        "x": [1.5], "colour": [1], "size": [2], "smoker": [1],
    }  # fmt: skip
    assert read_inputs(ROWS[0], SCHEMA, only=()).n_rows == read_inputs({}, SCHEMA, only=()).n_rows == 1


def test_a_series_is_one_row_if_it_has_the_names_and_else_refused_as_a_single_column():
    assert read_columns(pd.Series(ROWS[0]), SCHEMA)["size"].tolist() == [2]
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array instead"):
        read_columns(pd.Series([1.0, 2.0], name="x"), SCHEMA)


def test_only_the_columns_asked_for_are_read():
    assert list(read_columns({"x": [1], "size": [2]}, SCHEMA, only=["size"])) == ["size"]
    with pytest.raises(ValueError, match="no features 'z'"):
        read_columns(DATA, SCHEMA, only=["z"])


def test_an_empty_table_has_empty_columns():
    assert all(len(column) == 0 for column in read_columns([], SCHEMA).values())
    assert read_inputs([], SCHEMA, only=()).n_rows == 0


def test_a_key_that_some_rows_lack_is_missing_there():
    columns = read_columns([{"x": 1}, {"y": 2}], SCHEMA, only=["x"])
    np.testing.assert_array_equal(columns["x"], [1, math.nan])


def test_columns_are_found_by_their_name_as_text():
    schema = Schema((Feature("0", "continuous"),), SCHEMA.target)
    assert read_columns(pd.DataFrame([[7.0]]), schema)["0"].tolist() == [7.0]


@pytest.mark.parametrize("table", [{"x": [1]}, pd.DataFrame({"x": [1]}), pl.DataFrame({"x": [1]}), [{"x": 1}]])
def test_absent_columns_are_listed(table):
    with pytest.raises(ValueError, match="lacks columns that are needed: 'colour', 'size', 'smoker'"):
        read_columns(table, SCHEMA)


@pytest.mark.parametrize("bad", ["1.5", "high", 10**400])
@pytest.mark.parametrize("more", [[], [0.5]])
def test_text_in_a_continuous_column_is_named_with_its_row(bad, more):
    with pytest.raises(ValueError, match="Column 'x' is continuous, but row 2 holds"):
        read_columns({"x": [1.0, None, bad, *more]}, SCHEMA, only=["x"])


@pytest.mark.parametrize("bad", [b"1", [1], {"a": 1}])
def test_cells_that_are_neither_text_nor_numbers_are_named_with_their_row(bad):
    for name in ("x", "colour"):
        with pytest.raises(TypeError, match=f"Column '{name}' holds a value of type {type(bad).__name__} in row 2"):
            read_columns({name: [1.0, None, bad]}, SCHEMA, only=[name])


@pytest.mark.parametrize("bad", [datetime.date(2020, 1, 1), np.datetime64("2020")])
def test_dates_are_not_numbers(bad):
    for column in ([None, bad], np.array([bad], "datetime64[ns]")):
        with pytest.raises(TypeError, match=r"Column 'x' is continuous, but holds points of time.*weekday"):
            read_columns({"x": column}, SCHEMA, only=["x"])


def test_numbers_of_other_types_are_read():
    column = [decimal.Decimal("1.5"), True, np.float32(2), pd.NA, pd.NaT, 10**20]
    np.testing.assert_array_equal(
        read_columns({"x": column}, SCHEMA, only=["x"])["x"], [1.5, 1, 2, math.nan, math.nan, 1e20]
    )
    masked = np.ma.masked_array([1, 2], mask=[False, True])
    np.testing.assert_array_equal(read_columns({"x": masked}, SCHEMA, only=["x"])["x"], [1, math.nan])


def test_tables_of_the_wrong_shape_are_refused():
    with pytest.raises(ValueError, match="X has 3 features, but the program is expecting 4 features as input"):
        read_columns(np.zeros((2, 3)), SCHEMA)
    with pytest.raises(ValueError, match="differ in length: 'x' 1, 'size' 2"):
        read_columns({"x": [1], "size": [1, 2]}, SCHEMA, only=["x", "size"])
    with pytest.raises(ValueError, match="columns only or scalars only, but 'x' is 1"):
        read_columns({"x": 1, "size": [1, 2]}, SCHEMA, only=["x", "size"])
    with pytest.raises(ValueError, match=r"Column 'x' has shape \(1, 2\); a column has one dimension and occurs once"):
        read_columns({"x": np.ones((1, 2))}, SCHEMA, only=["x"])
    for twice in (pd.DataFrame([[1, 2]], columns=["x", "x"]), pa.table([[1], [2]], names=["x", "x"])):
        with pytest.raises(ValueError, match=r"Column names must differ, but 'x' occurs 2 times. Rename one."):
            read_columns(twice, SCHEMA, only=["x"])
    for other in (None, "x", 3):
        with pytest.raises(ValueError, match=f"Expected 2D array, got scalar array .* type {type(other).__name__} "):
            read_columns(other, SCHEMA)


@pytest.mark.parametrize("value", [None, math.nan, np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT")])
def test_missing_marks_are_known(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", ["", 0, False, "nan", [], np.array([1, 2])])
def test_other_values_are_not_missing(value):
    assert not is_missing(value)


def value_indices(column, values):
    return find_values(decode("y", column), values)


def test_value_indices_agree_between_typed_and_object_columns():
    values = (3, "a", 1.5, True, 0)
    for dtype in (np.int8, np.int64, np.uint64, np.float32, np.float64, np.bool_):
        typed = np.array([0, 1, 3, 2], dtype)
        np.testing.assert_array_equal(value_indices(typed, values), value_indices(typed.astype(object), values))
    np.testing.assert_array_equal(value_indices(np.array([1.5, np.nan, 7]), values), [2, -1, -2])
    np.testing.assert_array_equal(value_indices(np.array([1.0]), ("a", "b")), [-2])


@pytest.mark.parametrize("values", [("b", "a"), (3, 1), (1.5, 3), (True, False), (2**60, "a")])
@pytest.mark.parametrize(
    "entries", [["a", "b", "z", None], [1, 3, 7, None], [1.5, 3.0, math.nan], [True, False], [2**60, 2**60 + 1], []]
)
def test_categorical_columns_agree_with_plain_ones(values, entries):
    feature = Feature("f", "categorical", values)
    if any(isinstance(entry, str) for entry in entries) and not any(isinstance(value, str) for value in values):
        return  # text for numbers is refused
    expected = encode(feature, decode("f", entries))
    for column in (pd.Categorical(entries), pd.Series(pd.Categorical(entries)), pd.CategoricalIndex(entries)):
        found = encode(feature, decode("f", column))
        assert found.dtype == np.int32
        np.testing.assert_array_equal(found, expected)


def test_large_integers_are_told_apart():
    values = (2**53, 2**53 + 1, 2**63)
    np.testing.assert_array_equal(value_indices(np.array([2**53 + 1, 2**53, 2**53 + 2]), values), [1, 0, -2])
    np.testing.assert_array_equal(value_indices(np.array([2**53, 2**53 + 1]), (5,)), [-2, -2])


def test_labels_that_cannot_be_hashed_are_refused():
    with pytest.raises(TypeError, match="Column 'y' holds a value of type list in row 1"):
        value_indices(["a", [1], None], ("a",))


def names_schema(*names):
    return Schema(tuple(Feature(name, "continuous") for name in names), SCHEMA.target)


def test_columns_are_found_by_name_in_any_order_and_others_do_not_matter(any_frame):
    table = any_frame({"b": [2], "c": [datetime.date(2020, 1, 1)], "a": [1]})
    inputs = read_inputs(table, names_schema("a", "b"), names=("a", "b"), named=True)
    assert {name: column.tolist() for name, column in inputs.columns.items()} == {"a": [1], "b": [2]}


def test_needed_names_that_are_absent_are_listed_as_scikit_learn_does(any_frame):
    message = (
        "The feature names should match those that were passed during fit.\n"
        "Feature names unseen at fit time:\n- d\n"
        "Feature names seen at fit time, yet now missing:\n- a\n- c\n"
    )
    table, schema = any_frame({"b": [2], "d": [1]}), names_schema("a", "b", "c")
    with pytest.raises(ValueError, match=re.escape(message)):
        read_inputs(table, schema, names=schema.names, named=True)
    inputs = read_inputs(table, schema, only=["b"], if_present=["a"], names=schema.names, named=True)
    assert list(inputs.columns) == ["b"]


def test_columns_of_arrays_are_found_by_position():
    found = read_inputs(np.eye(2), names_schema("x0", "x1"), names=("x0", "x1"), named=False).columns
    assert found["x1"].tolist() == [0, 1]
    schema = names_schema(*"abcd")
    with pytest.raises(ValueError, match=r"X has 2 features, but MyModel is expecting 4 features as input."):
        read_inputs(np.eye(2), schema, names=schema.names, named=False, model="MyModel")


def test_a_warning_says_when_names_come_or_go(frame):
    with pytest.warns(UserWarning, match="X does not have valid feature names, but M was fitted with feature names"):
        found = read_inputs(np.eye(2), names_schema("a", "b"), names=("a", "b"), named=True, model="M")
    assert found.columns["b"].tolist() == [0, 1]
    with pytest.warns(UserWarning, match="X has feature names, but M was fitted without feature names"):
        table = frame({"a": [1], "b": [2]})
        found = read_inputs(table, names_schema("x0", "x1"), names=("x0", "x1"), named=False, model="M")
    assert found.columns["x1"].tolist() == [2]
