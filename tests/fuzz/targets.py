"""The attacks: each takes a random source, makes one input, and raises if something but a clear refusal follows."""

from __future__ import annotations

import contextlib
import io
import math
import os
import sqlite3
import tempfile
import warnings
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet

from nln.cli import main
from nln.model import model_from_dict, model_of
from nln.rules import Feature, LogicProgram, ModelFormatError, RuleSyntaxError, Schema
from nln.rules.storage.files import dump_json, load_json
from nln.tables.files.table_file import TableFile
from tests.fuzz.mutate import damaged_bytes, damaged_data, damaged_text
from tests.fuzz.programs import CONDITIONS, FEATURES, TARGETS, a_cell, a_program, some_stays


def check_round_trips(program: LogicProgram) -> None:
    """A program comes back from its text and from its file, and says the same there."""
    text = str(program)
    again = LogicProgram.parse(text, schema=program.schema)
    assert str(again) == text
    assert again.rules == program.rules and again.biases == program.biases and again.thresholds == program.thresholds
    stored = model_from_dict(load_json(dump_json(model_of(program).to_dict()))).program_
    assert str(stored) == text


def rule_texts(rng: Random) -> None:
    """Damaged rules are refused with their place, or are rules that come back from their text."""
    program = a_program(rng)
    text = damaged_text(str(program), rng)
    with contextlib.suppress(RuleSyntaxError):
        check_round_trips(LogicProgram.parse(text, schema=program.schema))


def model_files(rng: Random) -> None:
    """Damaged model files are refused with the place, or are models that decide and come back."""
    document = model_of(a_program(rng)).to_dict()
    try:
        if rng.random() < 0.3:
            model = model_from_dict(load_json(damaged_text(dump_json(document), rng)))
        else:
            model = model_from_dict(damaged_data(document, rng))
    except ModelFormatError as error:
        assert len(str(error)) < 3000
        return
    check_round_trips(model.program_)
    schema = model.program_.schema
    row = {column: [None] for feature in schema.plain(schema.names) for column in feature.columns}
    row |= {table.parent_key: [1] for table in schema.tables if table.parent_key}
    with contextlib.suppress(ValueError, TypeError):
        model.predict_proba(row, tables={table.name: some_stays(rng) for table in schema.tables})


CELLS = (
    0, 1, -1, 3, 2**53, 2**60, 2**63, 2**64, 10**30, 10**400, 0.0, 0.5, 3.5, 1e17, 1e308, math.inf,
    math.nan, True, False,
    "red", "true", "1", "", "mid", "a\x00", "\ud800", "é", b"red", None, Decimal("0.5"),
    Decimal("NaN"), Decimal("sNaN"),
    Decimal("Infinity"), 1j, (), pd.NaT, pd.NA, np.datetime64("2020-01-01"), np.float32(0.1), np.str_("red"),
)  # fmt: skip


def tables(rng: Random) -> None:
    """Columns of any type have one answer in every library, or are refused in a short message."""
    feature = rng.choice(FEATURES[:-1])  # the last one is asked about only beside another
    program = LogicProgram.parse(_question(feature), schema=Schema((feature,), TARGETS[0]))
    kinds = rng.sample(CELLS, rng.randint(1, 3))
    cells = [rng.choice(kinds) for _ in range(rng.randint(1, 5))]
    answers = {}
    for name, make in FORMS.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                table = make({feature.name: cells})
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # the library does not hold such a column; polars panics, which is no Exception
            continue
        try:
            answers[name] = program.predict_proba(table)[:, 1].tolist()
        except (ValueError, TypeError) as error:
            assert len(str(error)) < 2000, f"{name}: a message of {len(str(error))} characters"
    given = [answer for name, answer in answers.items() if name in ("dict", "objects")]
    assert all(answer == given[0] for answer in given), answers


def _question(feature: Feature) -> str:
    asked = next(text for text in CONDITIONS if feature.name in text and "of {" not in text and "*" not in text)
    return f"IF {asked} THEN class = yes (weight 0.5)"


FORMS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "dict": lambda columns: columns,
    "objects": lambda columns: pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()}),
    "pandas": pd.DataFrame,
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "pyarrow": lambda columns: pa.table({name: _without_dates(cells) for name, cells in columns.items()}),
    "array": lambda columns: np.array(list(zip(*columns.values(), strict=True))),
}
"""Libraries that make a table of lists of cells."""


def _without_dates(cells: list[Any]) -> list[Any]:
    """Refuse a date of NumPy beside other cells, on which pyarrow 26 crashes."""
    if len({isinstance(cell, np.datetime64) for cell in cells}) > 1:
        raise TypeError
    return cells


def table_files(rng: Random) -> None:
    """Damaged table files are refused, or read."""
    lines = ["age,colour,class", *(f"{i},{rng.choice(('red', 'blue', '?', ''))},yes" for i in range(rng.randint(0, 6)))]
    ending = rng.choice((".csv", ".jsonl", ".parquet", ".arrow", ".tsv"))
    if ending in (".parquet", ".arrow"):
        table, sink = pa.table({"age": [1, 2], "colour": ["red", None]}), io.BytesIO()
        if ending == ".parquet":
            pa.parquet.write_table(table, sink)
        else:
            with pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
        data = sink.getvalue()
    else:
        text = '{"age": 1, "colour": "red"}\n' if ending == ".jsonl" else "\n".join(lines)
        data = damaged_text(text, rng).encode(errors="replace")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"data{ending}")
        path.write_bytes(damaged_bytes(data, rng) if rng.random() < 0.7 else data)
        try:
            TableFile(path).read()
        except (ValueError, TypeError) as error:
            assert str(path) in str(error) or "olumn" in str(error), f"the message names no file: {error}"


def exports(rng: Random) -> None:
    """A query in SQLite decides as the program does."""
    program = a_program(rng)
    plain = program.schema.plain(program.features_used)
    stays = some_stays(rng)
    rows = [{"who": rng.choice((1, 2, 3, None))} | {f.name: a_cell(f, rng) for f in plain} for _ in range(4)]
    expected = program.predict_proba(rows, tables={"stays": stays})
    try:
        query = program.export("sql", dialect="sqlite", table="t")
    except ValueError:
        return
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        for name, records in (("t", rows), ("stays", stays)):
            names = ", ".join(f'"{column}"' for column in records[0])
            database.execute(f"CREATE TABLE {name} ({names})")
            marks = ", ".join("?" * len(records[0]))
            database.executemany(f"INSERT INTO {name} VALUES ({marks})", [tuple(row.values()) for row in records])
        found = database.execute(query).fetchall()
    own = expected[:, 1:] if program.schema.target.kind == "binary" else expected
    got = np.array([row[len(rows[0]) : len(rows[0]) + own.shape[1]] for row in found], dtype=float)
    np.testing.assert_allclose(got, own, atol=1e-9)


def commands(rng: Random) -> None:
    """A command on broken files and options ends in a line and a code, never in a traceback."""
    words = ("rules", "predict", "evaluate", "explain", "export", "diff", "card", "audit", "merge", "select")
    with tempfile.TemporaryDirectory() as folder:
        text = dump_json(model_of(a_program(rng)).to_dict())
        model, data = Path(folder, "m.json"), Path(folder, "d.csv")
        model.write_text(damaged_text(text, rng) if rng.random() < 0.6 else text, encoding="utf-8", errors="replace")
        data.write_bytes(damaged_bytes(b"age,colour,class\n1,red,yes\n2,blue,no\n", rng))
        options = (
            "--to",
            "sql",
            "--row",
            "0",
            "--group",
            "colour",
            "--target",
            "class",
            "--json",
            "-o",
            "/no/x",
            "--cv",
        )
        given = [rng.choice(words), str(model), str(data), *rng.sample(options, rng.randint(0, 3))]
        out, wrong = io.TextIOWrapper(io.BytesIO()), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(wrong):
            code = main(given)
        assert code in (0, 1, 2), code
        assert code == 0 or len(wrong.getvalue()) < 4000
        assert not [name for name in os.listdir(folder) if name.endswith(".part")]
