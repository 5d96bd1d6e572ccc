"""How time and memory of a fit grow with the rows, columns, rule modules, classes, labels and codes of a column."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from benchmarks.fit_point import COLUMNS, NOTE, RULES, exponent, in_fresh_process
from benchmarks.record import Cell, Part, Record
from benchmarks.settings import Settings

ROWS, QUICK_ROWS = 10_000, 300
"""Rows where something else grows."""

SIZES: dict[str, tuple[int, ...]] = {
    "rows": (1_000, 10_000, 100_000, 1_000_000),
    "columns": (10, 30, 100, 300, 1_000),
    "n_rules": (16, 64, 256, 1_024),
    "classes": (2, 5, 10, 20, 40),
    "labels": (2, 6, 18, 54),
    "codes": (10, 50, 250, 1_000),
}
QUICK_SIZES: dict[str, tuple[int, ...]] = {
    "rows": (200, 400),
    "columns": (8, 16),
    "n_rules": (8, 16),
    "classes": (2, 3),
    "labels": (2, 4),
    "codes": (5, 10),
}
NARROW: dict[str, dict[str, int]] = {"classes": {"columns": 16}, "labels": {"columns": 16}}
"""Tables with fewer columns than the others."""

MEASURED = ("wall (s)", "CPU (s)", "peak (MB)")

PROTOCOL = (
    NOTE,
    f"One of them grows; the others stay at {ROWS:,} rows, {COLUMNS} columns and n_rules={RULES}. Exponents are fitted "
    "by least squares in the logarithms: 1 is linear growth.",
    "Classes are clouds of rows in 16 columns of numbers, labels hold where two of 16 columns are high, and codes are "
    "the values of one of 7 columns, half of which stand for the label. These fits have all defaults, so many classes "
    "have more rule modules.",
)


def run(settings: Settings, record: Record) -> None:
    """Run one part for each of what grows."""
    record.explain(*PROTOCOL)
    for name in SIZES:
        record.cells(name, partial(plan, name), partial(summarize, name))


def plan(name: str, settings: Settings) -> list[Cell]:
    """List one cell for each size."""
    fixed = {"rows": QUICK_ROWS if settings.quick else ROWS, "seed": settings.seed, **NARROW.get(name, {})}
    return [
        Cell(f"{name} = {size}", partial(in_fresh_process, **{**fixed, name: size}))
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
