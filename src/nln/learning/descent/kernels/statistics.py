"""Closed-form answers to "what if this rule asked something else of this feature?". The loops are in `statistics.c`.

`codes` is (features, rows). `zeros` counts the conditions that a row fails, in the smallest unsigned type that can;
those of outputs, the rules that are certain, are of 32 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nln.learning.descent.kernels.records import LAYOUT, STATE
from nln.native.binding import CODES, COUNTS, DOUBLES, INTEGERS, REAL, SINGLES, SMALL, kernel
from nln.tables.encoding import Floats

rule_state = kernel("rule_state", CODES, INTEGERS, DOUBLES, COUNTS, DOUBLES)
"""`rule_state(codes, offsets, table, zeros, product)`: state of all rows under one rule, from scratch."""

replace = kernel("replace", CODES, DOUBLES, DOUBLES, COUNTS, DOUBLES)
"""`replace(codes, old, new, zeros, product)`: exchange one feature's table in the rows' state."""

weigh_covered = kernel("weigh_covered", INTEGERS, DOUBLES, REAL, DOUBLES, DOUBLES, DOUBLES, DOUBLES, result=float)
"""`weigh_covered(covered, product, bias, q1, q2, first, second)`: terms of s1 and s2 of rows that fail no condition.

Returns an upper bound of the squared error that any condition on a feature not asked about yet can save.
"""

covered_sums = kernel("covered_sums", CODES, INTEGERS, DOUBLES, DOUBLES, DOUBLES, DOUBLES)
"""`covered_sums(codes, covered, first, second, s1, s2)`: sums of a feature by slot, from the terms of some rows."""

slot_sums = kernel("slot_sums", CODES, INTEGERS, COUNTS, DOUBLES, DOUBLES, REAL, DOUBLES, DOUBLES, DOUBLES, DOUBLES)
"""`slot_sums(codes, active, zeros, product, table, bias, q1, q2, s1, s2)`: sums over rows that fail nothing else."""

rule_sums = kernel("rule_sums", CODES, LAYOUT, DOUBLES, REAL, STATE, INTEGERS, DOUBLES, DOUBLES, result=float)
"""`rule_sums(codes, layout, table, bias, state, features, s1, s2)`: sums of several features, one after the other.

Returns the most that a condition on a feature not asked about yet can save.
"""

covered_weight = kernel("covered_weight", STATE, DOUBLES, result=float)
"""`covered_weight(state, weights)`: weight of the rows that a lifted rule covers."""

activation = kernel("activation", COUNTS, DOUBLES, DOUBLES)
"""`activation(zeros, product, out)`: the rule's activation without its bias."""

add_factor = kernel("add_factor", DOUBLES, REAL, SMALL, DOUBLES)
"""`add_factor(r, bias, zeros, product)`: multiply a rule's factor (1 - a r) into its output's state."""

remove_factor = kernel("remove_factor", DOUBLES, REAL, SMALL, DOUBLES)
"""`remove_factor(r, bias, zeros, product)`: take a rule's factor (1 - a r) out of its output's state."""

quadratic = kernel("quadratic", SINGLES, DOUBLES, SMALL, DOUBLES, REAL, DOUBLES, DOUBLES)
"""`quadratic(targets, weights, zeros, product, output_bias, q1, q2)`: q1, q2 of every row for a rule taken out."""

squared_error = kernel("squared_error", SINGLES, DOUBLES, SMALL, DOUBLES, REAL, result=float)
"""`squared_error(targets, weights, zeros, product, output_bias)`: weighted squared error of one output."""

_rows_within_one = kernel("rows_within_one", COUNTS, INTEGERS, INTEGERS, result=int)
_bias_sums = kernel("bias_sums", DOUBLES, DOUBLES, DOUBLES, DOUBLES)
_output_sums = kernel("output_sums", SINGLES, DOUBLES, SMALL, DOUBLES, DOUBLES)


def is_used(table: Floats) -> bool:
    """Whether a feature's table asks anything: some entry differs from 1."""
    return bool((table != 1.0).any())


def rows_within_one(zeros: Any, active: Any) -> tuple[int, int]:
    """Collect the rows that fail no condition, then those that fail one; return how many there are of both."""
    covered = np.zeros(1, np.int64)
    count = _rows_within_one(zeros, active, covered)
    return int(covered[0]), int(count)


def bias_sums(r: Floats, q1: Floats, q2: Floats) -> tuple[float, float]:
    """Sums of q1 r and q2 r^2: the error is quadratic in the rule's bias as well."""
    found = np.empty(2)
    _bias_sums(r, q1, q2, found)
    return float(found[0]), float(found[1])


def output_sums(targets: Any, weights: Floats, zeros: Any, product: Floats) -> tuple[float, float]:
    """Sums of (1 - y) N and N^2 with N the product of an output's factors: they give its bias."""
    found = np.empty(2)
    _output_sums(targets, weights, zeros, product, found)
    return float(found[0]), float(found[1])
