"""Closed forms over bags: every count of children, every boundary and every set of values, against plain loops."""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.derived.children import bag_rows
from nln.learning.derived.conjunctions import (
    EACH,
    MANY,
    MOST_CHILDREN,
    NEGATED,
    BagRows,
    Conjunction,
    ConjunctionSearch,
    count_cost,
    table_size,
)
from nln.learning.derived.contexts import Context
from nln.learning.derived.kernels.bags import count_sums, order_sums, pair_gains, value_sums
from nln.learning.derived.kernels.regions import PSEUDO_MASS
from nln.rules.children.bags import Bags
from nln.rules.schema import Feature
from nln.tables.encoding import Codes, Encoding, make_encoding

N_VALUES = 4
FEATURES = (
    Feature("number", "continuous"),
    Feature("rank", "ordinal", ("a", "b", "c", "d")),
    Feature("value", "categorical", ("p", "q", "r", "s")),
    Feature("flag", "binary", (0, 1)),
)
Case = tuple[ConjunctionSearch, Context]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Bags of 0 to 4 children with missing cells, masses and hits of the rows, and a price."""
    sizes = draw(st.lists(st.integers(0, 4), min_size=1, max_size=12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = sum(sizes)
    number = rng.integers(0, N_VALUES, n).astype(np.float64)
    number[rng.random(n) < 0.2] = np.nan
    columns: dict[str, Any] = {"number": number}
    for name, most in (("rank", 4), ("value", 4), ("flag", 2)):
        columns[name] = np.where(rng.random(n) < 0.2, -1, rng.integers(0, most, n)).astype(np.int32)
    encoding = make_encoding(FEATURES, columns, np.ones(n))
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    search = ConjunctionSearch(
        encoding, BagRows(first, encoding.codes(columns, n).T.copy()), draw(st.sampled_from([0.01, 0.3]))
    )
    mass = rng.random(len(sizes)) * (rng.random(len(sizes)) < 0.9)
    total = float(mass.sum()) if draw(st.booleans()) else np.inf
    return search, Context(mass, np.where(mass > 0, rng.normal(size=len(sizes)), 0.0), total)


def worth(search: ConjunctionSearch, tables: dict[int, Codes], context: Context) -> float:
    """What the best count of the children in some tables saves beyond its price, by loops over rows and children."""
    first, codes = search.bags
    best = 0.0
    counts = []
    for x in range(len(first) - 1):
        children = range(first[x], first[x + 1])
        counts.append(sum(all(table[codes[j, z]] for j, table in tables.items()) for z in children))
    costs = [0.0, *(MANY + EACH * further for further in range(MOST_CHILDREN - 1))]
    for k in range(1, MOST_CHILDREN + 1):
        for negated in (False, True):
            chosen = np.array([(count >= k) != negated for count in counts])
            m, h = context.mass[chosen].sum(), context.hits[chosen].sum()
            gain = h * h / (m + PSEUDO_MASS) / (1 - m / (context.total + PSEUDO_MASS)) if h > 0 else 0.0
            best = max(best, gain - search.price * (costs[k - 1] + NEGATED * negated))
    size = sum(table_size(table, search.slots[j]) for j, table in tables.items())
    return best - search.price * (1 + size)


def table(search: ConjunctionSearch, j: int, inside: Any) -> Codes:
    found = np.zeros(search.slots[j].n_slots, np.uint8)
    found[list(inside)] = 1
    return found


def some_others(search: ConjunctionSearch, j: int) -> dict[int, Codes]:
    """A condition on another column that stays."""
    other = 3 if j != 3 else 2
    return {other: table(search, other, [0])} if search.slots[other].n_known > 1 else {}


@settings(max_examples=200, deadline=None)
@given(cases(), st.sampled_from([0, 1]), st.booleans())
def test_the_best_boundary_is_that_of_all_boundaries(case: Case, j: int, beside: bool) -> None:
    search, context = case
    n = search.slots[j].n_known
    others = some_others(search, j) if beside else {}
    plain = [range(t) for t in range(1, n)] + [range(t, n) for t in range(1, n)]
    expected = [worth(search, {**others, j: table(search, j, inside)}, context) for inside in plain]
    options = list(search._options(j, None, others, context))
    assert options[0][1] is None
    assert options[0][0] == pytest.approx(worth(search, others, context))
    for gain, found in options[1:]:
        assert found is not None
        assert gain == pytest.approx(worth(search, {**others, j: found}, context))
    if expected:
        assert max(gain for gain, found in options if found is not None) == pytest.approx(max(expected))


@settings(max_examples=200, deadline=None)
@given(cases(), st.sampled_from([0, 1]), st.integers(0, 3), st.integers(0, 3))
def test_the_other_end_of_an_interval_is_optimal_given_the_first(case: Case, j: int, low: int, high: int) -> None:
    search, context = case
    n = search.slots[j].n_known
    low, high = min(low, high, n - 1), min(max(low, high) + 1, n)
    now = table(search, j, range(low, high))
    plain = [range(low, t) for t in range(low + 1, n + 1)] + [range(t, high) for t in range(high)]
    moved = [
        inside for inside in plain if 0 < len(inside) < n and (inside.start in (0, low) or inside.stop in (n, high))
    ]
    expected = [worth(search, {j: table(search, j, inside)}, context) for inside in moved]
    options = [gain for gain, found in search._options(j, now, {}, context) if found is not None]
    if expected:
        assert max(options) >= max(expected) - 1e-9
    for gain, found in search._options(j, now, {}, context):
        assert gain == pytest.approx(worth(search, {} if found is None else {j: found}, context))


@settings(max_examples=200, deadline=None)
@given(cases(), st.sampled_from([2, 3]), st.booleans(), st.data())
def test_the_best_change_of_a_set_is_that_of_all_single_changes(
    case: Case, j: int, beside: bool, data: st.DataObject
) -> None:
    search, context = case
    n = search.slots[j].n_known
    others = some_others(search, j) if beside else {}
    start = data.draw(st.sets(st.integers(0, n - 1), max_size=n))
    sets = [{v} for v in range(n)] + [set(range(n)) - {v} for v in range(n)] + [start ^ {v} for v in range(n)]
    sets = [chosen for chosen in sets if 0 < len(chosen) < n]
    expected = [worth(search, {**others, j: table(search, j, chosen)}, context) for chosen in sets]
    options = list(search._options(j, table(search, j, start), others, context))
    for gain, found in options[1:]:
        assert gain == pytest.approx(worth(search, {**others, j: found} if found is not None else others, context))
    if expected:
        assert max(gain for gain, _ in options[1:]) == pytest.approx(max(expected))


@settings(max_examples=100, deadline=None)
@given(cases())
def test_kernels_count_as_loops_do(case: Case) -> None:
    search, (mass, hits, _) = case
    first, codes = search.bags
    alive = (np.arange(codes.shape[1]) % 3 != 0).astype(np.uint8)
    orders = order_sums(first, codes[0], alive, mass, hits, N_VALUES, 3)
    inside = np.array([1, 0, 1, 0], np.uint8)
    sets = value_sums(first, codes[2], alive, inside, mass, hits, 4, 3)
    counts = count_sums(first, alive, mass, hits, 3)
    expected_orders, expected_sets, expected = np.zeros_like(orders), np.zeros_like(sets), np.zeros_like(counts)
    for x in range(len(mass)):
        own = [z for z in range(first[x], first[x + 1]) if alive[z]]
        numbers = sorted(int(codes[0, z]) for z in own if codes[0, z] < search.slots[0].n_known)
        values = [int(codes[2, z]) for z in own if codes[2, z] < 4]
        pair = np.array([mass[x], hits[x]])
        for k in range(3):
            expected[k] += pair * (len(own) > k)
            if len(numbers) > k:
                expected_orders[0, k, numbers[k]] += pair
                expected_orders[1, k, numbers[-1 - k]] += pair
            for v in range(4):
                chosen = [{0, 2} ^ {v}, {v}, {0, 1, 2, 3} - {v}]
                for kind, each in enumerate(chosen):
                    expected_sets[kind, v, k] += pair * (sum(value in each for value in values) > k)
    if search.slots[0].n_known == N_VALUES:
        np.testing.assert_allclose(orders, expected_orders, atol=1e-12)
    np.testing.assert_allclose(sets, expected_sets, atol=1e-12)
    np.testing.assert_allclose(counts, expected, atol=1e-12)


@settings(max_examples=50, deadline=None)
@given(cases())
def test_pairs_are_worth_what_the_closed_form_says(case: Case) -> None:
    search, context = case
    literals = search.literals
    if literals is None or not literals.tables:
        return
    gains = pair_gains(
        search.bags.first, literals.held, literals.owners, *context, search.price, count_cost(MOST_CHILDREN)
    )
    for i, j in chain(((i, i) for i in range(len(gains))), combinations(range(len(gains)), 2)):
        if i != j and literals.owners[i] == literals.owners[j]:
            continue
        (f, one), (g, other) = literals.tables[i], literals.tables[j]
        if f == g and i != j:
            continue  # two boundaries of one column may leave an interval of one side only
        assert gains[i, j] == pytest.approx(max(worth(search, {f: one, g: other}, context), 0.0))


@settings(max_examples=50, deadline=None)
@given(cases())
def test_refining_never_loses_and_says_what_it_is_worth(case: Case) -> None:
    search, context = case
    seed: Conjunction = ((2, table(search, 2, [1]).tobytes()),)
    found = search.refined(seed, context)
    tables = {j: np.frombuffer(each, np.uint8) for j, each in found.conjunction}
    assert found.value == pytest.approx(worth(search, tables, context))
    assert found.value >= worth(search, {2: table(search, 2, [1])}, context) - 1e-9
    assert search.refined(found.conjunction, context).value == pytest.approx(found.value)


@settings(max_examples=50, deadline=None)
@given(cases())
def test_the_best_conjunction_can_hold_and_is_worth_what_is_said(case: Case) -> None:
    search, (mass, hits, total) = case
    context = Context(mass, np.abs(hits), total)
    found = search.best(context)
    if found is not None:
        tables = {j: np.frombuffer(each, np.uint8) for j, each in found.conjunction}
        assert all(each.any() for each in tables.values())
        assert found.value == pytest.approx(
            worth(search, tables, Context(context.mass, np.abs(context.hits), context.total))
        )


@settings(max_examples=50, deadline=None)
@given(cases(), st.integers(0, 3), st.integers(0, 3))
def test_boundaries_move_to_where_they_are_worth_most(case: Case, low: int, high: int) -> None:
    search, context = case
    n = search.slots[0].n_known
    inside = range(min(low, high, n - 1), min(max(low, high) + 1, n))
    start = {0: table(search, 0, inside), 2: table(search, 2, [0])}
    found = search.moved(tuple((j, each.tobytes()) for j, each in start.items()), context)
    tables = {j: np.frombuffer(each, np.uint8) for j, each in found.conjunction}
    assert found.value == pytest.approx(worth(search, tables, context))
    assert found.value >= worth(search, start, context) - 1e-9
    assert (tables[2] == start[2]).all()
    if (inside.start == 0) != (inside.stop == n):  # one boundary: the best of all places
        rivals = [range(t) if inside.start == 0 else range(t, n) for t in range(1, n)]
        worths = [worth(search, {**start, 0: table(search, 0, each)}, context) for each in rivals]
        assert found.value == pytest.approx(max(worths))
        cut = int(np.flatnonzero(tables[0][:n])[0] or np.flatnonzero(tables[0][:n])[-1] + 1)
        first, last = search.zone(found.conjunction, 0, cut, context)
        assert first <= cut <= last
        assert all(worths[place - 1] == pytest.approx(max(worths)) for place in range(first, last + 1))


def test_rows_that_share_a_key_share_their_children() -> None:
    bags = Bags(np.array([1, -1, 0, 1]), np.array([0, 1, 1]), np.arange(3), {"x": np.array([5.0, 6.0, 7.0])})
    encoding: Encoding = make_encoding((Feature("x", "continuous"),), bags.columns, np.ones(3))
    rows = bag_rows(bags, np.arange(4), encoding.codes(bags.columns, 3))
    assert rows.first.tolist() == [0, 2, 2, 3, 5]
    assert rows.codes.tolist() == [[1, 2, 0, 1, 2]]
    assert bags.count((), {}).tolist() == [2, 0, 1, 2]
    assert bags.signatures()[0] == bags.signatures()[3] != bags.signatures()[2]


@settings(max_examples=30, deadline=None)
@given(cases())
def test_of_many_columns_the_literals_that_tell_most_are_taken(case: Case) -> None:
    search, context = case
    found = search._telling(context)
    worths = [worth(search, {j: table}, context) for j, table in found]
    np.testing.assert_allclose(worths, sorted(worths, reverse=True))
    best = [
        max((gain for gain, each in search._options(j, None, {}, context) if each is not None), default=None)
        for j in range(4)
    ]
    for j, gain in enumerate(best):
        if gain is not None:
            assert gain == pytest.approx(max(w for w, (i, _) in zip(worths, found, strict=True) if i == j))
