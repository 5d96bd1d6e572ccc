"""How time and memory of a fit grow with the rows, the columns and the rule modules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from benchmarks.fit_point import COLUMNS, NOTE, RULES, exponent, in_fresh_process
from benchmarks.record import Cell, Part, Record
from benchmarks.settings import Settings

ROWS, QUICK_ROWS = 10_000, 300
"""Rows where the columns or the rule modules grow."""

SIZES: dict[str, tuple[int, ...]] = {
    "rows": (1_000, 10_000, 100_000, 1_000_000),
    "columns": (10, 30, 100, 300, 1_000),
    "n_rules": (16, 64, 256, 1_024),
}
QUICK_SIZES: dict[str, tuple[int, ...]] = {"rows": (200, 400), "columns": (8, 16), "n_rules": (8, 16)}

MEASURED = ("wall (s)", "CPU (s)", "peak (MB)")

PROTOCOL = (
    NOTE,
    f"One of the three grows; the others stay at {ROWS:,} rows, {COLUMNS} columns and n_rules={RULES}. Exponents are "
    "fitted by least squares in the logarithms: 1 is linear growth.",
)


def run(settings: Settings, record: Record) -> None:
    """Run one part for each of what grows."""
    record.explain(*PROTOCOL)
    for name in SIZES:
        record.cells(name, partial(plan, name), partial(summarize, name))


def plan(name: str, settings: Settings) -> list[Cell]:
    """List one cell for each size."""
    fixed = {"rows": QUICK_ROWS if settings.quick else ROWS, "columns": COLUMNS, "rules": RULES}
    argument = "rules" if name == "n_rules" else name
    return [
        Cell(f"{name} = {size}", partial(in_fresh_process, **{**fixed, argument: size}, seed=settings.seed))
        for size in (QUICK_SIZES if settings.quick else SIZES)[name]
    ]


def summarize(name: str, found: Mapping[str, Any]) -> Part:
    """Put the sizes in a table and fit the exponents."""
    table = list(found.values())
    if len(table) < 2:
        return {"table": table}
    values = {f"exponent of {measured}": exponent(table, name, measured) for measured in MEASURED}
    last = {f"last {key}": exponent(table[-2:], name, key.removeprefix("exponent of ")) for key in values}
    text = ", ".join(f"{m} {values[f'exponent of {m}']:.2f} ({last[f'last exponent of {m}']:.2f})" for m in MEASURED)
    return {"table": table, "values": {**values, **last}, "notes": [f"Exponents, and those of the last step: {text}."]}
