"""The encoding as the compiled passes of the descent take it, with what the language and constraints allow on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nln.learning.descent.boundaries import Boundaries, Shape, upper_sides
from nln.learning.descent.kernels.best_table import CHANCE, CIRCLE
from nln.learning.options import LanguageOptions
from nln.tables.encoding import Encoding, Floats

Integers = npt.NDArray[np.int64]

MOST_PLACES = 64
"""Most places of a boundary that are tried on one feature; softening moves it to the best bin afterwards."""
LEAST_EVIDENCE = 0.5
"""Least weight of the evidence against every rule: keeps rules that cover next to nothing out."""
_ORDERED = {"continuous": 1, "ordinal": 1, "periodic": CIRCLE, "probability": CHANCE}


class Limits(NamedTuple):
    """What constraints allow rules to ask, by the encoding's features."""

    pairs: npt.NDArray[np.bool_]  # (features, features) never in one rule
    required: npt.NDArray[np.bool_]  # (features,) every rule asks for the value of at least one of these
    direction: Integers  # (outputs, features) 1: only lower boundaries, -1: only upper ones, 0: free
    factors: Floats  # (features,) price of a literal, as a multiple


class SlotLayout(NamedTuple):
    """Where the slots of each feature lie, and what a condition on them may be."""

    offsets: Integers
    n_known: Integers
    has_other: Integers
    has_missing: Integers
    ordered: Integers  # 0: a bag of values, 1: bins of an axis, CIRCLE, CHANCE
    axis: Floats  # (slots,) number at the centre of each bin
    negation: float = 0.5  # literals that a negation costs: what holds reads better than what does not
    unions: bool = True  # whether a condition may be a union of intervals
    max_conditions: int = 0  # most conditions of a rule; 0 is no limit
    partial_missing: bool = True  # whether a missing value may satisfy a condition in part
    extra: Floats = np.empty(0)  # (features,) literals that a condition costs beside its own; none is 0 for all
    least_shares: Floats = np.empty(0)  # (outputs,) of the rows' weight that a rule must cover; none is no limit
    limits: Limits | None = None
    evidence: float = LEAST_EVIDENCE  # weight of the evidence against every rule
    # Places of fuzzy boundaries (see `kernels.spans`); without any, boundaries are crisp.
    place_offsets: Integers = np.empty(0, np.int64)  # (features + 1,)
    places: Integers = np.empty(0, np.int64)  # the bin above each place
    place_penalties: Floats = np.empty(0)
    upper_offsets: Integers = np.empty(0, np.int64)  # (features + 1,)
    upper: Floats = np.empty(0)  # membership of each bin above each place, feature by feature


def slot_layout(
    encoding: Encoding, language: LanguageOptions | None = None, limits: Limits | None = None
) -> SlotLayout:
    """Lay out the slots of an encoding, with crisp boundaries."""
    language = language or LanguageOptions()
    axis = np.zeros(encoding.n_slots)
    for first, slots in zip(encoding.offsets, encoding.slots, strict=False):
        if slots.has_bins:
            axis[first : first + slots.n_known] = slots.centers
    return SlotLayout(
        encoding.offsets,
        np.array([s.n_known for s in encoding.slots], np.int64),
        np.array([s.has_other for s in encoding.slots], np.int64),
        np.array([s.has_missing for s in encoding.slots], np.int64),
        np.array([_ORDERED.get(s.feature.kind, 0) for s in encoding.slots], np.int64),
        axis,
        negation=0.5 if language.negation else np.inf,
        unions=language.unions,
        max_conditions=int(language.max_conditions or 0),
        partial_missing=language.partial_missing,
        limits=limits,
    )


def fuzzy_layout(layout: SlotLayout, boundaries: Boundaries, floor: int) -> SlotLayout:
    """Add places for fuzzy boundaries of one rung of the ladder of widths to every ordered feature."""
    places, upper, penalties = [], [], []
    for j in range(len(layout.n_known)):
        offered = boundaries.get(j)
        if offered is None or offered.is_circle:  # boundaries on a circle are crisp
            places.append(np.empty(0, np.int64))
        else:
            here = _places(len(offered.centers) - 1)
            places.append(here)
            upper.append(upper_sides(offered, here, floor).ravel())
            penalties.append(offered.penalties[here, floor])
    counts = np.array([len(p) for p in places], np.int64)
    return layout._replace(
        place_offsets=np.concatenate([[0], np.cumsum(counts)]),
        places=np.concatenate(places),
        upper_offsets=np.concatenate([[0], np.cumsum(counts * layout.n_known)]),
        upper=np.concatenate([np.empty(0), *upper]),
        place_penalties=np.concatenate([np.empty(0), *penalties]),
    )


def _places(n_cuts: int) -> Integers:
    """Bins below which a boundary may lie, evenly spread if there are many."""
    if n_cuts <= MOST_PLACES:
        return np.arange(1, n_cuts + 1)
    return np.unique(np.round(np.linspace(1, n_cuts, MOST_PLACES)).astype(np.int64))


def span_shape(layout: SlotLayout, j: int, span: Integers, level: int) -> Shape:
    """Shape of a span: of a lower and an upper boundary, each the number of a place or -1 for none."""
    cuts = layout.places[layout.place_offsets[j] + span[span >= 0]]
    return Shape(cuts, np.full(len(cuts), level, np.int64), bool(span[0] < 0))
