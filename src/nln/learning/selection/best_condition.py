"""The best single condition of each label on the training rows, to be shown where no rule was learned."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nln.learning.descent.boundaries import Boundaries, crisp_shape, feature_boundaries
from nln.learning.options import LanguageOptions
from nln.learning.selection.to_condition import shape_intervals, value_condition
from nln.rules import Condition, Coverage, IntervalCondition, Rule, Target, Value
from nln.tables.encoding import EncodedRows, Encoding, Floats, Slots


def best_conditions(encoding: Encoding, rows: EncodedRows, target: Target) -> tuple[Rule, ...]:
    """Find the value or the side of a boundary that goes with each class or label most, and what it covers.

    It is the one that saves most squared error against the label's frequency, on the training rows alone.
    """
    truth = rows.targets > 0.5
    if target.kind == "binary":
        truth = np.hstack([~truth, truth])
    boundaries = feature_boundaries(encoding, LanguageOptions())
    found = (_best(encoding, rows, boundaries, has, label) for label, has in zip(target.labels, truth.T, strict=True))
    return tuple(rule for rule in found if rule is not None)


def _best(
    encoding: Encoding, rows: EncodedRows, boundaries: Boundaries, has: npt.NDArray[np.bool_], label: Value
) -> Rule | None:
    counts, most, best = rows.counts.astype(np.float64), 0.0, None
    of_rows, of_hits = counts.sum(), counts[has].sum()
    for j, slots in enumerate(encoding.slots):
        tables = _tables(slots)
        covered, hits = (tables @ np.bincount(rows.codes[:, j], c, slots.n_slots) for c in (counts, counts * has))
        surplus = np.maximum(hits - covered * of_hits / of_rows, 0.0)
        saved = surplus**2 / np.maximum(covered, 1.0)
        place = int(np.argmax(saved)) if len(tables) else 0
        if len(tables) and saved[place] > most:
            coverage = Coverage(covered[place], of_rows, hits[place], of_hits)
            condition = _condition(slots, tables[place], boundaries, j)
            most, best = saved[place], Rule((condition,), label, hits[place] / covered[place], coverage)
    return best


def _tables(slots: Slots) -> Floats:
    """The crisp conditions of one literal, (conditions, slots): both sides of each boundary, or each value."""
    n, kind = slots.n_known, slots.feature.kind
    if kind in ("periodic", "probability"):
        return np.zeros((0, slots.n_slots))
    tables = np.zeros((2 * (n - 1) if slots.is_ordered else n, slots.n_slots))
    if slots.is_ordered:
        above = np.arange(n) >= np.arange(1, n)[:, None]
        tables[:, :n] = np.vstack([above, ~above])
    else:
        tables[:, :n] = np.eye(n)
    return tables


def _condition(slots: Slots, table: Floats, boundaries: Boundaries, j: int) -> Condition:
    if slots.is_ordered:
        intervals = shape_intervals(crisp_shape(table[: slots.n_known]), boundaries[j].values, boundaries[j].widths)
        return IntervalCondition(slots.feature.name, intervals)
    return value_condition(slots, table, 0.0, negation=False)
