"""Tuples of arrays of the descent as C structures (`descent.h`)."""

from __future__ import annotations

from nln.native.binding import CODES, COUNTS, DOUBLES, FLAGS, INTEGERS, REAL, SINGLES, SMALL, WHOLE, Optional, Record

LAYOUT = Record(
    offsets=INTEGERS,
    n_known=INTEGERS,
    has_other=INTEGERS,
    has_missing=INTEGERS,
    ordered=INTEGERS,
    axis=DOUBLES,
    negation=REAL,
    unions=WHOLE,
    max_conditions=WHOLE,
    partial_missing=WHOLE,
    extra=DOUBLES,
    least_shares=DOUBLES,
    limits=None,  # an argument of its own, where it counts
    evidence=REAL,
    place_offsets=INTEGERS,
    places=None,
    place_penalties=DOUBLES,
    upper_offsets=INTEGERS,
    upper=DOUBLES,
)
LIMITS = Record(pairs=FLAGS, required=FLAGS, direction=INTEGERS, factors=DOUBLES)
LIMITS_OR_NONE = Optional(LIMITS)
ROWS = Record(codes=CODES, targets=SINGLES, weights=DOUBLES)
DRAFT = Record(tables=DOUBLES, bias=DOUBLES, output=INTEGERS, output_bias=DOUBLES, n_fixed=WHOLE, spans=INTEGERS)
STATE = Record(
    zeros=COUNTS,
    product=DOUBLES,
    rule=DOUBLES,
    room=INTEGERS,
    q1=DOUBLES,
    q2=DOUBLES,
    output_zeros=SMALL,
    output_product=DOUBLES,
    evidence=REAL,
)
KIND = Record(n_known=WHOLE, has_other=WHOLE, has_missing=WHOLE, ordered=WHOLE)
