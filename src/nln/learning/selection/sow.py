"""Rules of one condition to begin with, beside those of a network: where effects add up, they are what is true.

A network begins with rules of many features and seldom ends at single ones, so a descent from its rules alone misses
effects that are weak and add up. Each label gets, of each of the features that tell most about it, the side of a
boundary or the values where it is more frequent. The descent widens, narrows, joins or drops these rules like all
others. What would prove them wrong: left-out rows that prefer programs learned without them.
"""

from __future__ import annotations

import numpy as np

from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import LEAST_EVIDENCE, SlotLayout
from nln.learning.draft import DescentRows, Draft
from nln.tables.encoding import Encoding, Floats, Slots

MOST_SOWN, MOST_IN_ALL, LEAST_SOWN = 16, 128, 3
"""Most rules of a label, and of all labels if that leaves at least so many for each."""
_BIAS = 0.1
"""Weight that the rules begin with: a low one, so that their first conditions are wide."""
_LEFT = 0.5
"""Share of a label's frequency that begins without a rule: with all of it, rules would have nothing to say."""


def sow(layout: SlotLayout, rows: DescentRows, encoding: Encoding) -> Draft:
    """Draft a rule for each label and each of the features that tell most about it, with biases that fit together."""
    tables, outputs = list[Floats](), list[int]()
    saved, sides = _single_conditions(rows, encoding)
    most = int(np.clip(MOST_IN_ALL // len(rows.targets), LEAST_SOWN, MOST_SOWN))
    for k, gains in enumerate(saved.T):
        for j in np.argsort(-gains, kind="stable")[:most]:
            if gains[j] > 0.0:
                table = np.ones(encoding.n_slots)
                table[encoding.offsets[j] : encoding.offsets[j + 1]] = sides[j][:, k]
                tables.append(table)
                outputs.append(k)
    made = np.array(tables).reshape(len(tables), encoding.n_slots)
    output_bias = _LEFT * (rows.targets @ rows.weights) / rows.weights.sum()
    draft = Draft(made, np.full(len(tables), _BIAS), np.array(outputs, np.int64), output_bias)
    descent = Descent(layout, rows, draft)
    descent.fit_biases()
    return descent.draft


def _single_conditions(rows: DescentRows, encoding: Encoding) -> tuple[Floats, list[Floats]]:
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
