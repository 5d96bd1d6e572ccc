"""Queries agree with programs in SQLite and DuckDB."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from typing import Any
from unittest.mock import patch

import pytest
import sqlglot
from hypothesis import given, settings

from nln.export import to_sql
from nln.export.sql import steps
from nln.rules import Feature, LogicProgram, Rule, Schema, Target, ValueCondition
from tests import tools
from tests.export.agree import check_probabilities
from tests.export.databases import (
    DUCKDB_TYPES,
    check_answer,
    has_exp,
    insertion,
    query_of,
    quoted,
    typed_table,
    untyped_table,
)
from tests.export.strategies import NASTY, cases


@settings(max_examples=100, deadline=None)
@given(cases(plain=True))
@pytest.mark.parametrize("copies", [0, steps.MOST_COPIES])
def test_sqlite_agrees(copies: int, case: tuple[LogicProgram, list[dict[str, Any]]]) -> None:
    if not has_exp():
        tools.absent("exp() in this SQLite")
    program, rows = case
    table = untyped_table(program, rows)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE TABLE data ({', '.join(map(quoted, table.names))})")
        database.execute(*insertion(table))
        with patch.object(steps, "MOST_COPIES", copies):
            answer = database.execute(query_of(program, "sqlite"))
        check_answer(program, table.rows, [column[0] for column in answer.description], answer.fetchall())


@settings(max_examples=100, deadline=None)
@given(case=cases(plain=True))
def test_duckdb_agrees(duckdb: Any, case: tuple[LogicProgram, list[dict[str, Any]]]) -> None:
    program, rows = case
    table = typed_table(program, rows)
    columns = (f"{quoted(name)} {DUCKDB_TYPES[kind]}" for name, kind in zip(table.names, table.kinds, strict=True))
    duckdb.execute(f"CREATE OR REPLACE TABLE data ({', '.join(columns)})")
    duckdb.execute(*insertion(table))
    answer = duckdb.execute(query_of(program, "duckdb"))
    check_answer(program, table.rows, [column[0] for column in answer.description], answer.fetchall())


CLASS = Target("class", "binary", ("no", "yes"))


def scored(query: str, creation: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(creation)
        return database.execute(query).fetchall()


@pytest.mark.parametrize("name", NASTY)
def test_any_name_is_a_name_and_any_value_a_value(name: str) -> None:
    schema = Schema((Feature(name, "categorical", (name, "other")),), Target(name, "binary", ("no", name)))
    program = LogicProgram(schema, (Rule((ValueCondition(name, (name,)),), name, 0.75),), (0.0,), (0.5,))
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE TABLE {quoted(name)} ({quoted(name)})")
        database.execute(f"INSERT INTO {quoted(name)} VALUES (?), ('other'), (NULL)", (name,))
        answer = database.execute(to_sql(program, table=name))
        assert [column[0] for column in answer.description] == [name, f"p_{name}", "decision", "rule"]
        assert answer.fetchall() == [(name, 0.75, name, 1), ("other", 0.0, "no", None), (None, 0.0, "no", None)]


def test_truth_values_are_0_and_1_in_sqlite() -> None:
    schema = Schema((Feature("smoker", "binary", (False, True)),), CLASS)
    program = LogicProgram.parse("IF smoker = true or missing THEN class = yes (0.75)", schema=schema)
    answer = scored(to_sql(program), "CREATE TABLE data (smoker BOOLEAN); INSERT INTO data VALUES (1), (0), (NULL)")
    assert answer == [(1, 0.75, "yes", 1), (0, 0.0, "no", None), (None, 0.75, "yes", 1)]


def test_columns_that_the_program_does_not_use_may_be_absent() -> None:
    schema = Schema((Feature("x", "continuous"), Feature("gone", "continuous")), CLASS)
    program = LogicProgram.parse("IF x < 1 THEN class = yes", schema=schema)
    assert scored(to_sql(program), "CREATE TABLE data (x); INSERT INTO data VALUES (0)") == [(0, 1.0, "yes", 1)]


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "spark"])
def test_hundreds_of_rules_make_a_query(dialect: str) -> None:
    schema = Schema((Feature("x", "continuous"),), CLASS)
    text = "\n".join(f"IF x < {n} THEN class = yes (0.01)" for n in range(300))
    program = LogicProgram.parse(text, schema=schema)
    query = to_sql(program, dialect=dialect)
    if dialect == "sqlite":
        (x, p, decision, rule), *_ = scored(query, "CREATE TABLE data (x); INSERT INTO data VALUES (100)")
        assert (decision, rule) == ("yes", 102)
        check_probabilities(program, [{"x": x}], [[1 - p, p]])


def test_what_sql_cannot_say_is_refused() -> None:
    program = LogicProgram(Schema((), CLASS), (), (0.0,), (0.5,))
    with pytest.raises(ValueError, match="NUL"):
        to_sql(program, table="a\0b")
    with pytest.raises(ValueError, match="one to three parts"):
        to_sql(program, table=("a", "b", "c", "d"))
    with pytest.raises(ValueError, match="no dialect 'oracle'; known: 'sqlite', 'duckdb', 'postgres', 'spark'"):
        to_sql(program, dialect="oracle")
    mixed = Schema((Feature("x", "categorical", ("1", 1)),), CLASS)
    program = LogicProgram.parse('IF x = "1" THEN class = yes', schema=mixed)
    assert scored(to_sql(program), "CREATE TABLE data (x); INSERT INTO data VALUES ('1'), (1)")[1][1] == 0.0
    with pytest.raises(ValueError, match="two values spelled '1'"):
        to_sql(program, dialect="duckdb")


def test_without_sqlglot_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("nln.export.sql.", "sqlglot"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(ImportError, match=r"nln\[export\]"):
        to_sql(LogicProgram(Schema((), CLASS), (), (0.0,), (0.5,)))


def test_calculations_are_steps_of_the_query() -> None:
    features = (*(Feature(name, "continuous") for name in ("x", "y", "z")), Feature("g", "categorical", ("p", "q")))
    text = "IF x / y / y >= 30 AND at least 2 of {x > 1; g = p; z < 0} THEN class = yes (0.75)"
    program = LogicProgram.parse(text, schema=Schema(features, CLASS))
    query = to_sql(program, dialect="duckdb")
    assert query.count('NULLIF("inputs"."cleaned y", 0.0e0)') == 2
    assert query.count("THEN 1 ELSE 0 END + CASE WHEN") == 2
    assert '"cleaned x" > 1.0e0' in query
    assert to_sql(program, dialect="spark").count("NULLIF(`inputs`.`cleaned y`, 0.0e0)") == 2
    rows = "CREATE TABLE data (x, y, z, g); INSERT INTO data VALUES (30, 1, 5, 'p'), (30, 0, 5, 'p'), (30, 1, 5, 'q')"
    assert [row[4:] for row in scored(to_sql(program), rows)] == [
        (0.75, "yes", 1),
        (0.0, "no", None),
        (0.0, "no", None),
    ]


@pytest.mark.parametrize("name", NASTY)
def test_any_name_and_any_value_reads_back_in_spark(name: str) -> None:
    schema = Schema((Feature(name, "categorical", (name, "other")),), CLASS)
    program = LogicProgram(schema, (Rule((ValueCondition(name, (name,)),), "yes", 0.75),), (0.0,), (0.5,))
    query = sqlglot.parse_one(to_sql(program, dialect="spark", table=name), dialect="spark")
    assert name in {table.name for table in query.find_all(sqlglot.exp.Table)}
    assert name in {column.name for column in query.find_all(sqlglot.exp.Column)}
    assert name in {literal.name for literal in query.find_all(sqlglot.exp.Literal) if literal.is_string}


def test_rows_are_structures_in_spark() -> None:
    program = LogicProgram.parse("IF x < 1 THEN class = yes", schema=Schema((Feature("x", "continuous"),), CLASS))
    query = to_sql(program, dialect="spark")
    assert "STRUCT(`source`.*) AS `row`" in query
    assert query.startswith("SELECT\n  `row`.*,")
