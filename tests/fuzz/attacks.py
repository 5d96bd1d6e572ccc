"""The attacks by their names, and how many inputs of each make a round: cheap ones are tried more often."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from tests.fuzz import several, targets


class Attack(NamedTuple):
    """One kind of input."""

    try_one: Callable[[Random], None]
    portion: int  # inputs of a round


ATTACKS = {
    "rule texts": Attack(targets.rule_texts, 400),
    "model files": Attack(targets.model_files, 300),
    "tables": Attack(targets.tables, 400),
    "table files": Attack(targets.table_files, 300),
    "child tables": Attack(several.child_tables, 60),
    "folders": Attack(several.folders, 150),
    "exports": Attack(targets.exports, 5),
    "commands": Attack(targets.commands, 15),
    "fits": Attack(several.fits, 2),
    "Dask": Attack(several.dask_tables, 1),
}
