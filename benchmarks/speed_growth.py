"""Time and memory of a fit as the table grows. Each size has a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Times, forget_peak, peak_mb, resident_mb
from benchmarks.record import Part
from benchmarks.settings import Settings, say

SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = (2_000, 8_000)
NOTES = [
    "Generated table of 40 columns (20 continuous, 15 categorical, 5 binary), each size in a process of its own, after "
    "a fit on 500 rows that loads the compiled code. `before` is the memory after the imports and with the data, "
    "`peak` the most during the fit, data included.",
]


def measure(settings: Settings) -> Part:
    """Fit tables of all sizes and find the exponent of the wall time in the rows."""
    table = []
    for n_rows in QUICK_SIZES if settings.quick else SIZES:
        say(f"growth: {n_rows:,} rows")
        table.append(_in_fresh_process(n_rows, settings.seed))
    n, wall, cpu = (np.log([row[column] for row in table]) for column in ("rows", "wall (s)", "CPU (s)"))
    values = {
        "exponent": float(np.polyfit(n, wall, 1)[0]),
        "last_exponent": float((wall[-1] - wall[-2]) / (n[-1] - n[-2])),
        "cpu_exponent": float(np.polyfit(n, cpu, 1)[0]),
    }
    for row in table:
        values[f"seconds_{row['rows']}"] = row["wall (s)"]
        values[f"peak_gb_{row['rows']}"] = row["peak (MB)"] / 1e3
    exponents = (
        f"Exponent of the wall time: {values['exponent']:.2f} over all sizes, {values['last_exponent']:.2f} in the "
        f"last step; of the CPU time: {values['cpu_exponent']:.2f}."
    )
    return {"table": table, "values": values, "notes": [*NOTES, exponents]}


def _in_fresh_process(n_rows: int, seed: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.speed_growth", str(n_rows), str(seed)]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def fit_once(n_rows: int, seed: int) -> dict[str, Any]:
    """Generate a table, fit it, and tell how long it took and how much memory."""
    from benchmarks.generate import mixed_table  # noqa: PLC0415  not needed by the parent process
    from nln import NLNClassifier  # noqa: PLC0415

    X, y = mixed_table(n_rows, seed)
    before = resident_mb()
    NLNClassifier(random_state=seed, starts=1).fit(X.iloc[:500], y[:500])
    forget_peak()
    times = Times()
    model = times.add(lambda: NLNClassifier(random_state=seed).fit(X, y))
    return {
        "rows": n_rows,
        "wall (s)": times.wall[0],
        "CPU (s)": times.cpu[0],
        "before (MB)": before,
        "peak (MB)": peak_mb(),
        "rules": len(model.program_.rules),
        "training accuracy": float(model.score(X.iloc[:100_000], y[:100_000])),
    }


if __name__ == "__main__":
    print(json.dumps(fit_once(int(sys.argv[1]), int(sys.argv[2]))))
