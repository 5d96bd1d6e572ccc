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


def test_rules_that_a_start_has_at_several_prices_count_as_once():
    rng = np.random.default_rng(0)
    for _ in range(20):
        drafts = [above(*((int(b), int(k)) for b, k in rng.integers(0, (99, 2), (4, 2))))]
        path = [above(*((int(b), int(k)) for b, k in rng.integers(0, (99, 2), (3, 2)))) for _ in range(3)]
        (found,) = starts_that_found(drafts, [path, path[:1] * 3, path + path], slot_layout(ENCODING), ROWS)
        held, other = drafts[0].tables > 0.5, [np.concatenate([d[part] for d in path]) for part in (0, 2)]
        plain = []
        for rule, k in zip(held, drafts[0].output, strict=True):
            rivals = other[0][other[1] == k] > 0.5
            shares = [(rule & rival).sum() / (rule | rival).sum() for rival in rivals]
            first = [s for s, i in zip(shares, np.flatnonzero(other[1] == k), strict=True) if i < 3]
            plain.append(2 * any(s >= 0.8 for s in shares) + any(s >= 0.8 for s in first))
        assert found.tolist() == plain
