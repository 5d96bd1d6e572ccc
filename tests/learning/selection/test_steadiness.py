from __future__ import annotations

import numpy as np

from nln.learning.descent.layout import slot_layout
from nln.learning.draft import Draft, descent_rows
from nln.learning.selection.steadiness import starts_that_found
from nln.rules import Feature
from nln.tables.encoding import make_encoding, merge_rows

COLUMNS = {"x": np.arange(100.0)}
ENCODING = make_encoding((Feature("x", "continuous"),), COLUMNS, np.ones(100))
ROWS = descent_rows(merge_rows(ENCODING.codes(COLUMNS, 100), np.ones((100, 2)), np.ones(100)))


def above(*rules):
    """Rules `x >= boundary`, each of an output."""
    tables = np.array([COLUMNS["x"] >= boundary for boundary, _ in rules], float).reshape(-1, 100)
    outputs = np.array([output for _, output in rules], np.int64)
    return Draft(tables, np.full(len(rules), 0.5), outputs, np.zeros(2))


def test_a_rule_was_found_where_a_rule_of_its_label_covers_nearly_the_same_rows():
    drafts = [above((50, 0), (50, 1), (90, 0)), above()]
    paths = [[above((50, 0))], [above((55, 0), (60, 0)), above((60, 0))], [above(), above((70, 0), (50, 1))], [above()]]
    found = starts_that_found(drafts, paths, slot_layout(ENCODING), ROWS)
    assert [counts.tolist() for counts in found] == [[2, 1, 0], []]
    fixed = starts_that_found([drafts[0]._replace(n_fixed=2)] * 2, paths, slot_layout(ENCODING), ROWS)
    assert [counts.tolist() for counts in fixed] == [[2, 1, 0]] * 2
