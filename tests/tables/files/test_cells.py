"""Text cells: what is missing, what is a number, and that learning and deciding read a cell alike."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.rules import Feature, Schema, Target, read_columns
from nln.tables.files.cells import MISSING, MISSING_NUMBERS, CellRules, read_text_column, type_column
from nln.tables.frames import read_table
from nln.tables.infer import infer_features

NUMBERS = ("1", "1.0", " 2 ", "+3", "-4.5", ".5", "6.", "1e3", "1,5", "1_0")
WORDS = ("true", "FALSE", "red", " light blue", "x,y", "None", "", " ", *MISSING, *MISSING_NUMBERS)
CELLS = st.sampled_from([*NUMBERS, *WORDS])


@pytest.mark.parametrize("cell", ["", "  ", *MISSING, *MISSING_NUMBERS, "None", "NONE"])
def test_missing_numbers(cell):
    assert type_column("x", pa.array(["1", cell, "2"]), CellRules()).cells.to_pylist() == [1, None, 2]


def test_words_that_may_be_values_stay_in_text():
    cells = ["+", "-", "none", "NA", "?"]
    assert type_column("x", pa.array(cells), CellRules()).cells.to_pylist() == ["+", "-", "none", None, None]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "+2", "-3"], [1, 2, -3]),
        (["1", "2.0"], [1.0, 2.0]),
        (["1e3", ".5", "-6."], [1000.0, 0.5, -6.0]),
        (["True", "FALSE"], [True, False]),
        (["1_000", "2"], ["1_000", "2"]),
        (["1,5", "2"], ["1,5", "2"]),
        (["99999999999999999999", "1"], [1e20, 1.0]),
        (["", "NA"], [None, None]),
    ],
)
def test_types_are_found(cells, values):
    found = type_column("x", pa.array(cells), CellRules()).cells.to_pylist()
    assert found == values and [type(value) for value in found] == [type(value) for value in values]


def test_decimal_commas_and_points_together_are_noted():
    typed = type_column("x", pa.array(["1,5", "1.5", "2"]), CellRules(decimal_comma=True))
    assert typed.cells.to_pylist() == [1.5, 1.5, 2.0]
    assert "decimal commas and decimal points (1,5 and 1.5)" in typed.notes[0]


def test_a_known_value_is_never_missing():
    feature = Feature("country", "categorical", ("NA", " DE "))
    cells = read_text_column(pa.array(["NA", "DE", "?", "FR"]), feature, CellRules())
    assert [cells.cell(row) for row in range(4)] == ["NA", " DE ", None, "FR"]


@given(
    cells=st.lists(CELLS, min_size=3, max_size=12),
    comma=st.booleans(),
    missing=st.sampled_from([None, ["red", "-"]]),
)
def test_a_file_means_the_same_to_learning_and_to_deciding(cells, comma, missing):
    rules = CellRules(missing, decimal_comma=comma)
    # Two rows of numbers or words beside make the column neither constant nor empty.
    column = pa.array([*cells, "11", "12"])
    table = read_table(pa.table({"x": type_column("x", column, rules).cells}))
    features, columns = infer_features(table)
    schema = Schema(features, Target("class", "binary", ("no", "yes")))
    assert features
    again = read_columns({"x": read_text_column(column, features[0], rules)}, schema)
    np.testing.assert_array_equal(again["x"], columns["x"])
    np.testing.assert_array_equal(again["x"], read_columns(table, schema)["x"])


@pytest.mark.parametrize(
    "cells",
    [
        ["$1,020.00", "-", "$5", "$7"],
        ["03/04/2021", "none", "13/04/2021", ""],
        ["2021-01-01", ".", "2021-01-02", "NA"],
        ["<0.006", "--", "0.5", "1.5"],
    ],
)
def test_columns_of_numbers_in_text_and_of_dates_have_the_missing_cells_of_numbers(cells):
    typed = type_column("x", pa.array(cells), CellRules())
    assert typed.notes == ()
    features, columns = infer_features(read_table(pa.table({"x": typed.cells})))
    read = {"x": read_text_column(pa.array(cells), features[0], CellRules())}
    assert all(feature.reading is not None for feature in features)
    schema = Schema(features, Target("class", "binary", (0, 1)))
    found = read_columns(read, schema)
    for name, column in columns.items():
        np.testing.assert_array_equal(found[name], column)
        assert (np.isnan(column) if column.dtype.kind == "f" else column < 0)[1]
