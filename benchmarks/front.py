"""The front between accuracy and simplicity: what fixed prices give on the tables of `tabular`, beside the chosen one.

It shows how much of a missed goal is the choice of the price, which test rows must not make, and how much no price
reaches.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from benchmarks.contestants import Ours
from benchmarks.record import Cell, Part, Record
from benchmarks.scores import NOTE, mean
from benchmarks.settings import Settings
from benchmarks.tables import FOLDS, TABLES, folds, seeds, table_names
from benchmarks.tabular import SEEDS, by_method, measure

PRICES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
LONG_PRICES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
LONG_TABLE = 4096
"""Rows above which the second list of prices is tried."""

SHOWN = ("F1 (%)", "macro-F1 (%)", "accuracy (%)", "log-loss", "rules", "size")

PROTOCOL = (
    f"{FOLDS} stratified folds, shuffled with seed 0; {SEEDS} seeds; defaults but for the price, which is what a "
    "literal must save in squared error. The chosen price is chosen on training rows that the starts leave out; the "
    "best line of a table is known only afterwards."
)


def run(settings: Settings, record: Record) -> None:
    """Run one part a table."""
    record.explain(PROTOCOL, NOTE)
    for name in table_names(settings):
        record.cells(name, partial(plan, name), summarize)


def plan(name: str, settings: Settings) -> list[Cell]:
    """List one cell for each price, seed and fold."""
    X, y = TABLES[name](settings)
    prices = LONG_PRICES if len(X) > LONG_TABLE else PRICES
    named = {"chosen": None, **{f"price {price:g}": price for price in prices[: 2 if settings.quick else None]}}
    return [
        Cell(f"{label}, seed {seed}, fold {fold}", partial(_evaluate, price, seed, X, y, split))
        for label, price in named.items()
        for seed in seeds(settings, SEEDS)
        for fold, split in enumerate(folds(X, y, settings))
    ]


def _evaluate(price: float | None, seed: int, X: Any, y: Any, split: Any) -> dict[str, float]:
    found = measure(Ours(price=price, random_state=seed), X, y, split)
    return {key: found[key] for key in SHOWN}


def summarize(found: Mapping[str, Any]) -> Part:
    """Take the mean over seeds and folds for each price."""
    rows = [{"price": label, **mean(cells)} for label, cells in by_method(found).items()]
    best = max(rows[1:], key=lambda row: row["F1 (%)"])
    values = {"chosen: F1 (%)": rows[0]["F1 (%)"], **{f"best: {key}": best[key] for key in ("price", *SHOWN)}}
    return {"table": rows, "values": values}
