"""One row, read on the short way, is decided as it is in a table."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.rules import Feature, LogicProgram, Schema, Target, probabilities, read_columns
from nln.rules.single import SingleRows

FEATURES = (
    Feature("x", "continuous"),
    Feature("colour", "categorical", ("blue", "red", 1)),
    Feature("size", "ordinal", ("S", "M", "L")),
    Feature("flag", "binary", (False, True)),
    Feature("code", "categorical", (1, 2.5, 7)),
)
TEXT = """
IF x >= 3 ± 1 AND colour = red THEN y = yes (weight 0.8)
IF x < 1 or missing (0.5) AND size >= M THEN y = yes (weight 0.7)
IF flag = true AND code in {1, 7} THEN y = yes (weight 0.6)
IF x < -2 ± 0.3 or -1 <= x < 0.5 ± 0.2 or x >= 2 ± 0.7 AND flag = true THEN y = yes (weight 0.55)
IF x < -1e-300 or x >= 4 or missing (0.3) AND size < L or missing (0.9) THEN y = yes (weight 0.15)
IF colour != blue AND code != 2.5 or missing THEN y = yes (weight 0.4)
"""
PROGRAM = LogicProgram.parse(TEXT, schema=Schema(FEATURES, Target("y", "binary", ("no", "yes"))))
CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 9),
    st.floats(-5, 5),
    st.sampled_from([math.nan, 2.5, 2**60, -(2**53), "red", "blue", "M", "true", "", np.float64(2), np.int64(1)]),
)


@given(st.fixed_dictionaries({feature.name: CELLS for feature in FEATURES}))
def test_a_row_is_decided_as_in_a_table_or_left_to_it(row):
    found = SingleRows(PROGRAM).probabilities(row)
    if found is not None:
        np.testing.assert_array_equal(found, probabilities(PROGRAM, read_columns(row, PROGRAM.schema)))


def test_plain_rows_go_the_short_way():
    row = {"x": 4, "colour": "red", "size": "never seen", "flag": True, "code": 1.0, "more": [1, 2]}
    found = SingleRows(PROGRAM).probabilities(row)
    assert found is not None
    np.testing.assert_array_equal(found, probabilities(PROGRAM, read_columns(row, PROGRAM.schema)))


@pytest.mark.parametrize("cell", [math.inf, 2**60, np.float64(2), "4", [1.0], True])
def test_other_cells_are_left_to_what_reads_everything(cell):
    row = {"x": cell, "colour": "red", "size": "M", "flag": True, "code": 1}
    assert SingleRows(PROGRAM).probabilities(row) is None


def test_a_row_that_lacks_a_column_is_left_to_what_says_so():
    assert SingleRows(PROGRAM).probabilities({"x": 1.0}) is None


def test_calculations_and_readings_are_left_to_what_reads_everything():
    schema = Schema((Feature("a", "continuous"), Feature("b", "continuous")), Target("y", "binary", ("no", "yes")))
    program = LogicProgram.parse("IF a > b THEN y = yes", schema=schema)
    assert SingleRows(program).probabilities({"a": 2.0, "b": 1.0}) is None
