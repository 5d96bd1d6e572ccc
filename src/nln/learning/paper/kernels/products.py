"""Products over the rows for closed-form answers about a whole network. The loops are in `products.c`.

Rules may feed several outputs here, and all weights may be soft. `activations` is (rules, rows), `factors` (outputs,
rules) holds W a. Zero factors of an output are counted in 32 bits.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nln.native.binding import CODES, DOUBLES, INTEGERS, REAL, SMALL, WHOLE, kernel
from nln.tables.encoding import Floats, Integers

all_products = kernel("all_products", DOUBLES, DOUBLES, SMALL, DOUBLES)
"""`all_products(activations, factors, zeros, product)`: state of every output at every row, from scratch."""

exchange_factor = kernel("exchange_factor", DOUBLES, DOUBLES, REAL, DOUBLES, REAL, DOUBLES, SMALL, DOUBLES, INTEGERS)
"""`exchange_factor(activations, factors, before, old, after, new, zeros, product, rows)`: exchange (1 - c r) of a rule.

`factors` are those of one output; they and `activations` must hold the new numbers already.
"""

rule_quadratic = kernel(
    "rule_quadratic",
    *(DOUBLES, DOUBLES, WHOLE, SMALL, DOUBLES, DOUBLES, DOUBLES, DOUBLES, INTEGERS, DOUBLES, DOUBLES),
)
"""q1, q2 of a rule at some rows, over all outputs it feeds.

`rule_quadratic(activations, factors, rule, zeros, product, output_bias, targets, weights, rows, q1, q2)`.
"""

others_of_rule = kernel("others_of_rule", CODES, INTEGERS, DOUBLES, WHOLE, DOUBLES)
"""`others_of_rule(codes, offsets, table, feature, others)`: product of a rule's look-ups in all features but one."""

_output_sums_of_rule = kernel(
    "output_sums_of_rule", *(DOUBLES, DOUBLES, WHOLE, SMALL, DOUBLES, REAL, DOUBLES, DOUBLES, INTEGERS, DOUBLES)
)
_outside_intervals = kernel("outside_intervals", DOUBLES, INTEGERS, INTEGERS, DOUBLES, WHOLE, DOUBLES)


def output_sums_of_rule(
    activations: Floats,
    factors: Floats,
    rule: int,
    zeros: npt.NDArray[np.int32],
    product: Floats,
    output_bias: float,
    targets: Floats,
    weights: Floats,
    rows: Integers,
) -> tuple[float, float]:
    """Sums S1, S2 for one output: its error is S2 c^2 - 2 S1 c in the rule's factor c, up to a constant."""
    found = np.empty(2)
    _output_sums_of_rule(activations, factors, rule, zeros, product, output_bias, targets, weights, rows, found)
    return float(found[0]), float(found[1])


def outside_intervals(above: Floats, lower: Integers, upper: Integers, regular: Floats, left_out: int) -> Floats:
    """Product of (1 - O I) over a rule's intervals at every bin, one interval left out (-1: none)."""
    out = np.empty(len(above))
    ends = np.ascontiguousarray(lower), np.ascontiguousarray(upper)
    _outside_intervals(above, *ends, np.ascontiguousarray(regular), left_out, out)
    return out
