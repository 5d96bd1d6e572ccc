"""Exports that count rows of child tables agree with programs; the others refuse."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings

from nln.export import EXPORTERS, asp_facts, export, to_asp, to_prolog, to_python, to_sql
from nln.export.prolog import atom, label_term
from nln.export.sql import steps
from nln.rules import ChildTable, Feature, LogicProgram, Schema
from tests import tools
from tests.export.asp.test_answer_sets import solve
from tests.export.loading import loaded
from tests.rules.children.strategies import AGE, TARGET, VISITS, Tables, programs, tables

TYPES = {"patient": "INT", "age": "DOUBLE", "dept": "TEXT", "level": "TEXT", "urgent": "BOOLEAN"}
CHILD = ("patient", *VISITS.by_name)
ORDERED = ChildTable(
    "visits", "patient", (Feature("from_last", "continuous", whole=True), VISITS["dept"]), order="days"
)
LAST = LogicProgram.parse(
    "IF at least 2 visits (from_last <= 3 AND dept in {ER, eye}) THEN back = yes (weight 0.75)",
    schema=Schema((AGE,), TARGET, (ORDERED,)),
)


def creation(given: Tables, number: str = "DOUBLE") -> list[tuple[str, list[tuple[Any, ...]]]]:
    """Statements that make the two tables, each with its records."""
    made = []
    for name, columns, records in (("data", ("id", "patient", "age"), given[0]), ("visits", CHILD, given[1])):
        types = {"id": "INT", **{column: TYPES.get(column, number).replace("DOUBLE", number) for column in columns}}
        cells = [tuple(i if c == "id" else record[c] for c in columns) for i, record in enumerate(records)]
        made.append((f"CREATE TEMP TABLE {name} ({', '.join(f'{c} {types.get(c, number)}' for c in columns)})", cells))
    return made


def expected(program: LogicProgram, given: Tables) -> list[float]:
    if not given[0]:
        return []
    found: list[float] = program.predict_proba(given[0], tables={"visits": given[1]})[:, 1].tolist()
    return found


def database_answer(database: Any, program: LogicProgram, given: Tables, dialect: str) -> list[float]:
    for statement, records in creation(given):
        name = statement.split()[3]
        database.execute(f"DROP TABLE IF EXISTS {name}")
        database.execute(statement)
        if records:
            database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(records[0]))})", records)
    query = to_sql(program, dialect=dialect)
    return [p for (p,) in database.execute(f"SELECT p_yes FROM ({query}) AS answer ORDER BY id").fetchall()]


@settings(max_examples=100, deadline=None)
@given(programs(), tables())
@pytest.mark.parametrize("copies", [0, steps.MOST_COPIES])
def test_sqlite_agrees(copies: int, program: LogicProgram, given: Tables) -> None:
    with closing(sqlite3.connect(":memory:")) as database, patch.object(steps, "MOST_COPIES", copies):
        assert database_answer(database, program, given, "sqlite") == pytest.approx(expected(program, given))


@pytest.fixture(scope="module")
def duckdb() -> Any:
    with closing(tools.package("duckdb").connect()) as database:
        database.execute("SET threads = 1")
        yield database


@settings(max_examples=60, deadline=None)
@given(program=programs(), given=tables())
def test_duckdb_agrees(duckdb: Any, program: LogicProgram, given: Tables) -> None:
    assert database_answer(duckdb, program, given, "duckdb") == pytest.approx(expected(program, given))


@settings(max_examples=60, deadline=None)
@given(given=tables())
def test_the_last_rows_are_the_same_in_databases(duckdb: Any, given: Tables) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        assert database_answer(database, LAST, given, "sqlite") == pytest.approx(expected(LAST, given))
    assert database_answer(duckdb, LAST, given, "duckdb") == pytest.approx(expected(LAST, given))
    assert python_answer(LAST, given) == pytest.approx(expected(LAST, given))


@settings(max_examples=40, deadline=None)
@given(program=programs(), given=tables())
def test_postgres_agrees(program: LogicProgram, given: Tables) -> None:
    server = os.environ.get("NLN_TEST_POSTGRES", "")
    if not server:
        pytest.skip("NLN_TEST_POSTGRES names no server; scripts/test-postgres starts one")
    script = ""
    for statement, records in creation(given, "float8"):
        script += f"{statement};\n"
        for record in records:
            script += f"INSERT INTO {statement.split()[3]} VALUES ({', '.join(map(_sql, record))});\n"
    script += f"SELECT p_yes FROM ({to_sql(program, dialect='postgres')}) AS answer ORDER BY id;\n"
    command = [tools.program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", server]
    answer = subprocess.run(command, input=script, capture_output=True, encoding="utf-8", check=False)
    assert answer.returncode == 0, answer.stderr
    assert [float(line) for line in answer.stdout.split()] == pytest.approx(expected(program, given))


def _sql(value: Any) -> str:
    return "NULL" if value is None else f"'{value}'" if isinstance(value, str) else str(value).lower()


def test_some_and_no_are_written_as_exists_and_numbers_as_count() -> None:
    schema = Schema((AGE,), TARGET, (VISITS,))
    some = LogicProgram.parse("IF some visits (dept = ER) AND no visits (urgent = true) THEN back = yes", schema=schema)
    assert "EXISTS(" in to_sql(some)
    assert "COUNT(*)" not in to_sql(some)
    two = LogicProgram.parse("IF at least 2 visits (dept = ER) THEN back = yes", schema=schema)
    assert "COUNT(*)" in to_sql(two)
    assert '"main"."stays"' in to_sql(two, tables={"visits": ("main", "stays")})


def python_answer(program: LogicProgram, given: Tables) -> list[float]:
    module = loaded(to_python(program))
    return [module["predict_proba"](row)["yes"] for row in nested(given)]


def nested(given: Tables) -> list[dict[str, Any]]:
    """Rows that hold their children, as exported programs take them."""
    return [
        {
            **row,
            "visits": [
                child for child in given[1] if row["patient"] is not None and child["patient"] == row["patient"]
            ],
        }
        for row in given[0]
    ]


@settings(max_examples=100, deadline=None)
@given(programs(), tables())
def test_python_agrees(program: LogicProgram, given: Tables) -> None:
    assert python_answer(program, given) == pytest.approx(expected(program, given))


def test_python_asks_for_the_children() -> None:
    with pytest.raises(KeyError, match="list of dicts"):
        loaded(to_python(LAST))["predict"]({"age": 3.0})


def test_prolog_agrees(tmp_path: Path) -> None:
    program = LogicProgram.parse(
        "IF age >= 1 AND at least 2 visits (dept = ER AND creatinine >= 1.5) THEN back = yes (weight 0.75) "
        "IF no visits (level >= mid or missing) THEN back = yes (weight 0.5)",
        schema=Schema((AGE,), TARGET, (VISITS,)),
    )
    rng = np.random.default_rng(0)
    children = [
        {
            "patient": int(rng.integers(0, 6)),
            "dept": rng.choice(["ER", "eye", "heart"]).item(),
            "level": [None, "low", "mid", "high"][rng.integers(0, 4)],
            "urgent": True,
            "creatinine": [None, 1.0, 1.5, 2.0][rng.integers(0, 4)],
            "days": 1.0,
        }
        for _ in range(25)
    ]
    given: Tables = ([{"patient": key, "age": float(key % 3)} for key in range(8)], children)
    file = tmp_path / "program.pl"
    file.write_text(to_prolog(program, module="rules"), encoding="utf-8")
    rows = ", ".join(map(_prolog_row, nested(given)))
    goal = f'use_module({atom(str(file))}), forall(member(R, [{rows}]), (rules:probability(R, "yes", P), writeln(P)))'
    command = [tools.program("swipl"), "-g", goal, "-t", "halt"]
    answer = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert not answer.stderr, answer.stderr
    assert [float(line) for line in answer.stdout.split()] == pytest.approx(expected(program, given))


def _prolog_row(row: dict[str, Any]) -> str:
    cells = []
    for name, value in row.items():
        is_list = isinstance(value, list)
        cell = f"[{', '.join(map(_prolog_row, value))}]" if is_list else "null" if value is None else label_term(value)
        cells.append(f"{atom(name)}- {cell}")
    return f"[{', '.join(cells)}]"


@settings(max_examples=30, deadline=None)
@given(programs(), tables())
def test_clingo_agrees(program: LogicProgram, given: Tables) -> None:
    if not given[0]:
        return
    atoms = solve(to_asp(program) + asp_facts(program, given[0], tables={"visits": given[1]}))
    found = {a.arguments[0].number: float(a.arguments[2].string) for a in atoms if a.name == "probability"}
    assert [found[row] for row in range(len(given[0]))] == pytest.approx(expected(program, given))


@pytest.mark.parametrize("name", ["javascript", "r", "pmml", "xlsx"])
def test_other_formats_refuse(name: str) -> None:
    with pytest.raises(ValueError, match="does not count rows of another table"):
        export(LAST, name)


@pytest.mark.parametrize("name", ["text", "markdown", "latex", "json"])
def test_texts_write_the_condition(name: str) -> None:
    assert name in EXPORTERS
    assert "visits" in export(LAST, name)


def test_databases_have_no_numbers_of_rows() -> None:
    table = ChildTable("windows", "image", (Feature("a", "binary", (0, 1)),), parent_key="")
    program = LogicProgram.parse("IF some windows (a = 1) THEN back = yes", schema=Schema((), TARGET, (table,)))
    with pytest.raises(ValueError, match="by their numbers"):
        to_sql(program)
