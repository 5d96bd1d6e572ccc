"""Queries agree with programs in PostgreSQL, on the server of NLN_TEST_POSTGRES; scripts/test-postgres starts one."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings

from nln.export import to_sql
from nln.rules import Feature, LogicProgram, Rule, Schema, Target
from tests import tools
from tests.export.databases import Table, check_answer, query_of, quoted, typed_table
from tests.export.strategies import cases

TYPES = {"id": "int", "text": "text", "mixed": "text", "boolean": "boolean", "number": "float8", "integer": "numeric"}


@pytest.fixture(scope="module")
def server() -> str:
    name = os.environ.get("NLN_TEST_POSTGRES", "")
    if not name:
        pytest.skip("NLN_TEST_POSTGRES names no server; scripts/test-postgres starts one")
    return name


def run(server: str, script: str) -> str:
    command = [tools.program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", server]
    answer = subprocess.run(command, input=script, capture_output=True, encoding="utf-8", check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def entry(value: Any, kind: str) -> str:
    if value is None:
        return "NULL"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return "'" + text.replace("'", "''") + f"'::{TYPES[kind]}"


def creation(table: Table) -> str:
    columns = (f"{quoted(name)} {TYPES[kind]}" for name, kind in zip(table.names, table.kinds, strict=True))
    records = (
        f"({', '.join(entry(value, kind) for value, kind in zip(record, table.kinds, strict=True))})"
        for record in table.records
    )
    return f"CREATE TEMP TABLE data ({', '.join(columns)}); INSERT INTO data VALUES {', '.join(records)};\n"


@settings(max_examples=80, deadline=None)
@given(case=cases(plain=True))
def test_postgres_agrees(server: str, case: tuple[LogicProgram, list[dict[str, Any]]]) -> None:
    program, rows = case
    table = typed_table(program, rows)
    query = query_of(program, "postgres")
    pairs = json.loads(
        run(server, creation(table) + f"SELECT json_agg(row_to_json(answer)) FROM ({query}) AS answer;\n"),
        object_pairs_hook=list,
    )
    names = [name for name, _ in pairs[0]]
    check_answer(program, table.rows, names, [[value for _, value in row] for row in pairs])


def test_postgres_runs_qualified_names(server: str) -> None:
    schema = Schema((), Target("class", "binary", ("no", "yes")))
    query = to_sql(LogicProgram(schema, (Rule((), "yes", 0.75),), (0.0,), (0.5,)), dialect="postgres", table=("s", "t"))
    script = f"BEGIN; CREATE SCHEMA s; CREATE TABLE s.t (id int); INSERT INTO s.t VALUES (7); {query}; ROLLBACK;\n"
    assert run(server, script).strip() == "7|0.75|yes|1"


def test_postgres_survives_products_too_small_for_a_float(server: str) -> None:
    names = [f"x{n}" for n in range(40)]
    schema = Schema(tuple(Feature(name, "continuous") for name in names), Target("class", "binary", ("no", "yes")))
    conditions = " AND ".join(f"{name} < 0 +- 1" for name in names)
    program = LogicProgram.parse(f"IF {conditions} THEN class = yes", schema=schema)
    table = f"SELECT {', '.join(f'17.0::float8 AS {name}' for name in names)}"
    answer = run(server, f"CREATE TEMP VIEW data AS {table}; {to_sql(program, dialect='postgres')};\n")
    assert answer.strip().split("|")[-3:] == ["0", "no", ""]
