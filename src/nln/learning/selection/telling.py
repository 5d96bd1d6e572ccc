"""Which columns tell about the labels, alone or together; on a wide table, learning looks at those alone.

Networks and descents cost time in proportion to the columns, and memory for every slot of each. So each start chooses,
on the rows that it sees, the columns that save most as a single condition or as one more condition of a rule that
grows, and draws a few of the others. The table is then narrowed to the columns of all starts. What would prove it
wrong: a rule of two or three columns of a wide table that is found without narrowing, and not with it.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from nln.learning.descent.layout import LEAST_EVIDENCE
from nln.learning.draft import DescentRows
from nln.learning.selection.together import rank_together
from nln.tables.encoding import Encoding, Floats, Integers, Slots

MOST_COLUMNS, DRAWN_COLUMNS, ALONE_COLUMNS = 64, 4, 24
"""Most columns that a start looks at; how many of them are drawn by chance, and how many tell most alone."""


def telling_columns(
    rows: DescentRows, encoding: Encoding, rng: np.random.Generator, always: Collection[int] = ()
) -> Integers:
    """Columns that a start looks at, in order: some `always`, those that tell most, others by chance."""
    alone, *_ = orders = rank_together(rows, encoding)
    in_turn = np.stack(orders, axis=1).ravel()  # the best column of each step, the second one of each, and so on
    told = dict.fromkeys([*always, *alone[:ALONE_COLUMNS].tolist(), *in_turn.tolist()])
    chosen = list(told)[: max(MOST_COLUMNS - DRAWN_COLUMNS, len(always))]
    rest = np.setdiff1d(np.arange(len(encoding.slots)), chosen)
    drawn = rng.choice(rest, min(DRAWN_COLUMNS, len(rest)), replace=False)
    return np.sort(np.concatenate([chosen, drawn])).astype(np.int64)


def single_conditions(rows: DescentRows, encoding: Encoding) -> tuple[Floats, list[Floats]]:
    """What a condition on each feature saves of each label's error, and its table, (slots, labels)."""
    label, row = np.nonzero(rows.targets)
    hit_weights, n_labels = rows.weights[row] * rows.targets[label, row], len(rows.targets)
    rate = rows.targets @ rows.weights / rows.weights.sum()
    saved, sides = np.zeros((len(encoding.slots), n_labels)), []
    for j, (slots, codes) in enumerate(zip(encoding.slots, rows.codes, strict=True)):
        mass: Floats = np.bincount(codes, rows.weights, slots.n_slots).astype(np.float64)
        cells = codes[row].astype(np.int64) * n_labels + label
        hits = np.bincount(cells, hit_weights, slots.n_slots * n_labels).reshape(slots.n_slots, n_labels)
        surplus = hits - mass[:, None] * rate  # by how much a label is more frequent than in all rows
        side = _sides(slots, mass, surplus)
        gained, inside = (side * surplus).sum(axis=0), mass @ side**2
        saved[j] = np.where((inside > 0) & (inside < mass.sum()), gained**2 / (inside + LEAST_EVIDENCE), 0.0)
        sides.append(side)
    return saved, sides


def _sides(slots: Slots, mass: Floats, surplus: Floats) -> Floats:
    """Which slots of a feature go with each label, (slots, labels)."""
    side, kind = np.zeros_like(surplus), slots.feature.kind
    if kind == "periodic" or slots.n_known < 2:
        return side
    if kind == "probability":  # of its value 1 or 0
        p = slots.centers[:, None]
        side[: slots.n_known] = np.where((p * surplus[: slots.n_known]).sum(axis=0) > 0.0, p, 1.0 - p)
        return side
    if not slots.is_ordered:
        return (surplus > 0.0).astype(np.float64)
    n = slots.n_known
    below, inside = np.cumsum(surplus[:n], axis=0)[:-1], np.cumsum(mass[:n])[:-1, None]
    saved = below**2 / (inside + LEAST_EVIDENCE) + below**2 / (mass[:n].sum() - inside + LEAST_EVIDENCE)
    cut = saved.argmax(axis=0)
    is_above = below[cut, np.arange(len(cut))] < 0.0
    side[:n] = (np.arange(n)[:, None] > cut) == is_above
    return side
