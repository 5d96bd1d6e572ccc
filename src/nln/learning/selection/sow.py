"""Rules of one condition to begin with, beside those of a network: where effects add up, they are what is true.

A network begins with rules of many features and seldom ends at single ones, so a descent from its rules alone misses
effects that are weak and add up. Each label gets, of each of the features that tell most about it, the side of a
boundary or the values where it is more frequent. The descent widens, narrows, joins or drops these rules like all
others. What would prove them wrong: left-out rows that prefer programs learned without them.
"""

from __future__ import annotations

import numpy as np

from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import SlotLayout
from nln.learning.draft import DescentRows, Draft
from nln.learning.selection.telling import single_conditions
from nln.tables.encoding import Encoding, Floats

MOST_SOWN, MOST_IN_ALL, LEAST_SOWN = 16, 128, 3
"""Most rules of a label, and of all labels if that leaves at least so many for each."""
_BIAS = 0.1
"""Weight that the rules begin with: a low one, so that their first conditions are wide."""
_LEFT = 0.5
"""Share of a label's frequency that begins without a rule: with all of it, rules would have nothing to say."""


def sow(layout: SlotLayout, rows: DescentRows, encoding: Encoding) -> Draft:
    """Draft a rule for each label and each of the features that tell most about it, with biases that fit together."""
    tables, outputs = list[Floats](), list[int]()
    saved, sides = single_conditions(rows, encoding)
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
