"""Speed: epochs against PyTorch, fits and predictions against XGBoost, growth, a cold start, tables of every shape."""

from __future__ import annotations

from benchmarks import speed_epoch, speed_fit, speed_growth, speed_predict, speed_start, speed_tables
from benchmarks.goals import Goal
from benchmarks.record import Record
from benchmarks.settings import Settings
from benchmarks.shapes import SHAPES

GOALS = (
    Goal("epoch on tic-tac-toe: times faster than eager PyTorch", "epoch", "tic-tac-toe_ratio", 10, "at least"),
    Goal("epoch on adult: times faster than eager PyTorch", "epoch", "adult_ratio", 10, "at least"),
    Goal("fit on adult: CPU time in that of XGBoost's default fit", "fit", "cpu_ratio_default", 3, "at most"),
    Goal(
        "fit on adult: CPU time in that of XGBoost's better of all cores and one thread",
        "fit",
        "cpu_ratio",
        3,
        "at most",
    ),
    Goal(
        "program alone on 1,000,000 rows: not slower than XGBoost's predict", "predict", "program_ratio", 1, "at least"
    ),
    Goal("growth: exponent of the wall time in the rows, all sizes", "growth", "exponent", 1.1, "at most"),
    Goal("growth: exponent of the wall time, the last step", "growth", "last_exponent", 1.1, "at most"),
    Goal("growth: wall seconds of a fit on 1,000,000 rows", "growth", "seconds_1000000", 120, "at most"),
    Goal("growth: peak GB of a fit on 1,000,000 rows", "growth", "peak_gb_1000000", 4, "at most"),
    Goal("start: seconds of the first fit ever, imports included", "start", "fit wine: first (s)", 10, "at most"),
    Goal(
        "start: milliseconds to load a model and decide a row, beyond Python's own start",
        "start",
        "load and decide beyond Python (ms)",
        50,
        "at most",
    ),
    Goal("start: microseconds to decide a row given as a dictionary", "start", "a row: median (µs)", 50, "at most"),
    *(Goal(f"tables: {name}, CPU time in XGBoost's", "tables", f"{name}: ratio", 2, "at most") for name in SHAPES),
    *(
        Goal(f"tables: {name}, accuracy behind XGBoost's", "tables", f"{name}: behind", 0.005, "at most")
        for name in SHAPES
    ),
)


def run(settings: Settings, record: Record) -> None:
    """Run the parts and judge them."""
    record.part("epoch", speed_epoch.measure)
    record.part("fit", speed_fit.measure)
    record.part("predict", speed_predict.measure)
    record.part("growth", speed_growth.measure)
    record.part("start", speed_start.measure)
    record.cells("tables", speed_tables.plan, speed_tables.summarize)
    record.judge(GOALS)
