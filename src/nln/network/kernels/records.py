"""The network's tuples of arrays as C structures (`network.h`); `nln.network.layout` says what they hold."""

from __future__ import annotations

from nln.native.binding import CODES, FLAGS, INTEGERS, REAL, SINGLES, WHOLE, Record

LAYOUT = Record(
    kinds=INTEGERS,
    slot_offsets=INTEGERS,
    weight_offsets=INTEGERS,
    n_regular=INTEGERS,
    n_bins=INTEGERS,
    dichotomy_offsets=INTEGERS,
    positions=SINGLES,
    units=SINGLES,
)
WEIGHTS = Record(
    and_weights=SINGLES,
    or_weights=SINGLES,
    rule_bias=SINGLES,
    output_weights=SINGLES,
    output_bias=SINGLES,
    boundaries=SINGLES,
    sharpness=SINGLES,
    interval_weights=SINGLES,
)
SCRATCH = Record(
    memberships=SINGLES,
    tables=SINGLES,
    g_memberships=SINGLES,
    g_tables=SINGLES,
    dichotomy=SINGLES,
    value=SINGLES,
    g_value=SINGLES,
    low=INTEGERS,
    high=INTEGERS,
    is_met=FLAGS,
    prefix=SINGLES,
    others=SINGLES,
    moves_nodes=WHOLE,
    moves_dichotomies=WHOLE,
)
ROWS = Record(codes=CODES, targets=SINGLES, weights=SINGLES)
STEPS = Record(
    rate=REAL,
    non_empty=REAL,
    l1=REAL,
    low=REAL,
    by_module=WHOLE,
    nodes=WHOLE,
    missing=WHOLE,
    biases=WHOLE,
    dichotomies=WHOLE,
    feature_units=WHOLE,
)
