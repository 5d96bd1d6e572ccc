"""All tables of the suite, and the rule that cuts them into two halves.

The rule was fixed with the list, before anything was fitted: tables are sorted by kind (many classes, medical, number
of rows) and within a kind by the hash of their names, and go to the two halves in turn. So both have as many tables of
each kind, but for one.
"""

from __future__ import annotations

import hashlib

from benchmarks.suite.medical import MEDICAL
from benchmarks.suite.people import PEOPLE
from benchmarks.suite.table import Table
from benchmarks.suite.things import THINGS

TABLES: dict[str, Table] = {**MEDICAL, **PEOPLE, **THINGS}

DEVELOPMENT, UNSEEN = "development", "unseen"

MANY_CLASSES, SMALL, LARGE = 5, 200, 2000
"""Classes from which a table has many; rows below which it is small, and from which it is large."""


def kinds(table: Table) -> dict[str, bool]:
    """Which kinds a table is of; the means are also given for each of them."""
    rows, _, classes = table.shape
    return {
        f"{MANY_CLASSES} classes or more": classes >= MANY_CLASSES,
        "medical": table.medical,
        f"below {SMALL} rows": rows < SMALL,
        f"{LARGE:,} rows or more": rows >= LARGE,
    }


def _order(name: str) -> tuple[object, ...]:
    return (*kinds(TABLES[name]).values(), hashlib.sha256(name.encode()).hexdigest())


_sorted = sorted(TABLES, key=_order)
HALVES: dict[str, tuple[str, ...]] = {
    half: tuple(sorted(_sorted[first::2], key=lambda name: (TABLES[name].shape[0], name)))
    for first, half in enumerate((DEVELOPMENT, UNSEEN))
}
"""Names of the tables of each half, the shortest first."""
