"""Which children of a row satisfy the conditions of a count: `2 of 5 visits: row 3 (dept = ER), row 8 (dept = ER)`."""

from __future__ import annotations

import math

import numpy as np

from nln.rules.children.bags import Bags
from nln.rules.children.table import ChildTable
from nln.rules.derived.child_count import ChildCount
from nln.rules.language.words import cell_text, number, spelled

MOST_SHOWN = 3
"""Most children that are shown one by one."""


def children_shown(count: ChildCount, row: int, bags: Bags, table: ChildTable, *, every: bool = False) -> str:
    """Write how many children of a row there are, and which of them count: by their rows in the child table.

    Where a condition is about all (`every`), those that fail it are the ones that count.
    """
    own = bags.children(row)
    held = own[bags.held(count.conditions, table.by_name)[own]] if count.conditions else own
    name = spelled(count.table)
    if not len(own):
        return f"no {name} at all"
    number_said = len(own) - len(held) if every else len(held)
    said = f"{number_said} of {len(own)} {name}" if count.conditions else f"{len(own)} {name}"
    shown = [_child(count, int(child), bags, table) for child in held[np.argsort(bags.places[held])][:MOST_SHOWN]]
    more = [f"{len(held) - MOST_SHOWN} more"] if len(held) > MOST_SHOWN else []
    return f"{said}{', not' if every else ':'} {', '.join([*shown, *more])}" if shown else said


def _child(count: ChildCount, child: int, bags: Bags, table: ChildTable) -> str:
    cells = [f"{spelled(c.feature)} {_cell(c.feature, child, bags, table)}" for c in count.conditions]
    place = f"row {bags.places[child]}"
    return f"{place} ({', '.join(cells)})" if cells else place


def _cell(name: str, child: int, bags: Bags, table: ChildTable) -> str:
    entry, feature = bags.columns[name][child], table[name]
    if feature.is_numeric:
        return "missing" if math.isnan(entry) else f"= {number(float(entry))}"
    return f"= {cell_text(feature.values[int(entry)])}" if entry >= 0 else "missing" if entry == -1 else "never seen"
