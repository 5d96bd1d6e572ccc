"""How closely a column goes with the target, and whether it alone decides nearly everything.

Both are read off the table of its slots and the classes: how many rows fall in each slot and have each class.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nln.rules.language.words import percent
from nln.rules.schema import Target, TargetKind, Value
from nln.tables.encoding import Codes, Encoding, Floats, Slots

BINS, FEWEST_IN_BIN = 10, 5
"""Bins of a column of numbers for its association with the target, and the fewest rows of a bin."""
FINE_BINS = 64
"""Bins for deciding by the column alone."""

SUSPECT = 0.97
"""A column is suspect if it alone finds at least this mean share of the rows of each class.

Petal lengths tell the species of irises in 95 % of their rows; columns that know the answer were found above 97 %.
"""
FEWEST_ROWS = 50
"""In smaller tables a single column often suffices."""
MOST_NOTES = 3
"""Most columns that have a note of their own."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A column that alone decides nearly everything."""

    column: str
    target: Value  # name of the target, or the label
    right: float  # share of the rows that it decides correctly


def associations(encoding: Encoding, codes: Codes, outputs: Floats, kind: TargetKind) -> dict[str, float]:
    """Measure how closely each column goes with the target, from 0 to 1; of several labels, with the closest one.

    It is Cramér's V of at most 10 bins and the classes, corrected for what columns of many values reach by chance.
    """
    found = {}
    for j, slots in enumerate(encoding.slots):
        tables = _tables(slots, codes[:, j], outputs, kind, BINS)
        found[slots.feature.name] = max(map(cramers_v, tables), default=0.0)
    return found


def find_suspects(encoding: Encoding, codes: Codes, outputs: Floats, target: Target) -> list[Suspect]:
    """Find the columns that alone decide nearly everything; those that decide most come first."""
    if len(codes) < FEWEST_ROWS or len(encoding.slots) < 2:
        return []
    found, kind = [], target.kind
    names = target.labels if kind == "multilabel" else (target.name,)
    for j, slots in enumerate(encoding.slots):
        for name, counts in zip(names, _tables(slots, codes[:, j], outputs, kind, FINE_BINS), strict=True):
            hits, totals = left_out_hits(counts), counts.sum(axis=0)
            if (totals >= FEWEST_IN_BIN).all() and (hits / totals).mean() >= SUSPECT:
                found.append(Suspect(slots.feature.name, name, float(hits.sum() / totals.sum())))
    return sorted(found, key=lambda suspect: -suspect.right)


def suspect_notes(suspects: Sequence[Suspect]) -> tuple[str, ...]:
    """Ask about each suspect column, and say what to do if the suspicion is right."""
    notes = [
        f"{one.column!r} alone predicts {one.target} in {percent(one.right)} of the rows: does it know the answer? If "
        "it becomes known only together with the answer, leave it out."
        for one in suspects[:MOST_NOTES]
    ]
    if len(suspects) > MOST_NOTES:
        others = ", ".join(dict.fromkeys(repr(one.column) for one in suspects[MOST_NOTES:]))
        notes.append(f"The same question about {others}.")
    return tuple(notes)


def _tables(slots: Slots, codes: Codes, outputs: Floats, kind: TargetKind, bins: int) -> Iterator[Floats]:
    """Count the rows of each bin (or value) and class: one table of the classes, or one for each label."""
    sides = [outputs] if kind == "multiclass" else [np.stack([1 - y, y], axis=1) for y in outputs.T]
    for holds in sides:
        by_class = [np.bincount(codes, y, minlength=slots.n_slots) for y in holds.T]
        counts: Floats = np.stack(by_class, axis=1).astype(np.float64)
        if slots.has_bins:
            room = max(FEWEST_IN_BIN, len(codes) / bins)
            counts = np.concatenate([_coarser(counts[: slots.n_known], room), counts[slots.n_known :]])
        yield counts[counts.any(axis=1)]


def _coarser(counts: Floats, room: float) -> Floats:
    """Join neighbouring bins until they hold so many rows; one that holds as many by itself joins no other."""
    heavy = counts.sum(axis=1) >= room
    groups, held = np.zeros(len(counts), np.intp), 0.0
    for place in range(1, len(counts)):
        held += counts[place - 1].sum()
        is_full = held >= room or heavy[place]
        groups[place] = groups[place - 1] + is_full
        held = 0.0 if is_full else held
    return np.add.reduceat(counts, np.flatnonzero(np.diff(groups, prepend=-1)))


def cramers_v(counts: Floats) -> float:
    """Cramér's V of a table of counts, less what chance alone would give (Bergsma 2013)."""
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    rows, (r, c) = counts.sum(), counts.shape
    if min(r, c) < 2:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / rows
    phi2 = float(((counts - expected) ** 2 / expected).sum()) / rows - (r - 1) * (c - 1) / (rows - 1)
    most = min(size - (size - 1) ** 2 / (rows - 1) for size in (r, c)) - 1
    return min(1.0, math.sqrt(phi2 / most)) if phi2 > 0 and most > 0 else 0.0


def left_out_hits(counts: Floats) -> Floats:
    """Count, for each class, the rows that the other rows of their bin would give that class.

    The class with the largest share of its rows in the bin is given, so that rare classes count as much as frequent
    ones. A row does not vote on itself, so that a column in which all values differ decides nothing.
    """
    totals, hits = counts.sum(axis=0), np.zeros(counts.shape[1])
    for k in range(counts.shape[1]):
        shares = counts / totals
        own = (counts[:, k] - 1) / totals[k]
        shares[:, k] = -1.0
        hits[k] = counts[(own > 0) & (own >= shares.max(axis=1)), k].sum()
    return hits
