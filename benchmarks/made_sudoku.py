"""Sudoku as a table: a row for each candidate, a digit in a cell, and its rivals in the cell, row, column and box."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

KINDS = ("cell", "row", "column", "box")
OPEN, PLACED, REMOVED = "open", "placed", "removed"


def solved(n: int, rng: np.random.Generator) -> Any:
    """A solved board of n x n: a regular one with digits, rows, columns and bands in a random order."""
    b = int(n**0.5)
    regular = np.array([[(b * (r % b) + r // b + c) % n for c in range(n)] for r in range(n)])

    def order() -> Any:
        return np.concatenate([band * b + rng.permutation(b) for band in rng.permutation(b)])

    return rng.permutation(n)[regular][order()][:, order()]


@lru_cache
def rivals(n: int) -> dict[str, tuple[Any, Any]]:
    """For each kind all pairs of candidates of which only one can be true."""
    b = int(n**0.5)
    r, c, d = np.indices((n, n, n)).reshape(3, -1)
    groups = {"cell": (r, c), "row": (r, d), "column": (c, d), "box": (r // b * b + c // b, d)}
    found = {}
    for kind, (one, other) in groups.items():
        group = one * n + other
        same = np.argsort(group, kind="stable").reshape(-1, n)
        i, j = np.nonzero(~np.eye(n, dtype=bool))
        found[kind] = same[:, i].ravel(), same[:, j].ravel()
    return found


def tables(status: Any, n: int, rows: Any = None, first: int = 0) -> dict[str, pd.DataFrame]:
    """The rivals of each candidate, or of some, with what is known of them."""
    result = {}
    for kind, (owner, rival) in rivals(n).items():
        kept = slice(None) if rows is None else np.isin(owner, rows)
        columns = {"candidate": owner[kept] + first, "status": status[rival[kept]]}
        result[f"{kind}_rivals"] = pd.DataFrame(columns)
    return result


def known_rows(n: int, boards: int, rng: np.random.Generator) -> tuple[pd.DataFrame, Any, dict[str, pd.DataFrame]]:
    """Open candidates of partly filled boards, whether each is true, and their rivals."""
    rows, truth, children = [], [], []
    for number in range(boards):
        true = (solved(n, rng)[:, :, None] == np.arange(n)).ravel()
        given = np.repeat(rng.random(n * n) < rng.uniform(0.1, 0.7), n)
        status = np.where(given & true, PLACED, OPEN).astype(object)
        is_noticed = rng.random(n**3) < rng.choice([0.0, 0.7, 1.0])
        status[_beside_placed(status, n) & is_noticed] = REMOVED
        is_open = np.flatnonzero(status == OPEN)
        rows.append(is_open + number * n**3)
        truth.append(true[is_open])
        children.append(tables(status, n, is_open, number * n**3))
    joined = {name: pd.concat([each[name] for each in children]) for name in children[0]}
    return pd.DataFrame({"candidate": np.concatenate(rows)}), np.concatenate(truth), joined


def puzzle(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """A board with as few cells given as singles need, as the status of its candidates, and which are true."""
    true = (solved(n, rng)[:, :, None] == np.arange(n)).ravel()
    given = np.ones(n * n, bool)
    for cell in rng.permutation(n * n):
        given[cell] = False
        if (by_singles(np.where(np.repeat(given, n) & true, PLACED, OPEN).astype(object), n) == OPEN).any():
            given[cell] = True
    return np.where(np.repeat(given, n) & true, PLACED, OPEN).astype(object), true


def by_singles(status: Any, n: int) -> Any:
    """What a solver written by hand makes of a board that knows singles only: the measure of what can be solved."""
    while True:
        before = status.copy()
        status[(status == OPEN) & _beside_placed(status, n)] = REMOVED
        for owner, rival in rivals(n).values():
            left = np.bincount(owner, status[rival] != REMOVED, minlength=n**3)
            status[(status == OPEN) & (left == 0)] = PLACED
        if (status == before).all():
            return status


def _beside_placed(status: Any, n: int) -> Any:
    hit = np.zeros(n**3, bool)
    for owner, rival in rivals(n).values():
        hit |= np.bincount(owner, status[rival] == PLACED, minlength=n**3) > 0
    return hit & (status == OPEN)
