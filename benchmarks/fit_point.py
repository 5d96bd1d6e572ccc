"""`python -m benchmarks.fit_point ROWS COLUMNS RULES SEED`: time and memory of one fit, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Times, forget_peak, peak_mb, resident_mb

COLUMNS, RULES = 40, 128
"""Columns of the generated table and rule modules of each network, where nothing else is said."""

NOTE = (
    "Generated tables (half of the columns continuous, three in eight categorical, the rest binary), each fit in a "
    "process of its own, after a fit on 500 rows that loads everything. `before` is the memory after the "
    "imports and with the data, `peak` the most during the fit, data included."
)


def in_fresh_process(rows: int, seed: int, *, columns: int = COLUMNS, rules: int = RULES) -> dict[str, Any]:
    """Run `fit_once` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.fit_point", *map(str, (rows, columns, rules, seed))]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def fit_once(rows: int, columns: int, rules: int, seed: int) -> dict[str, Any]:
    """Generate a table, fit it, and tell how long it took and how much memory."""
    from benchmarks.generate import mixed_table
    from nln import NLNClassifier

    X, y = mixed_table(rows, seed, columns)
    before = resident_mb()
    NLNClassifier(random_state=seed, n_rules=rules, starts=1).fit(X.iloc[:500], y[:500])
    forget_peak()
    times = Times()
    model = times.add(lambda: NLNClassifier(random_state=seed, n_rules=rules).fit(X, y))
    return {
        "rows": rows,
        "columns": columns,
        "n_rules": rules,
        "wall (s)": times.wall[0],
        "CPU (s)": times.cpu[0],
        "before (MB)": before,
        "peak (MB)": peak_mb(),
        "rules": len(model.program_.rules),
        "training accuracy": float(model.score(X.iloc[:100_000], y[:100_000])),
    }


def exponent(table: Sequence[Mapping[str, Any]], size: str, measured: str) -> float:
    """Exponent b of measured = c · size^b, by least squares in the logarithms."""
    x, y = (np.log([row[name] for row in table]) for name in (size, measured))
    return float(np.polyfit(x, y, 1)[0])


if __name__ == "__main__":
    print(json.dumps(fit_once(*map(int, sys.argv[1:5]))))
