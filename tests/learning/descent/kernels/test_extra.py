"""Features that cost more than their literals: the best table pays the extra price once, or asks nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.best_table import best_table, table_cost
from nln.learning.descent.kernels.spans import best_fuzzy_table
from tests.learning.descent.kernels.test_spans import cost_of, fuzzy_descent
from tests.learning.oracle import NEGATION, cases

seeds = st.integers(0, 2**32 - 1)
some = settings(max_examples=60, deadline=None)
extras = st.sampled_from([0.0, 0.5, 2.0, 50.0])


@some
@given(seeds, extras, st.sampled_from([0, 1]))
def test_a_crisp_table_is_asked_only_if_it_pays_the_extra_price(seed, extra, ordered):
    rng = np.random.default_rng(seed)
    n, price = int(rng.integers(2, 7)), 0.3
    s2 = rng.random(n)
    s1 = s2 * rng.random(n) * 1.5 - 0.2
    kind, axis = (n, 0, 0, ordered), np.arange(n, dtype=float)
    free, paid = np.ones(n), np.ones(n)
    best_table(s1, s2, *kind, price, NEGATION, True, axis, free)
    best_table(s1, s2, *kind, price, NEGATION, True, axis, paid, 0, True, extra)
    saved = table_cost(np.ones(n), s1, s2, *kind, price, NEGATION) - table_cost(free, s1, s2, *kind, price, NEGATION)
    np.testing.assert_array_equal(paid, free if saved > price * extra + 1e-12 else np.ones(n))
    asked = float((paid != 1.0).any())
    without = table_cost(paid, s1, s2, *kind, price, NEGATION)
    assert table_cost(paid, s1, s2, *kind, price, NEGATION, extra) == pytest.approx(without + asked * price * extra)


@some
@given(seeds, extras)
def test_a_fuzzy_table_is_asked_only_if_it_pays_the_extra_price(seed, extra):
    descent, _ = fuzzy_descent(0, 2)
    layout, rng, price = descent.layout, np.random.default_rng(seed), 0.2
    dear = layout._replace(extra=np.full(len(layout.n_known), extra))
    n_slots = int(layout.offsets[1] - layout.offsets[0])
    s2 = rng.random(n_slots)
    s1 = s2 * 1.5 * rng.random(n_slots)
    tables, costs = [], []
    for each in (layout, dear):
        table = np.ones(n_slots)
        costs.append(best_fuzzy_table(each, 0, s1, s2, price, np.empty(2, np.int64), table))
        tables.append(table)
    unused = cost_of(np.ones(n_slots), s1, s2)
    if costs[0] + price * extra < unused - 1e-9:
        np.testing.assert_array_equal(tables[1], tables[0])
        assert costs[1] == pytest.approx(costs[0] + price * extra)
    else:
        assert (tables[1] == 1.0).all()
        assert costs[1] == pytest.approx(unused)


@some
@given(cases(("crisp",)), seeds)
def test_sizes_and_the_objective_count_the_extra_literals_of_used_features(case, seed):
    extra = np.random.default_rng(seed).integers(0, 4, case.n_features).astype(float)
    plain = Descent(case.layout, case.rows, case.draft)
    dear = Descent(case.layout._replace(extra=extra), case.rows, case.draft)
    used = np.array([[(t[case.part(j)] != 1.0).any() for j in range(case.n_features)] for t in case.draft.tables])
    np.testing.assert_allclose(dear.sizes() - plain.sizes(), used @ extra)
    more = float((used @ extra).sum())
    assert dear.objective(0.7) - plain.objective(0.7) == pytest.approx(0.7 * more)
