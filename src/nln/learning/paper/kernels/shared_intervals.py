"""What the AND weights of an interval do to the error, where all rules share the intervals.

The loops are in `shared_intervals.c`, with their shapes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nln.native.binding import CODES, DOUBLES, WHOLE, Bound, Record, kernel
from nln.tables.encoding import Codes, Floats


class SharedFeature(NamedTuple):
    """One feature whose intervals are shared, and what each rule makes of its other features."""

    above: Floats  # (bins, dichotomies)
    values: Floats  # (bins, intervals)
    or_weights: Floats  # (intervals, rules)
    and_weights: Floats  # (rules,)
    codes: Codes  # (rows,)
    others: Floats  # (rules, rows)
    missing: Floats  # (rules,) look-up for a missing value, whose code follows those of the bins


class WholeNetwork(NamedTuple):
    """The rules on all rows, and the outputs that they feed."""

    activations: Floats  # (rules, rows)
    factors: Floats  # (outputs, rules)
    output_bias: Floats
    targets: Floats  # (outputs, rows)
    weights: Floats


FEATURE = Record(
    above=DOUBLES,
    values=DOUBLES,
    or_weights=DOUBLES,
    and_weights=DOUBLES,
    codes=CODES,
    others=DOUBLES,
    missing=DOUBLES,
)
NETWORK = Record(activations=DOUBLES, factors=DOUBLES, output_bias=DOUBLES, targets=DOUBLES, weights=DOUBLES)

put_interval = kernel("put_interval", DOUBLES, WHOLE, FEATURE, DOUBLES)
"""`put_interval(vector, node, feature, activations)`: take over other AND weights of an interval, in place."""

_shared_values = kernel("shared_values", DOUBLES, DOUBLES, DOUBLES)
_outside_values = kernel("outside_values", DOUBLES, DOUBLES, WHOLE, DOUBLES)
_interval_errors = kernel("interval_errors", DOUBLES, WHOLE, FEATURE, NETWORK, DOUBLES)


def interval_values(above: Floats, vector: Floats) -> Floats:
    """Membership of each bin in the interval of some AND weights: `prod_d (1 - [A]+ + A s_d)`."""
    out = np.empty(len(above))
    _shared_values(above, vector, out)
    return out


def outside_values(values: Floats, regular: Floats, left_out: int) -> Floats:
    """Product of (1 - O I) over intervals at every bin, one left out (-1: none)."""
    out = np.empty(len(values))
    _outside_values(values, np.ascontiguousarray(regular), left_out, out)
    return out


def interval_errors(vectors: Floats, node: int, feature: Bound[SharedFeature], network: Bound[WholeNetwork]) -> Floats:
    """Squared error over rows and outputs for each vector of AND weights of one interval."""
    errors = np.empty(len(vectors))
    _interval_errors(vectors, node, feature, network, errors)
    return errors
