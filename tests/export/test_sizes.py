"""Programs of a thousand rules in engines that limit how deep an expression may be."""

from __future__ import annotations

import sqlite3
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from nln.rules import Feature, LogicProgram, Rule, Schema, Target, ValueCondition

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
