"""Programs of a thousand rules in engines that limit how deep an expression may be."""

from __future__ import annotations

import sqlite3
import xml.etree.ElementTree as ET
from contextlib import closing

import numpy as np
import pytest

from nln.rules import (
    Boundary,
    Feature,
    Interval,
    IntervalCondition,
    LogicProgram,
    Rule,
    Schema,
    Target,
    ValueCondition,
)
from tests import tools

RULES = 1100
VALUES = tuple(f"v{i}" for i in range(RULES))


@pytest.fixture(scope="module")
def program():
    schema = Schema((Feature("c", "categorical", VALUES),), Target("y", "binary", ("no", "yes")))
    rules = tuple(Rule((ValueCondition("c", (value,)),), "yes", 0.9) for value in VALUES)
    return LogicProgram(schema, rules, (0.25,), (0.5,))


def expected(program, cells):
    return program.predict_proba({"c": cells})[:, 1]


CELLS = ["v0", "v7", "new", None, VALUES[-1]]


def test_a_thousand_rules_run_in_sqlite(program):
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE t (c TEXT)")
        database.executemany("INSERT INTO t VALUES (?)", [(cell,) for cell in CELLS])
        found = database.execute(program.export("sql", dialect="sqlite", table="t")).fetchall()
    np.testing.assert_allclose([row[1] for row in found], expected(program, CELLS), rtol=1e-12)


def test_a_thousand_rules_are_a_shallow_document(program):
    def depth(element):
        return 1 + max(map(depth, element), default=0)

    assert depth(ET.fromstring(program.export("pmml"))) < 100


def test_a_value_that_sqlglot_uses_itself_stays_as_it_is():
    value = "a__SQLGLOT__LB__b"
    schema = Schema((Feature("c", "categorical", (value, "x")),), Target("y", "binary", ("no", "yes")))
    program = LogicProgram(schema, (Rule((ValueCondition("c", (value,)),), "yes", 0.9),), (0.0,), (0.5,))
    query = program.export("sql", dialect="sqlite", table="t")
    assert value in query and "\na" not in query


def fuzzy_program(n_rules, n_classes):
    """Rules that share fuzzy conditions, over a table that has columns with names of steps."""
    names = ("rules", "row", "source", "nln cells")
    labels = tuple(f"c{k}" for k in range(n_classes))
    rules = []
    for i in range(n_rules):
        ends = (("rules", i % 7), ("row", i % 5), (names[2 + i % 2], i % 3))
        asked = tuple(IntervalCondition(name, (Interval(Boundary(place / 2, 0.25)),)) for name, place in ends)
        rules.append(Rule(asked, labels[i % n_classes], 0.5))
    schema = Schema(tuple(Feature(name, "continuous") for name in names), Target("y", "multiclass", labels))
    return LogicProgram(schema, tuple(rules), (0.01,) * n_classes, ()), names


def check_query(program, names, execute, dialect, table):
    rng = np.random.default_rng(0)
    rows = [[None if rng.random() < 0.1 else float(x) for x in row] for row in rng.normal(1.5, 1, (40, 4)).round(1)]
    rows += rows[:5]  # rows that are alike
    columns = ", ".join(f'"{name}" DOUBLE' for name in names)
    execute(f'CREATE TABLE "{table}" ({columns}, "rowid" TEXT)')
    for number, row in enumerate(rows):
        execute(f'INSERT INTO "{table}" VALUES (?, ?, ?, ?, ?)', [*row, f"r{number}"])
    query = program.export("sql", dialect=dialect, table=table)
    found = execute(query).fetchall()
    assert [row[4] for row in found] == [f"r{number}" for number in range(len(rows))]
    expected = program.predict_proba({name: [row[i] for row in rows] for i, name in enumerate(names)})
    np.testing.assert_allclose([row[5 : 5 + expected.shape[1]] for row in found], expected, atol=1e-12)
    decided = program.predict({name: [row[i] for row in rows] for i, name in enumerate(names)})
    assert [row[5 + expected.shape[1]] for row in found] == list(decided)
    return query


@pytest.mark.parametrize("table", ["t", "rules", "nln cells", "outputs"])
def test_many_classes_are_computed_once_in_sqlite(table):
    with closing(sqlite3.connect(":memory:")) as database:
        query = check_query(*fuzzy_program(120, 12), database.execute, "sqlite", table)
    assert "MATERIALIZED" in query
    longer = fuzzy_program(240, 24)[0].export("sql", dialect="sqlite", table=table)
    assert len(longer) < 2.5 * len(query)


def test_text_that_a_column_takes_for_equal_stays_different_in_sqlite():
    colours = Schema((Feature("c", "categorical", ("Red", "red")),), Target("y", "multiclass", ("a", "b", "c")))
    rules = tuple(Rule((ValueCondition("c", ("Red",)),), "abc"[i % 3], (i % 9) / 10) for i in range(300))
    asked = LogicProgram(colours, rules, (0.1, 0.2, 0.3), ())
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t (c TEXT COLLATE NOCASE)")
        database.executemany("INSERT INTO t VALUES (?)", [("Red",), ("red",), (None,), ("RED",)])
        found = database.execute(asked.export("sql", dialect="sqlite", table="t")).fetchall()
    cells = ["Red", "red", None, "RED"]
    assert [row[0] for row in found] == cells
    np.testing.assert_allclose([row[1:4] for row in found], asked.predict_proba({"c": cells}), atol=1e-12)


def test_duckdb_plans_hundreds_of_rules():
    duckdb = tools.package("duckdb")
    with closing(duckdb.connect()) as database:
        database.execute("SET threads = 1")
        query = check_query(*fuzzy_program(120, 12), database.execute, "duckdb", "rules")
    assert query.count("EXP(") < 30, "each of the 18 conditions is computed once"
