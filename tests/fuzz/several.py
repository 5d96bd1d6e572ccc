"""Attacks on tables that come in several pieces: child tables, folders of files, partitions of Dask, and small fits."""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from nln import Child, NLNClassifier
from nln.rules import LogicProgram, Schema
from nln.tables.children import read_children
from nln.tables.files.folder import TableFolder, find_files
from nln.tables.frames import read_table
from tests.fuzz.mutate import damaged_bytes, damaged_text
from tests.fuzz.programs import CHILD_CONDITIONS, FEATURES, STAYS, TARGETS
from tests.fuzz.targets import CELLS, FORMS

_SHORT = 2000
"""Characters of a message that fits a screen."""


def child_tables(rng: Random) -> None:
    """Children of any type are counted alike in every library, or are refused in a short message."""
    text = f"IF {rng.choice(CHILD_CONDITIONS)} THEN class = yes (weight 0.5)"
    program = LogicProgram.parse(text, schema=Schema(FEATURES, TARGETS[0], (STAYS,)))
    keys, rows, n_children = rng.sample(CELLS, 3), rng.randint(1, 4), rng.randint(0, 6)
    parents = {"who": [rng.choice(keys) for _ in range(rows)], "age": [5.0] * rows}
    children = {"owner": [rng.choice(keys) for _ in range(n_children)], "day": list(range(n_children))}
    kinds = {"dept": ("ER", "eye"), "level": ("low", "mid"), "cost": (1.5, 0.0)}
    for name, usual in kinds.items():
        cells = (*usual, None, *rng.sample(CELLS, rng.choice((0, 0, 1))))
        children[name] = [rng.choice(cells) for _ in range(n_children)]
    answers = {}
    for form in ("dict", "objects", "pandas", "polars", "pyarrow"):
        tables = _made(form, parents, children)
        if tables is None:
            continue
        with _short_refusal(form):
            answers[form] = program.predict_proba(tables[0], tables={"stays": tables[1]})[:, 1].tolist()
        with _short_refusal(form):
            child = Child(tables[1], rng.choice(("owner", "dept", "no")), parent_key=rng.choice(("who", "", "x")))
            read_children({"stays": child}, read_table(tables[0]))
    given = [answer for form, answer in answers.items() if form in ("dict", "objects")]
    assert all(answer == given[0] for answer in given), answers


def _made(form: str, *tables: dict[str, list[Any]]) -> list[Any] | None:
    """Make tables of one library; None if it does not hold such columns."""
    try:
        return [FORMS[form](table) for table in tables]
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # polars panics, which is no Exception
        return None


@contextlib.contextmanager
def _short_refusal(what: str) -> Any:
    """Let an input be refused, in a message that fits a screen."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (ValueError, TypeError) as error:
        assert len(str(error)) < _SHORT, f"{what}: a message of {len(str(error))} characters"


def folders(rng: Random) -> None:
    """Files of a folder make one table, or the message names the file."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rng.randint(0, 3)):
            lines = ["age,colour", *(f"{i},{rng.choice(('red', 'blue', '?', ''))}" for i in range(rng.randint(0, 4)))]
            data = "\n".join(lines)
            data = damaged_text(data, rng) if rng.random() < 0.4 else data
            ending = rng.choice((".csv", ".csv", ".tsv", ".jsonl", ".parquet", ".gz", ".doc"))
            path, found = Path(folder, f"{number}{ending}"), data.encode(errors="replace")
            if ending == ".parquet":
                pd.DataFrame({"age": [1, 2], "colour": ["red", None]}).to_parquet(path)
                found = path.read_bytes()
            path.write_bytes(damaged_bytes(found, rng) if rng.random() < 0.3 else found)
        asked = Path(folder, rng.choice(("", "", "*.csv", "*", "[0-9].*", "**", "[", "no/*.csv")))
        try:
            files = find_files(asked)
            if files is None:
                return
            table = TableFolder(str(asked), files)
            table.has_more_than(1)
            table.read()
        except (ValueError, TypeError) as error:
            assert len(str(error)) < _SHORT
            assert folder in str(error) or "olumn" in str(error), f"the message names no file: {error}"


def _small_table(rng: Random) -> tuple[pd.DataFrame, list[Any], list[Any] | None]:
    """Draw a table to learn from: columns of a few cells, mostly of one kind, classes and weights."""
    rows = rng.randint(2, 24)
    kinds: list[tuple[Any, ...]] = [(0, 1, 2, 3), (0.5, 1.5, 7.25), ("red", "blue", "1"), (True, False)]
    columns = {}
    for number in range(rng.randint(1, 4)):
        cells = (*rng.choice(kinds), *rng.sample(CELLS, rng.choice((0, 0, 1))))
        columns[f"c{number}"] = pd.Series([rng.choice(cells) for _ in range(rows)], dtype=object)
    labels = rng.choice((("no", "yes"), (0, 1), ("a", "b", "c"), rng.sample(CELLS, 2)))
    y = [rng.choice(labels) for _ in range(rows)]
    weights = [rng.choice((1.0, 0.5, 2.0)) for _ in range(rows)] if rng.random() < 0.3 else None
    if weights and rng.random() < 0.3:
        weights[0] = rng.choice((-1.0, np.nan, np.inf, 1e308, 0.0))
    return pd.DataFrame(columns), y, weights


def _fitted(make: Any, *given: Any) -> Any:
    """Learn from a small table in a moment; None if it is refused."""
    model = None
    with _short_refusal("fit"):
        model = make(starts=1, n_rules=4, random_state=0).fit(*given)
    return model


def fits(rng: Random) -> None:
    """A small table is refused, or learned: the same program from its rows in reverse, which decides its own rows."""
    X, y, weights = _small_table(rng)
    target = np.empty(len(y), dtype=object)
    target[:] = y
    model = _fitted(NLNClassifier, X, target, weights)
    again = _fitted(NLNClassifier, X[::-1], target[::-1], weights and weights[::-1])
    assert (model is None) == (again is None)
    if model is not None:
        assert str(model.program_) == str(again.program_)
        assert len(model.predict(X)) == len(X)


@cache
def _client() -> Any:
    """Start a cluster in this process, once."""
    from dask.distributed import Client

    return Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0")


def dask_tables(rng: Random) -> None:
    """Partitions are refused, or learned and decided as the whole table is; large ones are sampled."""
    import dask
    import dask.dataframe as dd

    from nln.dask import DaskNLNClassifier

    X, y, weights = _small_table(rng)
    given = [X, pd.Series(y, dtype=object), *([] if weights is None else [pd.Series(weights)])]
    rows, parts = rng.choice((8, 1024)), rng.randint(1, 3)
    with dask.config.set({"dataframe.convert-string": rng.random() < 0.5}):
        try:
            made = [dd.from_pandas(one, npartitions=parts) for one in given]
            whole, *_ = [one.compute(scheduler="sync") for one in made]
        except Exception:  # Dask does not hold such a column
            return
        with patch("nln.large.fit.FEWEST_SAMPLED", 8):
            model = _fitted(lambda **more: DaskNLNClassifier(client=_client(), sample_rows=rows, **more), *made)
        if model is not None:
            assert model.predict(made[0]).compute().tolist() == model.to_local().predict(whole).tolist()
