"""Closed-form sums of many features of a lifted rule in one pass, as another machine asks for them."""

from __future__ import annotations

from nln.compiled import compiled
from nln.learning.descent.kernels.statistics import (
    covered_sums,
    is_used,
    rows_within_one,
    slot_sums,
    weigh_covered,
)


@compiled
def rule_sums(codes, offsets, table, bias, state, features, first_terms, second_terms, s1, s2):
    """Write s1, s2 of the features to the slots given; return the most that a feature not asked about can save.

    The two rooms for terms have one place per row.
    """
    covered, count = rows_within_one(state.zeros, state.room)
    rows = state.room[:covered]
    saved = weigh_covered(rows, state.product, bias, state.q1, state.q2, first_terms, second_terms)
    for j in features:
        first, last = offsets[j], offsets[j + 1]
        part, t1, t2 = table[first:last], s1[first:last], s2[first:last]
        if is_used(part):
            near = state.room[:count]
            slot_sums(codes[j], near, state.zeros, state.product, part, bias, state.q1, state.q2, t1, t2)
        else:
            covered_sums(codes[j], rows, first_terms, second_terms, t1, t2)
    return saved
