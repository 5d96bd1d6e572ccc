"""Learning on a Dask cluster of this machine, and from files larger than the memory: time, traffic, memory, quality."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.cluster_point import COLUMNS, ROWS_PER_PART, in_fresh_process
from benchmarks.record import Cell, Part, Record
from benchmarks.settings import Settings

MILLION = 1_000_000
ROWS, QUICK_ROWS = (MILLION, 10 * MILLION, 50 * MILLION), (200_000,)
WORKERS, QUICK_WORKERS = (1, 2), (1,)
RARE_ROWS, SAMPLE = 5 * MILLION, 100_000
FILE_ROWS, QUICK_FILE_ROWS = 8 * MILLION, 150_000

PROTOCOL = (
    f"Tables of {COLUMNS} columns (three in four continuous, the others with four or a hundred values) are generated "
    f"on the workers, in partitions of {ROWS_PER_PART:,} rows, so that nothing is shipped. Workers are processes of "
    "one thread on this machine, whose cores they share with the client. Times include the generation of the rows, "
    "which every pass over the table repeats. CPU seconds are those of the client, the scheduler and the workers "
    "together. Accuracy is that on a partition that was not learned from.",
    "A round asks all buckets for sums. Its bytes are those of the request, to every task, and of the answers.",
    "XGBoost is `xgboost.dask` with its defaults, 100 trees, on the same collections, which it keeps in memory.",
)


def run(settings: Settings, record: Record) -> None:
    """Run the parts: what a fit costs, the rare rule, and files larger than the memory."""
    record.explain(*PROTOCOL)
    files = [Path(__file__).with_name("cluster_point.py")]
    sizes = [f"{n / MILLION:g} million" for n in ROWS]
    for last in range(len(ROWS)):  # the smaller tables are summed up before the next larger ones run
        record.cells("cost", plan_cost, summarize, files=files, postpone=sizes[last + 1 :])
    for name, plan in (("rare rule", plan_rare), ("out of core", plan_files)):
        record.cells(name, plan, summarize, files=files)


def plan_cost(settings: Settings) -> list[Cell]:
    """List one cell for each method, number of rows and number of workers."""
    rows, workers = (QUICK_ROWS, QUICK_WORKERS) if settings.quick else (ROWS, WORKERS)
    return [
        Cell(
            f"{n / MILLION:g} million rows, {w} workers, {method}",
            partial(in_fresh_process, method, n, w, settings.seed),
            of_nln=method == "nln",
        )
        for n in rows
        for w in workers
        for method in ("nln", "xgboost")
    ]


def plan_rare(settings: Settings) -> list[Cell]:
    """List a fit on all rows, and one on a sample of them."""
    rows = QUICK_ROWS[0] if settings.quick else RARE_ROWS
    return [
        Cell("all rows", partial(in_fresh_process, "rare", rows, 2, settings.seed)),
        Cell("a sample", partial(in_fresh_process, "rare sample", min(SAMPLE, rows), 1, settings.seed)),
    ]


def plan_files(settings: Settings) -> list[Cell]:
    """List the fit of the command line on a folder three times larger than the memory it may use."""
    rows = QUICK_FILE_ROWS if settings.quick else FILE_ROWS
    return [Cell("folder", partial(in_fresh_process, "files", rows, 0, settings.seed))]


def summarize(found: Mapping[str, Any]) -> Part:
    """Put the measurements in a table."""
    return {"table": [{"what": key, **cell} for key, cell in found.items()]}
