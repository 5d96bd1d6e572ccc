"""Queries agree with programs in real databases."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest
from hypothesis import assume, given, settings

from nln.export import to_sql
from nln.rules import Feature, LogicProgram, Rule, Schema, Target, ValueCondition
from tests.export import tools
from tests.export.databases import Table, check_answer, typed_table, untyped_table
from tests.export.strategies import NASTY, cases

DUCKDB_TYPES = {"id": "INT", "text": "TEXT", "mixed": "TEXT", "boolean": "BOOLEAN", "number": "DOUBLE", "integer": "HUGEINT"}


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def insertion(table: Table) -> tuple[str, list[Any]]:
    marks = f"({', '.join('?' * len(table.names))})"
    entries = [entry for record in table.records for entry in record]
    return f"INSERT INTO data VALUES {', '.join([marks] * len(table.records))}", entries


def has_exp() -> bool:
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.execute("SELECT exp(1.0)")
        except sqlite3.OperationalError:
            return False
    return True


def query_of(program: LogicProgram, dialect: str) -> str:
    try:
        return to_sql(program, dialect=dialect)
    except ValueError as error:  # labels of mixed types with one spelling
        assume("spelled" not in str(error))
        raise


@settings(max_examples=150, deadline=None)
@given(cases(plain=True))
def test_sqlite_agrees(case: tuple[LogicProgram, list[dict[str, Any]]]) -> None:
    if not has_exp():
        tools.absent("exp() in this SQLite")
    program, rows = case
    table = untyped_table(program, rows)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE TABLE data ({', '.join(map(quoted, table.names))})")
        database.execute(*insertion(table))
        answer = database.execute(query_of(program, "sqlite"))
        check_answer(program, table.rows, [column[0] for column in answer.description], answer.fetchall())


@pytest.fixture(scope="module")
def duckdb() -> Any:
    with closing(tools.package("duckdb").connect()) as database:
        database.execute("SET threads = 1")
        yield database


@settings(max_examples=150, deadline=None)
@given(case=cases(plain=True))
def test_duckdb_agrees(duckdb: Any, case: tuple[LogicProgram, list[dict[str, Any]]]) -> None:
    program, rows = case
    table = typed_table(program, rows)
    columns = (f"{quoted(name)} {DUCKDB_TYPES[kind]}" for name, kind in zip(table.names, table.kinds, strict=True))
    duckdb.execute(f"CREATE OR REPLACE TABLE data ({', '.join(columns)})")
    duckdb.execute(*insertion(table))
    answer = duckdb.execute(query_of(program, "duckdb"))
    check_answer(program, table.rows, [column[0] for column in answer.description], answer.fetchall())
