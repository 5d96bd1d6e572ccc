"""`python -m benchmarks.quote`: put the stored results into the README and the pages of docs, between markers.

No number is typed by hand: a test fails if a page differs from what this makes. A place for a quote looks like this, on
one line or several:

    <!-- begin: NAME --> ... <!-- end: NAME -->

NAME is one of `QUOTES`, or `table BENCHMARK / PART` for the table of a part, with some of its columns if they are named
(`table BENCHMARK / PART / COLUMN; COLUMN`), `value BENCHMARK / PART / KEY` for a single number within a sentence, or
`text BENCHMARK / PART / KEY` for a stored text as a block of code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.contestants import PLAIN
from benchmarks.markdown import cell, table
from benchmarks.record import write_atomically

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"


def stored(name: str, key: str = "parts") -> Any:
    """Parts of a stored result, or another entry of its file."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))[key]


def _short_listing() -> str:
    *rules, otherwise = stored("listing")["kidney"]["values"]["rules"].split("\n\n")
    shown = [*rules[:2], f"... {len(rules) - 2} more rules ...", otherwise]
    return "```\n" + "\n\n".join(shown) + "\n```"


def _tabular() -> str:
    rows = []
    for name, part in stored("tabular").items():
        row: dict[str, str] = {"table": name}
        for found in part["table"]:
            if found["method"] == PLAIN:  # the first page has room for few columns
                continue
            scores = f"{found['F1 (%)']:.1f} / {found['AUC']:.3f} / {found['log-loss']:.3f}"
            row[f"{found['method']}: F1 % / AUC / log-loss"] = scores
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
        f"a whole fit on adult takes {fit['cpu_ratio_default']:.1f} times the CPU time of XGBoost's default fit, and "
        f"{fit['cpu_ratio']:.1f} times that of XGBoost with all cores or with one thread, whichever is faster",
        f"predicting a million rows is {predict['ratio']:.0f} times as fast as with XGBoost, "
        f"{predict['program_ratio']:.0f} times with the program alone, and {predict['duckdb_ratio']:.0f} times with "
        "its query in DuckDB",
        f"a fit on 1,000,000 rows of 40 mixed columns takes {growth['seconds_1000000']:.0f} s and "
        f"{growth['peak_gb_1000000']:.1f} GB",
    )
    return f"Each ratio within one run, on {_machine()}: " + "; ".join(sentences) + "."


def _machine() -> str:
    content = json.loads((RESULTS / "speed.json").read_text(encoding="utf-8"))
    return f"{content['environment']['machine']['cores']} cores"


QUOTES: dict[str, Callable[[], str]] = {
    "kidney rules in short": _short_listing,
    "tabular": _tabular,
    "speed": _speed,
}


_PLACE = re.compile(r"<!-- begin: (?P<name>.+?) -->(?P<text>.*?)<!-- end: (?P=name) -->", re.DOTALL)
_MARKER = re.compile(r"<!-- (?:begin|end): .+? -->")


class QuoteError(ValueError):
    """A marker that cannot be filled; the message says which and why."""


def quoted(text: str) -> str:
    """Fill every pair of markers of a text from the stored results."""
    left = _MARKER.search(_PLACE.sub("", text))
    if left:
        raise QuoteError(f"The marker {left.group()} has no partner of the same name.")
    return _PLACE.sub(lambda found: f"<!-- begin: {found['name']} -->{_fill(found)}<!-- end: {found['name']} -->", text)


def _fill(found: re.Match[str]) -> str:
    """Return the text between a pair of markers: a value stays within its line, all else has lines of its own."""
    kind, _, rest = found["name"].partition(" ")
    if kind == "value":
        return cell(_stored(*_steps(rest, 3)))
    if kind == "text":
        return f"\n```\n{_stored(*_steps(rest, 3))}\n```\n"
    content = _table(*_steps(rest, 2)) if kind == "table" else _named(found["name"])
    return f"\n{content}\n"


def _named(name: str) -> str:
    if name not in QUOTES:
        raise QuoteError(
            f"There is no quote {name!r}; there are {', '.join(QUOTES)}, `table ...`, `value ...` and `text ...`."
        )
    return QUOTES[name]()


def _steps(path: str, least: int) -> list[str]:
    steps = path.split(" / ")
    if not least <= len(steps) <= 3:
        raise QuoteError(f"{path!r} should read BENCHMARK / PART / ..., with {least} steps at least.")
    return steps


def _table(benchmark: str, part: str, columns: str = "") -> str:
    rows = _part(benchmark, part)["table"]
    wanted = columns.split("; ") if columns else list(dict.fromkeys(name for row in rows for name in row))
    absent = [name for name in wanted if not any(name in row for row in rows)]
    if absent:
        raise QuoteError(f"The table of {benchmark} / {part} has no column {absent[0]!r}.")
    return "\n".join(table([{name: row.get(name) for name in wanted} for row in rows]))


def _stored(benchmark: str, part: str, key: str) -> Any:
    values = _part(benchmark, part)["values"]
    if key not in values:
        raise QuoteError(f"{benchmark} / {part} has no value {key!r}; it has {', '.join(values)}.")
    return values[key]


def _part(benchmark: str, part: str) -> Any:
    try:
        return stored(benchmark)[part]
    except (FileNotFoundError, KeyError) as error:
        raise QuoteError(f"There is no stored result of {benchmark} / {part}.") from error


def pages() -> list[Path]:
    """Pages that may quote results."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def main() -> None:
    """Rewrite the pages whose quotes are out of date."""
    for page in pages():
        before = page.read_text(encoding="utf-8")
        after = quoted(before)
        if after != before:
            write_atomically(page, after)


if __name__ == "__main__":
    main()
