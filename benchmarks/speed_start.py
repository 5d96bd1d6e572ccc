"""What a newcomer waits for: the size of an installation, imports, the first fit and the first row that is decided."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.record import Part
from benchmarks.settings import Settings, SkippedError, say

ROOT = Path(__file__).parents[1]
REPEATS, QUICK_REPEATS = 7, 1
ROWS, QUICK_ROWS = 20_000, 200
"""Single rows that are decided to find the latency."""

FIT = """
import json
from pathlib import Path
from nln import NLNClassifier
from nln.datasets import load_wine
X, y = load_wine()
NLNClassifier(random_state=0).fit(X, y).save("model.json")
Path("row.json").write_text(json.dumps(X.iloc[0].to_dict()))
"""
LOAD = """
import json
from pathlib import Path
from nln import load_model
model, row = load_model("model.json"), json.loads(Path("row.json").read_text())
model.predict_proba(row)
"""
LATENCY = """
import time
times = []
for _ in range({n}):
    begin = time.perf_counter_ns()
    model.predict_proba(row)
    times.append(time.perf_counter_ns() - begin)
times.sort()
print(json.dumps([times[len(times) // 2] / 1e3, times[len(times) * 99 // 100] / 1e3]))
"""
STEPS = {"python -c pass": "pass", "import nln": "import nln", "fit wine": FIT, "load a model, decide a row": LOAD}
NOTES = [
    "A new virtual environment with nothing but `nln[cli]`. `first` is the first run there, which also "
    "compiles Python's own bytecode; the others are medians of later runs, each in a process of its own, Python's own "
    "start included. CPU seconds are those of the process.",
]


def measure(settings: Settings) -> Part:
    """Install nln into a new environment and run each step there; the quick form takes this environment."""
    with tempfile.TemporaryDirectory() as folder:
        values = dict[str, float]()
        python = Path(sys.executable) if settings.quick else _install(Path(folder), values)
        table = []
        for name, code in STEPS.items():
            say(f"start: {name}")
            first, *later = (
                _run(python, code, folder) for _ in range(1 + (QUICK_REPEATS if settings.quick else REPEATS))
            )
            wall, cpu = (median(run[clock] for run in later) for clock in (0, 1))
            table.append({"step": name, "first (s)": first[0], "wall (s)": wall, "CPU (s)": cpu})
            values |= {f"{name}: first (s)": first[0], f"{name}: wall (s)": wall}
        n_rows = QUICK_ROWS if settings.quick else ROWS
        said = subprocess.run(
            [python, "-c", LOAD + LATENCY.format(n=n_rows)], cwd=folder, capture_output=True, text=True, check=True
        )
        values["a row: median (µs)"], values["a row: 99 % (µs)"] = json.loads(said.stdout)
    load, python_alone = (values[f"{name}: wall (s)"] for name in ("load a model, decide a row", "python -c pass"))
    values["load and decide beyond Python (ms)"] = 1e3 * (load - python_alone)
    return {"table": table, "values": values, "notes": [*NOTES, _sentence(values, n_rows)]}


def _sentence(values: dict[str, float], n_rows: int) -> str:
    size = f"The environment takes {values['installed (MB)']:.0f} MB. " if "installed (MB)" in values else ""
    return (
        f"{size}A row given as a dictionary is decided in {values['a row: median (µs)']:.3g} µs (median of {n_rows:,}; "
        f"99 % are below {values['a row: 99 % (µs)']:.3g} µs)."
    )


def _install(folder: Path, values: dict[str, float]) -> Path:
    """Make an environment with nln in it; note what it adds to an empty one."""
    say("start: installing")
    room = folder / "environment"
    python = room / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(room)], check=True)
    empty = _megabytes(room)
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{ROOT}[cli]"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SkippedError(f"nln could not be installed into a new environment: {done.stderr[-500:]}")
    values["installed (MB)"] = _megabytes(room) - empty
    return python


def _megabytes(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def _run(python: Path, code: str, folder: str) -> tuple[float, float]:
    """Run code in a process of its own; return wall and CPU seconds."""
    environment: dict[str, Any] = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    begin = time.perf_counter()
    process = subprocess.Popen([python, "-W", "ignore", "-c", code], cwd=folder, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"A step failed: {code}")
    return wall, usage.ru_utime + usage.ru_stime
