"""The query of the `spark` dialect in a real Spark session, compared with the program."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np

from benchmarks.record import Part, Record
from benchmarks.settings import Settings, SkippedError
from nln.export import to_sql
from nln.export.wording import result_names
from nln.rules import Feature, LogicProgram, Schema, Target

ROWS, QUICK_ROWS = 20_000, 200
KEY = "the row's key"

YES = Target("class", "binary", ("no", "yes"))
NUMBERS = tuple(Feature(name, "continuous") for name in ("x", "y", "z"))
COLOUR = Feature("colour", "categorical", ("red", "it's `green`", "back\\slash", "two\nlines"))
MEMBER = Feature("member", "binary", (False, True))
GRADE = Feature("grade", "categorical", (1, 2, 3))
HOUR = Feature("hour", "periodic", period=24.0)

PROGRAMS: dict[str, tuple[Target, str]] = {
    "fuzzy boundaries": (
        YES,
        """IF x < 0.3 ± 0.2 AND y >= -0.5 ± 0.05 THEN class = yes (weight 0.9)
        IF x >= 1.5 ± 1 or missing (0.62) THEN class = yes (weight 0.4)
        IF z < -1 or 0 <= z < 0.5 THEN class = yes (weight 0.3)""",
    ),
    "categories": (
        YES,
        r"""IF colour not in {red, "back\\slash"} AND member = true THEN class = yes (weight 0.8)
        IF colour = "it's `green`" or missing AND grade in {1, 3} THEN class = yes (weight 0.7)
        IF grade != 2 AND hour >= 22 or hour < 6 THEN class = yes (weight 0.2)""",
    ),
    "several classes": (
        Target("kind", "multiclass", ("low", "middle", "high")),
        """IF x < -0.5 ± 0.3 THEN kind = low (weight 0.8)
        IF -0.5 ± 0.3 <= x < 0.7 THEN kind = middle (weight 0.7)
        IF x >= 0.7 ± 0.1 AND member = true THEN kind = high (weight 0.9)
        IF colour = red THEN kind = high (weight 0.2)""",
    ),
    "several labels": (
        Target("found", "multilabel", ("left", "right")),
        """IF x < 0 ± 0.5 THEN left (weight 0.9)
        IF y < 0 or missing AND member = false THEN right (weight 0.6)""",
    ),
    "calculations and counts": (
        YES,
        """IF x / y / y >= 2 THEN class = yes (weight 0.6)
        IF x + y > z THEN class = yes (weight 0.3)
        IF at least 2 of {x > 1; colour = red; z < 0; member = true} THEN class = yes (weight 0.5)""",
    ),
}
"""Targets and rules, by what they show."""


def run(settings: Settings, record: Record) -> None:
    """Score the same rows by the query in Spark and by the program."""
    record.explain(
        "Generated rows with missing values (NULL and NaN) are read from a Parquet file by Spark on one core of this "
        "machine. The query that `to_sql(program, dialect='spark')` writes scores them, and its probabilities and "
        "decisions are compared with those of the program in Python."
    )
    record.part("queries", compare)


def compare(settings: Settings) -> Part:
    """Score with every program."""
    if find_spec("pyspark") is None:
        raise SkippedError("pyspark is not installed: pip install pyspark")
    if which("java") is None:
        raise SkippedError("Spark needs Java, and there is no java on the path")
    import pyspark

    columns = made_columns(QUICK_ROWS if settings.quick else ROWS, settings.seed)
    with session() as spark, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write(columns, path)
        spark.read.parquet(str(path)).createOrReplaceTempView("data")
        table = [{"program": name, **compared(spark, program_of(name), columns)} for name in PROGRAMS]
    return {"table": table, "values": {"Spark": pyspark.__version__}}


def program_of(name: str) -> LogicProgram:
    """Read one of the programs."""
    target, text = PROGRAMS[name]
    return LogicProgram.parse(text, schema=Schema((*NUMBERS, COLOUR, MEMBER, GRADE, HOUR), target))


def made_columns(rows: int, seed: int) -> dict[str, list[Any]]:
    """Draw cells; one in ten is missing, and numbers are missing in two ways."""
    rng = np.random.default_rng(seed)
    columns: dict[str, list[Any]] = {
        **{feature.name: rng.normal(size=rows).round(2).tolist() for feature in NUMBERS},
        **{f.name: [f.values[i] for i in rng.integers(0, len(f.values), rows)] for f in (COLOUR, MEMBER, GRADE)},
        HOUR.name: rng.uniform(-48.0, 48.0, rows).round(1).tolist(),
    }
    for name, cells in columns.items():
        for i in np.flatnonzero(rng.random(rows) < 0.1):
            cells[i] = float("nan") if name in ("x", "y", "z") and i % 2 else None
    return columns


def write(columns: dict[str, list[Any]], path: Path) -> None:
    """Write a table with a key."""
    import pyarrow as pa
    import pyarrow.parquet

    keyed = {KEY: list(range(len(columns["x"]))), **columns}
    pa.parquet.write_table(pa.table({name: pa.array(cells) for name, cells in keyed.items()}), path)


@contextmanager
def session() -> Iterator[Any]:
    """Start Spark on one core, without a network or a page."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").appName("nln")
    options = {"ui.enabled": "false", "driver.host": "127.0.0.1", "driver.bindAddress": "127.0.0.1"}
    for name, value in options.items():
        builder = builder.config(f"spark.{name}", value)
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def compared(spark: Any, program: LogicProgram, columns: dict[str, list[Any]]) -> dict[str, Any]:
    """Compare what the query answers with what the program says."""
    import pandas as pd

    table = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})
    names = result_names(program.schema)
    asked = [*names.probabilities, *names.decisions]
    answered = spark.sql(to_sql(program, dialect="spark")).orderBy(f"`{KEY}`").select(*(f"`{n}`" for n in asked))
    answers = [tuple(row) for row in answered.collect()]
    expected, decided = program.predict_proba(table), np.asarray(program.predict(table))
    P = np.array([row[: len(names.probabilities)] for row in answers], np.float64)
    mine = expected[:, 1:] if program.schema.target.kind == "binary" else expected
    decisions = np.array([row[len(names.probabilities) :] for row in answers], dtype=object)
    same = decisions.reshape(decided.shape) == decided
    return {
        "rows": len(answers),
        "rules": program.n_rules,
        "largest difference of a probability": float(np.abs(P - mine).max()),
        "equal decisions (%)": 100.0 * float(same.mean()),
    }
