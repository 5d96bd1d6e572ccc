"""Time and memory of a fit as the table grows. Each size has a process of its own."""

from __future__ import annotations

from benchmarks.fit_point import NOTE, exponent, in_fresh_process
from benchmarks.record import Part
from benchmarks.settings import Settings, say

SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = (2_000, 8_000)


def measure(settings: Settings) -> Part:
    """Fit tables of all sizes and find the exponent of the wall time in the rows."""
    table = []
    for n_rows in QUICK_SIZES if settings.quick else SIZES:
        say(f"growth: {n_rows:,} rows")
        table.append(in_fresh_process(n_rows, settings.seed))
    values = {
        "exponent": exponent(table, "rows", "wall (s)"),
        "last_exponent": exponent(table[-2:], "rows", "wall (s)"),
        "cpu_exponent": exponent(table, "rows", "CPU (s)"),
    }
    for row in table:
        values[f"seconds_{row['rows']}"] = row["wall (s)"]
        values[f"peak_gb_{row['rows']}"] = row["peak (MB)"] / 1e3
    exponents = (
        f"Exponent of the wall time: {values['exponent']:.2f} over all sizes, {values['last_exponent']:.2f} in the "
        f"last step; of the CPU time: {values['cpu_exponent']:.2f}."
    )
    return {"table": table, "values": values, "notes": [NOTE, exponents]}
