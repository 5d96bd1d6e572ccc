"""Rows a second of `predict_proba` on a long table against XGBoost's: the classifier, its program alone, and DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from benchmarks.data import adult
from benchmarks.measure import Times, interleave, ratio
from benchmarks.record import Part
from benchmarks.settings import Settings, SkippedError, say
from benchmarks.speed_fit import NO_XGBOOST, xgboost_classifiers
from nln import LogicProgram, NLNClassifier
from nln.export.wording import result_names

NOTES = [
    "All predict the same pandas frame, rows of adult drawn with replacement, in turn; medians. XGBoost runs with all "
    "cores and with one thread; the ratios are against the better, and above 1 means more rows a second than XGBoost.",
    "`program` is the logic program without its classifier, as a saved one is scored, with NumPy on one thread. "
    "`DuckDB` runs the exported query on the frame where it lies, with all cores, and returns the probability alone.",
]
NO_DUCKDB = "The query is not timed, because it needs DuckDB and sqlglot: `pip install duckdb sqlglot`."
OURS = {"nln": "ratio", "program": "program_ratio", "DuckDB": "duckdb_ratio"}
"""Our contestants, and the names of their values."""

Contestants = dict[str, Callable[[], Any]]


def measure(settings: Settings) -> Part:
    """Fit both once, then predict in turn."""
    X, y = adult(settings)
    rng = np.random.default_rng(settings.seed)
    long = X.iloc[rng.integers(0, len(X), 20_000 if settings.quick else 1_000_000)].reset_index(drop=True)
    say(f"predict: {len(long):,} rows")
    model = NLNClassifier(random_state=settings.seed).fit(X, y)
    program: LogicProgram = model.program_
    contestants: Contestants = {
        "nln": lambda: model.predict_proba(long),
        "program": lambda: program.predict_proba(long),
    }
    others = {name: other.fit(X, y == ">50K") for name, other in xgboost_classifiers(settings.seed).items()}
    contestants |= {name: partial(other.predict_proba, long) for name, other in others.items()}
    skipped = [] if others else [NO_XGBOOST]
    try:
        contestants["DuckDB"] = duckdb_query(program, long)
    except SkippedError as reason:
        skipped.append(str(reason))
    times = interleave(contestants, 1 if settings.quick else 5)
    ratios = _ratios(times, tuple(others))
    values = {"rows_per_second": len(long) / median(times["nln"].wall), "n_rules": len(program.rules)}
    values |= {OURS[name]: found for name, found in ratios.items()}
    table = [*_rows(times, len(long)), *({"method": f"{n} / best", "rows a second": r} for n, r in ratios.items())]
    return {"table": table, "values": values, "notes": NOTES, "skipped": skipped}


def duckdb_query(program: LogicProgram, frame: Any) -> Callable[[], Any]:
    """Return a function that scores a frame in DuckDB, after a check that it gives the program's probabilities."""
    try:
        import duckdb

        query = program.export("sql", dialect="duckdb", table="frame")
    except ImportError as error:
        raise SkippedError(NO_DUCKDB) from error
    database = duckdb.connect()
    database.register("frame", frame)
    (name,) = result_names(program.schema).probabilities
    quoted = '"' + name.replace('"', '""') + '"'

    def run() -> Any:
        return database.execute(f"SELECT {quoted} FROM ({query})").fetchnumpy()[name]

    # Sorted, because a query without ORDER BY returns the rows in any order.
    np.testing.assert_allclose(np.sort(run()), np.sort(program.predict_proba(frame)[:, 1]), rtol=0, atol=1e-9)
    return run


def _ratios(times: Mapping[str, Times], others: tuple[str, ...]) -> dict[str, float]:
    """How many times the rows a second of the best of the others each of ours scores."""
    if not others:
        return {}
    return {n: min(ratio(times[o].wall, times[n].wall) for o in others) for n in OURS if n in times}


def _rows(times: Mapping[str, Times], n_rows: int) -> list[dict[str, Any]]:
    return [
        {
            "method": name,
            "rows": n_rows,
            "wall (s)": median(t.wall),
            "CPU (s)": median(t.cpu),
            "rows a second": n_rows / median(t.wall),
        }
        for name, t in times.items()
    ]
