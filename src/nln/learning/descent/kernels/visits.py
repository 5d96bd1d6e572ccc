"""A visit to a rule: lift it out of its output, give each feature its best table in turn, fit the bias, put it back.

The loops are in `visits.c`, what constraints forbid or force in `limits.c`. The loop over the rules is compiled as a
whole: on small tables a visit takes microseconds. `Descent` calls it, with tuples of arrays that it binds once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nln.learning.descent.kernels.records import DRAFT, LAYOUT, LIMITS, LIMITS_OR_NONE, ROWS, STATE
from nln.native.binding import CODES, DOUBLES, FLAGS, INTEGERS, REAL, WHOLE, kernel
from nln.tables.encoding import Floats, Integers

KEPT, CHANGED = 0, 2
"""What became of a table: nothing, another condition; between them, another probability of missing values."""
LEAST_BIAS = 1e-3
"""Bias with which the tables of a faded rule are priced."""


class DescentState(NamedTuple):
    """One rule on all rows, room to work on it, and the state of the outputs."""

    zeros: npt.NDArray[np.unsignedinteger]  # conditions that a row fails
    product: npt.NDArray[np.float64]  # of the other conditions
    rule: npt.NDArray[np.float64]  # the rule's activation without its bias
    room: npt.NDArray[np.int64]  # for row numbers
    q1: npt.NDArray[np.float64]
    q2: npt.NDArray[np.float64]
    output_zeros: npt.NDArray[np.int32]  # (outputs, rows)
    output_product: npt.NDArray[np.float64]
    evidence: float  # against every rule


visit_rules = kernel(
    "visit_rules", ROWS, LAYOUT, LIMITS_OR_NONE, DRAFT, STATE, INTEGERS, INTEGERS, REAL, FLAGS, result=int
)
"""`visit_rules(rows, layout, limits, draft, state, visited, orders, price, alive)`: improve rules or drop them.

`orders` gives for each visit the order of the features. Returns the number of changes.
"""

activate_rule = kernel("activate_rule", ROWS, LAYOUT, DRAFT, STATE, WHOLE)
"""`activate_rule(rows, layout, draft, state, i)`: compute what a rule gives on every row."""

multiply_into_output = kernel("multiply_into_output", DRAFT, STATE, WHOLE)
"""`multiply_into_output(draft, state, i)`: multiply an activated rule into its output."""

compute_outputs = kernel("compute_outputs", ROWS, LAYOUT, DRAFT, STATE, FLAGS)
"""`compute_outputs(rows, layout, draft, state, alive)`: compute the outputs from scratch."""

lift_rule = kernel("lift_rule", ROWS, LAYOUT, DRAFT, STATE, WHOLE)
"""`lift_rule(rows, layout, draft, state, i)`: compute a rule, take it out, and find the quadratic of what is left."""

settle_rule = kernel("settle_rule", DRAFT, STATE, WHOLE, result=float)
"""`settle_rule(draft, state, i)`: fit the bias of a lifted rule and put it back; return what the rule is worth."""

settle_rules = kernel("settle_rules", ROWS, LAYOUT, DRAFT, STATE, FLAGS, DOUBLES)
"""`settle_rules(rows, layout, draft, state, alive, worth)`: fit the bias of each rule in turn, given all others."""

rule_hashes = kernel("rule_hashes", LAYOUT, DOUBLES, INTEGERS, FLAGS, INTEGERS)
"""`rule_hashes(layout, tables, spans, wanted, hashes)`: hashes of what some rules ask; fuzzy ones by their spans."""

drop_rule = kernel("drop_rule", DRAFT, STATE, WHOLE, FLAGS, WHOLE)
"""`drop_rule(draft, state, i, alive, absorb)`: drop a settled rule; the output's bias may absorb it."""

conform_rule = kernel("conform_rule", CODES, LAYOUT, LIMITS, DOUBLES, REAL, WHOLE, STATE, result=int)
"""`conform_rule(codes, layout, limits, table, bias, output, state)`: make a lifted rule keep to limits, if it can."""

lifted_sums = kernel("lifted_sums", ROWS, LAYOUT, DRAFT, STATE, WHOLE, WHOLE, DOUBLES, DOUBLES)
"""`lifted_sums(rows, layout, draft, state, i, j, s1, s2)`: closed-form sums of a feature of the lifted rule."""

put_table = kernel("put_table", ROWS, LAYOUT, DRAFT, STATE, WHOLE, WHOLE, DOUBLES)
"""`put_table(rows, layout, draft, state, i, j, new)`: exchange a feature's table in the lifted rule."""

fit_output_biases = kernel("fit_output_biases", ROWS, DRAFT, STATE, DOUBLES)
"""`fit_output_biases(rows, draft, state, absence)`: best bias of each output; `absence` is of one more row."""

descent_error = kernel("descent_error", ROWS, DRAFT, STATE, result=float)
"""`descent_error(rows, draft, state)`: weighted squared error over all outputs."""

improve_feature = kernel(
    "improve_feature",
    *(LAYOUT, LIMITS_OR_NONE, DOUBLES, WHOLE, INTEGERS, DOUBLES, DOUBLES, REAL, REAL, WHOLE, DOUBLES),
    result=int,
)
"""`improve_feature(layout, limits, table, j, span, s1, s2, saved, price, output, new)`: find the best table of j.

The sums of the feature are given, and what an unused one can save. Returns what became of the table; its boundaries
go to `span`.
"""

must_change = kernel("must_change", LAYOUT, WHOLE, DOUBLES, INTEGERS, result=int)
"""`must_change(layout, j, table, span)`: whether a condition cannot stay as it is, such as one of a network."""

rule_size = kernel("rule_size", LAYOUT, LIMITS_OR_NONE, DOUBLES, INTEGERS, result=float)
"""`rule_size(layout, limits, table, spans)`: number of literals of a rule, times the factors of their features."""

_rule_sizes = kernel("rule_sizes", LAYOUT, DOUBLES, INTEGERS, DOUBLES)


def rule_sizes(layout: Any, tables: Floats, spans: Integers | None) -> Floats:
    """Number of literals of each rule, as the price counts them; the spans of rules in the descent are known."""
    sizes = np.empty(len(tables))
    _rule_sizes(layout, tables, spans, sizes)
    return sizes
