"""Exports of learned programs agree with the classifier that learned them, on all rows and on rows it has not seen."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from nln import NLNClassifier, TrainingOptions, datasets
from nln.export import to_python, to_sql
from nln.rules import Feature, IntervalCondition, LogicProgram
from tests import tools
from tests.export import nodejs
from tests.export.agree import CLOSE, check_decisions, check_probabilities
from tests.export.databases import DUCKDB_TYPES, ID, Table, check_answer, has_exp, insertion, quoted
from tests.export.loading import loaded
from tests.rules.strategies import unseen

DATA: dict[str, Callable[[], Any]] = {
    "tic-tac-toe": partial(datasets.load_tic_tac_toe, backend="pandas"),
    "monk 1": partial(datasets.load_monks, 1, backend="pandas"),
    "monk 2": partial(datasets.load_monks, 2, backend="pandas"),
    "monk 3": partial(datasets.load_monks, 3, backend="pandas"),
    "balance": partial(datasets.load_balance, backend="pandas"),
    "wine": partial(datasets.load_wine, backend="pandas"),
}
BATCH = 100
"""Rows inserted by one statement."""

Learned = tuple[LogicProgram, list[dict[str, Any]]]


@pytest.fixture(scope="module", params=DATA)
def learned(request: pytest.FixtureRequest) -> Learned:
    """A program learned quickly, and rows on which the classifier itself agrees with it."""
    X, y = DATA[request.param]()
    model = NLNClassifier(starts=2, training=TrainingOptions(epochs=40), random_state=0).fit(X, y)
    program = model.program_
    assert program.rules
    rows = [*X.to_dict("records"), *changed_rows(program, X.to_dict("records")[:: len(X) // 5])]
    table = pd.DataFrame(rows)
    np.testing.assert_allclose(model.predict_proba(table), program.predict_proba(rows), rtol=0, atol=CLOSE)
    assert model.predict(table).tolist() == program.predict(rows).tolist()
    return program, rows


def changed_rows(program: LogicProgram, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Change one feature at a time: missing, unseen, on each boundary and next to it; and all to missing."""
    for feature in columns_of(program):
        ends = [b.value for b in boundaries(program, feature.name)]
        near = [math.nextafter(end, side) for end in ends for side in (-math.inf, math.inf)]
        entries = [None, math.nan, *ends, *near] if feature.is_numeric else [None, unseen(feature)]
        yield from ({**row, feature.name: entry} for row in rows for entry in entries)
    yield dict.fromkeys(feature.name for feature in columns_of(program))


def columns_of(program: LogicProgram) -> list[Feature]:
    """Features that are columns of the table, not calculated from others."""
    return [feature for feature in program.schema.features if feature.derived is None]


def boundaries(program: LogicProgram, name: str) -> list[Any]:
    conditions = (condition for rule in program.rules for condition in rule.conditions)
    asked = (c for c in conditions if isinstance(c, IntervalCondition) and c.feature == name)
    return list(dict.fromkeys(boundary for condition in asked for boundary in condition.boundaries))


def batches(program: LogicProgram, rows: list[dict[str, Any]]) -> Iterator[Table]:
    names, kinds = [ID], ["id"]
    for feature in columns_of(program):
        names.append(feature.name)
        kinds.append("number" if feature.is_numeric else "text")
    records = [[number, *(row[name] for name in names[1:])] for number, row in enumerate(rows)]
    for start in range(0, len(rows), BATCH):
        yield Table(names, kinds, records[start : start + BATCH], rows[start : start + BATCH])


def check_query(database: Any, types: dict[str, str], query: str, learned: Learned) -> None:
    program, rows = learned
    tables = list(batches(program, rows))
    pairs = zip(tables[0].names, tables[0].kinds, strict=True)
    database.execute(f"CREATE TABLE data ({', '.join(f'{quoted(name)} {types[kind]}' for name, kind in pairs)})")
    for table in tables:
        database.execute(*insertion(table))
    answer = database.execute(query)
    check_answer(program, rows, [column[0] for column in answer.description], answer.fetchall())


def test_sqlite_agrees(learned: Learned) -> None:
    if not has_exp():
        tools.absent("exp() in this SQLite")
    types = {"id": "INT", "text": "TEXT", "number": "REAL"}
    with closing(sqlite3.connect(":memory:")) as database:
        check_query(database, types, to_sql(learned[0], dialect="sqlite"), learned)


def test_duckdb_agrees(learned: Learned) -> None:
    with closing(tools.package("duckdb").connect()) as database:
        check_query(database, DUCKDB_TYPES, to_sql(learned[0], dialect="duckdb"), learned)


def test_python_agrees(learned: Learned) -> None:
    program, rows = learned
    module = loaded(to_python(program))
    check_probabilities(program, rows, [list(module["predict_proba"](row).values()) for row in rows])
    labels = program.schema.target.labels
    check_decisions(program, rows, [labels.index(module["predict"](row)) for row in rows])


def test_javascript_agrees(learned: Learned) -> None:
    program, rows = learned
    with nodejs.started() as node:
        answer = nodejs.run(node, program, rows)
    check_probabilities(program, rows, answer["probabilities"])
    check_decisions(program, rows, answer["decisions"])
