"""`python -m benchmarks.fit_point SIZES`: time and memory of one fit, in a process of its own; the sizes are JSON."""

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


def in_fresh_process(rows: int, seed: int, **sizes: int) -> dict[str, Any]:
    """Run `fit_once` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.fit_point", json.dumps({"rows": rows, "seed": seed, **sizes})]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def fit_once(
    rows: int, seed: int, *, columns: int = COLUMNS, n_rules: int | None = RULES, **many: int
) -> dict[str, Any]:
    """Generate a table, fit it, and tell how long it took and how much memory.

    `many` is empty, or says how many `classes`, `labels` or `codes` the table has.
    """
    from nln import NLNClassifier

    X, y = _draw(rows, columns, seed, **many)
    n_rules = None if many else n_rules  # networks have as many rule modules as classes need
    before = resident_mb()
    NLNClassifier(random_state=seed, n_rules=n_rules, starts=1).fit(X.iloc[:500], y[:500])
    forget_peak()
    times = Times()
    model = times.add(lambda: NLNClassifier(random_state=seed, n_rules=n_rules).fit(X, y))
    right = np.asarray(model.predict(X.iloc[:100_000])) == y[:100_000]
    return {
        "rows": rows,
        "columns": X.shape[1],
        **(many or {"n_rules": n_rules}),
        "wall (s)": times.wall[0],
        "CPU (s)": times.cpu[0],
        "before (MB)": before,
        "peak (MB)": peak_mb(),
        "rules": len(model.program_.rules),
        "training accuracy": float(np.mean(right)),
    }


def _draw(
    rows: int,
    columns: int,
    seed: int,
    *,
    classes: int | None = None,
    labels: int | None = None,
    codes: int | None = None,
) -> tuple[Any, Any]:
    from benchmarks.generate import mixed_table
    from benchmarks.shapes import clusters_table, coded_table, labels_table

    if classes is not None:
        return clusters_table(rows, columns, classes, 1, seed)
    if labels is not None:
        return labels_table(rows, columns, labels, seed)
    return mixed_table(rows, seed, columns) if codes is None else coded_table(rows, codes, seed)


def exponent(table: Sequence[Mapping[str, Any]], size: str, measured: str) -> float:
    """Exponent b of measured = c · size^b, by least squares in the logarithms."""
    x, y = (np.log([row[name] for row in table]) for name in (size, measured))
    return float(np.polyfit(x, y, 1)[0])


if __name__ == "__main__":
    print(json.dumps(fit_once(**json.loads(sys.argv[1]))))
