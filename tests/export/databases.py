"""Tables of cases in databases: types of columns, entries as a database holds them, and checks of its answers."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from hypothesis import assume

from nln.export import to_sql
from nln.export.sql.dialects import value_kind
from nln.export.wording import result_names, spelling
from nln.rules import Feature, LogicProgram
from tests.export.agree import Rows, check_decisions, check_probabilities, check_rules
from tests.export.strategies import is_plain, values_of

ID = "the row's id"
DUCKDB_TYPES = {
    "id": "INT",
    "text": "TEXT",
    "mixed": "TEXT",
    "boolean": "BOOLEAN",
    "number": "DOUBLE",
    "integer": "HUGEINT",
}


@dataclass(frozen=True)
class Table:
    """A table ready for a typed database, and the same rows for the program."""

    names: list[str]
    kinds: list[str]
    records: list[list[Any]]
    rows: list[dict[str, Any]]


def typed_table(program: LogicProgram, rows: Rows) -> Table:
    assume(all(map(is_plain, values_of(program))))
    features = columns_of(program)
    kinds = [_kind(feature) for feature in features]
    mine = [{f.name: _held(row[f.name], kind, f) for f, kind in zip(features, kinds, strict=True)} for row in rows]
    records = [
        [number, *(_stored(row[f.name], kind) for f, kind in zip(features, kinds, strict=True))]
        for number, row in enumerate(mine)
    ]
    return Table([ID, *(feature.name for feature in features)], ["id", *kinds], records, mine)


def columns_of(program: LogicProgram) -> tuple[Feature, ...]:
    """The features that a table holds, and not those that are calculated."""
    return program.schema.plain(program.schema.names)


def untyped_table(program: LogicProgram, rows: Rows) -> Table:
    assume(all(is_plain(value, 2**63) for value in values_of(program)))
    names = [feature.name for feature in columns_of(program)]
    records = [[number, *(row[name] for name in names)] for number, row in enumerate(rows)]
    return Table([ID, *names], [""] * (1 + len(names)), records, list(rows))


def _kind(feature: Feature) -> str:
    try:
        return "number" if feature.is_numeric else value_kind(feature.values, feature.name)
    except ValueError:  # two values with one spelling: refused, as another test shows
        assume(False)
        raise


def _held(entry: Any, kind: str, feature: Feature) -> Any:
    """Change what the column's type cannot hold."""
    if kind == "boolean" and entry not in feature.values:
        return None
    return None if isinstance(entry, float) and math.isnan(entry) and kind != "number" else entry


def _stored(entry: Any, kind: str) -> Any:
    if entry is None:
        return None
    conversion: Callable[[Any], Any] = {"mixed": spelling, "number": float}.get(kind, lambda value: value)
    return conversion(entry)


def check_answer(program: LogicProgram, rows: Rows, names: Sequence[str], records: Sequence[Sequence[Any]]) -> None:
    """Compare a query's answer, in any order of rows, with the program."""
    target = program.schema.target
    added = result_names(program.schema)
    width = 1 + len(columns_of(program))
    assert list(names) == [ID, *(feature.name for feature in columns_of(program)), *_order(added, target.kind)]
    found = sorted(records, key=lambda record: record[0])
    assert [record[0] for record in found] == list(range(len(rows)))
    answers = [dict(zip(names[width:], record[width:], strict=True)) for record in found]
    proba = [[answer[name] for name in added.probabilities] for answer in answers]
    check_probabilities(program, rows, [[1 - p[0], *p] for p in proba] if target.kind == "binary" else proba)
    decided = [[answer[name] for name in added.decisions] for answer in answers]
    decisions = decided if target.kind == "multilabel" else [_place(program, d[0]) for d in decided]
    check_decisions(program, rows, decisions)
    check_rules(program, rows, decisions, [[answer[name] for name in added.rules] for answer in answers])


def _order(added: Any, kind: str) -> list[str]:
    if kind != "multilabel":
        return [*added.probabilities, *added.decisions, *added.rules]
    pairs = zip(added.decisions, added.rules, strict=True)
    return [*added.probabilities, *(name for pair in pairs for name in pair)]


def _place(program: LogicProgram, decision: Any) -> int:
    labels = program.schema.target.labels
    return labels.index(decision) if decision in labels else [spelling(label) for label in labels].index(decision)


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
