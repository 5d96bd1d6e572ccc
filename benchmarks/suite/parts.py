"""All tables of the suite, and its parts: two halves, cut by a rule, and a list that was made later.

The rule was fixed with the first list, before anything was fitted: tables are sorted by kind (many classes, medical,
number of rows) and within a kind by the hash of their names, and go to the two halves in turn. So both have as many
tables of each kind, but for one.
"""

from __future__ import annotations

import hashlib

from benchmarks.suite.later import LATER_TABLES
from benchmarks.suite.medical import MEDICAL
from benchmarks.suite.people import PEOPLE
from benchmarks.suite.table import Table
from benchmarks.suite.things import THINGS

HALVED: dict[str, Table] = {**MEDICAL, **PEOPLE, **THINGS}
"""The first list."""
TABLES: dict[str, Table] = {**HALVED, **LATER_TABLES}

DEVELOPMENT, UNSEEN, LATER = "development", "unseen", "later"

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


_sorted = sorted(HALVED, key=_order)
PARTS: dict[str, tuple[str, ...]] = {
    part: tuple(sorted(names, key=lambda name: (TABLES[name].shape[0], name)))
    for part, names in {DEVELOPMENT: _sorted[::2], UNSEEN: _sorted[1::2], LATER: [*LATER_TABLES]}.items()
}
"""Names of the tables of each part, the shortest first."""
