"""`python -m benchmarks.cluster_point METHOD ROWS WORKERS SEED`: one fit on a cluster, in a process of its own."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.settings import SkippedError

COLUMNS, ROWS_PER_PART = 20, 250_000
ROUNDS = 100
"""Trees of XGBoost."""
RARE = "shop = s17\n AND product = p42"
"""The rule that covers one row in ten thousand."""
FILE_COLUMNS = 100
FEWEST_LIMIT = 1024
"""Megabytes that Python and its libraries need before any row is read, with room to work."""


def in_fresh_process(method: str, rows: int, workers: int, seed: int) -> dict[str, Any]:
    """Run one fit in a process of its own."""
    needed = ("dask", "distributed", *(["xgboost"] if method == "xgboost" else []))
    if missing := [name for name in needed if find_spec(name) is None]:
        raise SkippedError(f"{missing[0]} is not installed")
    command = [sys.executable, "-m", "benchmarks.cluster_point", method, *map(str, (rows, workers, seed))]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def partition(number: int, rows: int = ROWS_PER_PART, seed: int = 0) -> Any:
    """Make one partition: two frequent rules with noise, and one without that covers one row in ten thousand."""
    import pandas as pd

    rng = np.random.default_rng([seed, number])
    frame = pd.DataFrame({f"x{i}": rng.normal(size=rows) for i in range(15)})
    for i in range(3):
        frame[f"c{i}"] = pd.Categorical.from_codes(rng.integers(0, 4, rows), list("abcd"))
    for name in ("shop", "product"):
        values = [f"{name[0]}{i}" for i in range(100)]
        frame[name] = pd.Categorical.from_codes(rng.integers(0, 100, rows), values)
    frequent = ((frame.x1 > 0.5) & (frame.c0 == "a")) | ((frame.x2 < -1) & (frame.c1 != "b"))
    noisy = frequent ^ (rng.random(rows) < 0.02)
    frame["y"] = (noisy | ((frame["shop"] == "s17") & (frame["product"] == "p42"))).astype(np.int8)
    return frame


@contextmanager
def cluster(workers: int) -> Iterator[Any]:
    """Start worker processes of one thread."""
    from dask.distributed import Client, LocalCluster

    options: dict[str, Any] = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options, memory_limit=0) as made, Client(made) as client:
        yield client


def table_of(rows: int, seed: int) -> Any:
    """Make a lazy table of partitions."""
    import dask.dataframe as dd

    n_parts = max(rows // ROWS_PER_PART, 1)
    return dd.from_map(partition, range(n_parts), rows=rows // n_parts, seed=seed)


class Meter:
    """Wall time, and CPU time of the client (with the scheduler in it) and of the workers, since it was made."""

    def __init__(self, client: Any) -> None:
        self.client, self.begin, self.cpu = client, time.perf_counter(), self._cpu(client)

    def read(self) -> dict[str, float]:
        """Give the seconds so far, and the most memory that a worker has used."""
        seconds, cpu = time.perf_counter() - self.begin, self._cpu(self.client)
        return {
            "seconds": seconds,
            "CPU seconds": cpu - self.cpu,
            "peak of a worker (MB)": max(self.client.run(_peak).values()),
        }

    @staticmethod
    def _cpu(client: Any) -> float:
        return time.process_time() + float(sum(client.run(time.process_time).values()))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Traffic:
    """Counts rounds and their bytes."""

    def __init__(self) -> None:
        from distributed.protocol import dumps, to_serialize
        from distributed.utils import nbytes

        from nln.dask.rows import DaskRows

        self.rounds, self.bytes, run = 0, 0, DaskRows.run

        def counted(rows: Any, request: Any, only: Any) -> Any:
            answers = run(rows, request, only)
            self.rounds += 1
            self.bytes += sum(map(nbytes, dumps({"request": to_serialize(request)}))) * len(rows.groups)
            self.bytes += sum(answer.nbytes for answer in answers if isinstance(answer, np.ndarray))
            return answers

        DaskRows.run = counted


def fit_nln(rows: int, workers: int, seed: int) -> dict[str, Any]:
    """Fit `DaskNLNClassifier`."""
    from nln.dask import DaskNLNClassifier

    traffic, table = Traffic(), table_of(rows, seed)
    with cluster(workers) as client:
        meter = Meter(client)
        model = DaskNLNClassifier(random_state=seed, client=client).fit(table.drop(columns="y"), table["y"])
        used = meter.read()
    test = partition(10**6, seed=seed)
    return {
        **_cost("nln", rows, workers, used),
        "accuracy": float(model.to_local().score(test.drop(columns="y"), test["y"])),
        "rounds": traffic.rounds,
        "kB per round": traffic.bytes / 1000 / max(traffic.rounds, 1),
        "rules": model.program_.n_rules,
        "rare rule found": RARE in str(model.program_),
    }


def fit_xgboost(rows: int, workers: int, seed: int) -> dict[str, Any]:
    """Fit `xgboost.dask`."""
    import xgboost as xgb
    import xgboost.dask as on_dask

    table = table_of(rows, seed)
    with cluster(workers) as client:
        meter = Meter(client)
        data = on_dask.DaskQuantileDMatrix(client, table.drop(columns="y"), table["y"], enable_categorical=True)
        parameters = {"objective": "binary:logistic", "tree_method": "hist", "seed": seed}
        booster = on_dask.train(client, parameters, data, num_boost_round=ROUNDS)["booster"]
        used = meter.read()
    test = partition(10**6, seed=seed)
    P = booster.predict(xgb.DMatrix(test.drop(columns="y"), enable_categorical=True))
    return {
        **_cost("xgboost", rows, workers, used),
        "accuracy": float(((P > 0.5) == test["y"]).mean()),
    }


def _cost(method: str, rows: int, workers: int, used: dict[str, float]) -> dict[str, Any]:
    """Put together what a fit took, and what it takes to generate the rows, which is no part of learning."""
    millions, begin = rows / 1e6, time.process_time()
    partition(0)
    generating = (time.process_time() - begin) / (ROWS_PER_PART / 1e6)
    return {
        "method": method,
        "rows": rows,
        "workers": workers,
        "seconds": used["seconds"],
        "seconds per million rows": used["seconds"] / millions,
        "CPU seconds per million rows": used["CPU seconds"] / millions,
        "of these, to generate the rows once": generating,
        "peak of a worker (MB)": used["peak of a worker (MB)"],
    }


def fit_sample(rows: int, workers: int, seed: int) -> dict[str, Any]:
    """Fit `NLNClassifier` to a sample of the table with the rare rule."""
    from nln import NLNClassifier

    table, begin = partition(0, rows, seed), time.perf_counter()
    model = NLNClassifier(random_state=seed).fit(table.drop(columns="y"), table["y"])
    return {
        "rows": rows,
        "workers": 0,
        "seconds": time.perf_counter() - begin,
        "rules": model.program_.n_rules,
        "rare rule found": RARE in str(model.program_),
    }


def fit_files(rows: int, workers: int, seed: int) -> dict[str, Any]:
    """Write a folder of Parquet files, and let the command learn from it with a third of their size as memory."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(max(rows // ROWS_PER_PART, 1)):
            _write(Path(folder) / f"{number:04d}.parquet", min(rows, ROWS_PER_PART), [seed, number])
        size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 2**20
        limit = max(size / 3, FEWEST_LIMIT)
        begin = time.perf_counter()
        command = [sys.executable, "-c", _COMMAND, folder, str(Path(folder) / "model.json"), str(int(limit * 2**20))]
        # The limit counts what an allocator reserves, and that of Arrow reserves a gigabyte.
        environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=environment)
        seconds = time.perf_counter() - begin
    return {
        "rows": rows,
        "columns": FILE_COLUMNS,
        "files (MB)": size,
        "limit of memory, ulimit -d (MB)": limit,
        "learned within the limit": done.returncode == 0,
        "peak (MB)": float(done.stdout.splitlines()[-1]) if done.returncode == 0 else None,
        "seconds": seconds,
    }


_COMMAND = """
import resource, sys
folder, output, limit = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_DATA, (int(limit), int(limit)))
from nln.cli import main
code = main(["fit", folder, "--target", "y", "-o", output])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
sys.exit(code)
"""


def _write(path: Path, rows: int, seed: list[int]) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    rng = np.random.default_rng(seed)
    columns = {f"x{i:02d}": rng.normal(size=rows) for i in range(FILE_COLUMNS)}
    y = ((columns["x01"] > 0.5) & (columns["x02"] < 0.3)) | (columns["x03"] < -1.5)
    y ^= rng.random(rows) < 0.02
    pa.parquet.write_table(pa.table({**columns, "y": y.astype(np.int8)}), path, row_group_size=65_536)


METHODS = {"nln": fit_nln, "xgboost": fit_xgboost, "rare": fit_nln, "rare sample": fit_sample, "files": fit_files}

if __name__ == "__main__":
    print(json.dumps(METHODS[sys.argv[1]](*map(int, sys.argv[2:5]))))
