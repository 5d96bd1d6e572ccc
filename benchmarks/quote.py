"""`python -m benchmarks.quote`: put the stored results into the README, between its markers.

No number is typed by hand: a test fails if the README differs from what this makes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.markdown import table
from benchmarks.record import write_atomically

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"


def stored(name: str) -> Any:
    """Parts of a stored result."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["parts"]


def _listing(key: str) -> str:
    return f"```\n{stored('listing')['kidney']['values'][key]}\n```"


def _tabular() -> str:
    rows = []
    for name, part in stored("tabular").items():
        row: dict[str, str] = {"table": name}
        for found in part["table"]:
            row[f"{found['method']}: F1 %"] = f"{found['F1 (%)']:.1f}"
            if found.get("rules") is not None:
                row[f"{found['method']}: rules × size"] = f"{found['rules']:.1f} × {found['size']:.1f}"
        row["nln: fit, CPU s"] = f"{part['values']['nln: fit CPU (s)']:.1f}"
        rows.append(row)
    return "\n".join(table(rows))


def _speed() -> str:
    parts = stored("speed")
    epoch, fit, predict, growth = (parts[name]["values"] for name in ("epoch", "fit", "predict", "growth"))
    sentences = (
        f"an epoch of training is {epoch['tic-tac-toe_ratio']:.0f} times (tic-tac-toe) and {epoch['adult_ratio']:.0f} "
        "times (adult) faster than the same network in eager PyTorch",
        f"a whole fit on adult takes {fit['cpu_ratio_default']:.1f} times the CPU time of XGBoost's default fit and "
        f"{fit['cpu_ratio']:.1f} times that of its better with all cores or one thread",
        f"prediction of a million rows is {predict['ratio']:.0f} times as fast as XGBoost's, "
        f"{predict['program_ratio']:.0f} times by the program alone, {predict['duckdb_ratio']:.0f} times by its "
        "query in DuckDB",
        f"a fit on 1,000,000 rows of 40 mixed columns takes {growth['seconds_1000000']:.0f} s and "
        f"{growth['peak_gb_1000000']:.1f} GB",
    )
    return f"In one run on {_machine()}: " + "; ".join(sentences) + "."


def _machine() -> str:
    content = json.loads((RESULTS / "speed.json").read_text(encoding="utf-8"))
    return f"{content['environment']['machine']['cores']} cores"


QUOTES: dict[str, Callable[[], str]] = {
    "kidney rules": lambda: _listing("rules"),
    "kidney why": lambda: _listing("why"),
    "tabular": _tabular,
    "speed": _speed,
}


def quoted(text: str) -> str:
    """Fill every pair of markers of a text from the stored results."""
    for name, make in QUOTES.items():
        begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        text = pattern.sub(lambda _, b=begin, e=end, m=make: f"{b}\n{m()}\n{e}", text)
    return text


def main() -> None:
    """Rewrite the README."""
    readme = ROOT / "README.md"
    write_atomically(readme, quoted(readme.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
