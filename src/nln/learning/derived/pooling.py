"""The rules of all starts pooled on all rows, with as few calculations as will do."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from nln.learning.derived.state import State
from nln.learning.derived.trial import begin_descent
from nln.learning.descent.descent import Descent
from nln.learning.draft import DescentRows, Draft, pool_drafts
from nln.learning.options import ROWS_PER_START
from nln.network.options import SMALL_TABLE
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.schema import Feature


def fewest_calculations(state: State, price: float, rng: np.random.Generator) -> tuple[tuple[Feature, ...], Draft]:
    """Drop calculations one at a time while the objective falls, or rises by at most a literal and fewer are used.

    A ratio goes first if a difference does about as well, because a comparison of two sides reads better. Returns those
    that are left, and the rules with them, at rest on all rows (on a sample of them if they are many).
    """
    below = max(state.chosen - 1, 0)
    pool = pool_drafts([state.widened(drafts[below]) for drafts in state.drafts])
    rows = _rows(state, rng)
    lowest, best = _attempt(state, rows, pool, state.derived, price, rng)
    kept = state.derived
    for ratio in filter(_divides, state.used(best)):
        left = tuple(feature for feature in kept if feature != ratio)
        found, draft = _attempt(state, rows, pool, left, price, rng)
        if found <= lowest + price and not all(map(_divides, state.used(draft))):
            kept, lowest, best = left, min(lowest, found), draft
    while used := state.used(best):
        trials = []
        for number, dropped in enumerate(used):
            left = tuple(feature for feature in kept if feature != dropped)
            found, draft = _attempt(state, rows, pool, left, price, rng)
            trials.append((round(found, 6), number, left, draft))
        found, _, left, draft = min(trials, key=lambda trial: trial[:2])
        is_fewer = 0 < len(state.used(draft)) < len(used)
        if not state.used(draft) or found > lowest + (price if is_fewer else -1e-6):
            break
        kept, lowest, best = left, min(lowest, found), draft
    return tuple(state.used(best)), best


def _divides(feature: Feature) -> bool:
    return isinstance(feature.derived, Arithmetic) and feature.derived.denominator != (((), 1),)


def _rows(state: State, rng: np.random.Generator) -> DescentRows:
    rows = state.table.encoded(state.encoding)
    if rows.n_rows <= max(SMALL_TABLE, ROWS_PER_START):
        return rows
    return rows.take(np.sort(rng.choice(rows.n_rows, ROWS_PER_START, replace=False)))


def _attempt(
    state: State, rows: DescentRows, pool: Draft, left: Collection[Feature], price: float, rng: np.random.Generator
) -> tuple[float, Draft]:
    """The lowest objective with some calculations: from the pool, or from rules that are sown and then pooled."""
    layout, old = state.layout(state.floor, left), state.stripped(pool, left)
    sown = begin_descent(state, layout, rows, old, old, price, [f for f in state.derived if f in left], rng)
    found = []
    for descent in (sown, Descent(layout, rows, old)):
        descent.run(price, rng)
        found.append((descent.objective(price), descent.draft))
    return min(found, key=lambda trial: trial[0])
