"""Numbers and values are written so that each database reads them back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.export.sql.dialects import (
    DIALECTS,
    cast,
    duckdb_number,
    literals,
    postgres_number,
    sqlite_number,
    value_kind,
)
from nln.export.sql.steps import column


@settings(max_examples=300, deadline=None)
@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back_to_the_same_bits(duckdb: Any, value: float) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        assert database.execute(f"SELECT {sqlite_number(value).sql('sqlite')}").fetchone() == (value,)
    number = duckdb_number(value).sql("duckdb")
    assert duckdb.execute(f"SELECT {number}, typeof({number})").fetchone() == (value, "DOUBLE")
    assert float(postgres_number(value).sql("postgres")) == value


def test_numbers_stay_short_where_the_database_reads_them_exactly() -> None:
    assert sqlite_number(14.9).sql("sqlite") == "14.9"
    assert sqlite_number(2.0**70).sql("sqlite") == "4503599627370496.0 * 262144.0"
    assert duckdb_number(14.9).sql("duckdb") == "14.9e0"
    assert postgres_number(14.9).sql("postgres") == "14.9"


def test_a_column_has_the_type_that_holds_all_its_values() -> None:
    assert value_kind(("red", "blue"), "Feature 'x'") == "text"
    assert value_kind((True, 2.5), "Feature 'x'") == "number"
    assert value_kind((False, True), "Feature 'x'") == "boolean"
    assert value_kind((1, 2**60), "Feature 'x'") == "integer"
    assert value_kind(("red", 1), "Feature 'x'") == "mixed"
    with pytest.raises(ValueError, match="Feature 'x' has two values spelled '1'"):
        value_kind(("1", 1), "Feature 'x'")


def test_values_of_a_mixed_column_are_compared_as_text() -> None:
    written = literals(("it's", 2), ("it's", 2), "Feature 'x'", DIALECTS["duckdb"])
    assert [literal.sql("duckdb") for literal in written] == ["'it''s'", "'2'"]


def test_columns_and_types_are_written_for_each_database() -> None:
    assert cast(column("a b", "inputs"), "DOUBLE").sql("postgres") == 'CAST("inputs"."a b" AS DOUBLE PRECISION)'
