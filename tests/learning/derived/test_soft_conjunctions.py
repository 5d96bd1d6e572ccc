"""The soft network over bags: values against all outcomes, gradients against differences, and what it finds."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.derived import soft_children
from nln.learning.derived.conjunctions import BagRows, ConjunctionSearch
from nln.learning.derived.contexts import Context
from nln.learning.derived.kernels.soft_bags import soft_count_gradients, soft_counts
from nln.learning.derived.soft_children import SoftChildren
from nln.learning.derived.soft_conjunctions import SoftConjunctions, Units, soft_saved
from nln.rules.schema import Feature
from nln.tables.encoding import Codes, Encoding, Floats, Integers, make_encoding

SIZES = (3, 2, 4)
OFFSETS = np.array([0, 3, 5, 9], np.int64)
FEATURES = (
    Feature("number", "continuous"),
    Feature("value", "categorical", ("p", "q", "r")),
    Feature("flag", "binary", (0, 1)),
)


class Case(NamedTuple):
    """Bags of children, tables of three units, and k."""

    first: Integers
    codes: Codes
    tables: Floats
    least: int


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Bags of 0 to 5 children; probabilities may be 0 or 1."""
    sizes = draw(st.lists(st.integers(0, 5), min_size=1, max_size=6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = np.stack([rng.integers(0, n, sum(sizes)) for n in SIZES], axis=1).astype(np.uint8)
    tables = rng.random((9, 3))
    tables[rng.random(tables.shape) < draw(st.sampled_from([0.0, 0.3]))] = 0.0
    tables[rng.random(tables.shape) < draw(st.sampled_from([0.0, 0.3]))] = 1.0
    return Case(_first(sizes), codes, tables, draw(st.integers(1, 3)))


def _first(sizes: Any) -> Integers:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def chance(held: Floats, least: int) -> float:
    """Chance that at least so many of some children hold, from all outcomes."""
    total = 0.0
    for outcome in product((0, 1), repeat=len(held)):
        if sum(outcome) >= least:
            total += float(np.prod([c if holds else 1.0 - c for c, holds in zip(held, outcome, strict=True)]))
    return total


def slopes_of(function: Any, at: Floats) -> Floats:
    """Central differences of a function of an array."""
    found = np.empty_like(at)
    for place in np.ndindex(at.shape):
        moved = np.zeros_like(at)
        moved[place] = 1e-5
        found[place] = (function(at + moved) - function(at - moved)) / 2e-5
    return found


@settings(max_examples=200, deadline=None)
@given(cases(), st.booleans())
def test_soft_counts_are_the_chances_of_all_outcomes(case: Case, is_negated: bool) -> None:
    found, held = soft_counts(case.first, case.codes, OFFSETS, case.tables, case.least)
    for x in range(len(case.first) - 1):
        own = slice(case.first[x], case.first[x + 1])
        for u in range(3):
            columns = [case.tables[OFFSETS[j] + case.codes[own, j], u] for j in range(3)]
            np.testing.assert_allclose(held[own, u], np.prod(columns, axis=0))
            expected = chance(held[own, u], case.least)
            value = 1.0 - found[x, u] if is_negated else found[x, u]
            assert value == pytest.approx(1.0 - expected if is_negated else expected, abs=1e-12)
            if own.start == own.stop:  # an empty bag satisfies `no` and fails `some`
                assert value == float(is_negated)


@settings(max_examples=100, deadline=None)
@given(cases(), st.booleans(), st.integers(0, 2**32))
def test_gradients_are_finite_differences(case: Case, is_negated: bool, seed: int) -> None:
    first, codes, tables, least = case
    weights = np.random.default_rng(seed).normal(size=(len(first) - 1, 3))

    def value(moved: Floats) -> float:
        found = soft_counts(first, codes, OFFSETS, moved, least)[0]
        return float((weights * (1.0 - found if is_negated else found)).sum())

    _, held = soft_counts(first, codes, OFFSETS, tables, least)
    slopes = -weights if is_negated else weights
    gradient = soft_count_gradients(first, codes, OFFSETS, tables, least, held, slopes)
    np.testing.assert_allclose(gradient, slopes_of(value, tables), atol=1e-7)


@settings(max_examples=50, deadline=None)
@given(cases())
def test_crisp_tables_count(case: Case) -> None:
    crisp = np.round(case.tables)
    found, held = soft_counts(case.first, case.codes, OFFSETS, crisp, case.least)
    counts = np.array([held[a:b].sum(axis=0) for a, b in zip(case.first, case.first[1:], strict=False)])
    np.testing.assert_array_equal(found, counts >= case.least)


def a_context(rng: np.random.Generator, n: int, is_alone: bool) -> Context:
    mass, hits = rng.uniform(0.1, 1.0, n), rng.normal(size=n)
    if not is_alone:
        return Context(mass, hits, np.inf)
    return Context(mass, hits - mass * hits.sum() / mass.sum(), float(mass.sum()))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_slopes_of_what_a_soft_rule_saves_are_finite_differences(seed: int, is_alone: bool) -> None:
    rng = np.random.default_rng(seed)
    context, r = a_context(rng, 6, is_alone), rng.random((6, 2))
    _, slopes = soft_saved(r, context)
    np.testing.assert_allclose(slopes, slopes_of(lambda moved: soft_saved(moved, context)[0].sum(), r), atol=1e-6)


def test_a_crisp_rule_saves_what_its_mean_explains() -> None:
    rng = np.random.default_rng(0)
    y, weights, r = rng.random(50), rng.uniform(0.5, 2.0, 50), (rng.random(50) < 0.4).astype(np.float64)
    mean, inside, outside = (np.average(y, weights=w) for w in (weights, weights * r, weights * (1.0 - r)))
    before, after = weights @ (y - mean) ** 2, weights @ (y - np.where(r > 0, inside, outside)) ** 2
    scale = 1e6  # the half row of evidence against every rule vanishes
    context = Context(scale * weights, scale * weights * (y - mean), float(scale * weights.sum()))
    worth = abs(float(soft_saved(r[:, None], context)[0][0]))
    assert worth / scale == pytest.approx(before - after, rel=1e-4)


def an_encoding(n: int, rng: np.random.Generator) -> tuple[Encoding, Codes]:
    """Columns of each kind with missing cells, and the codes of n children, (features, children)."""
    columns: dict[str, Any] = {"number": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n))}
    for name, count in (("value", 3), ("flag", 2)):
        columns[name] = np.where(rng.random(n) < 0.1, -1, rng.integers(0, count, n)).astype(np.int32)
    encoding = make_encoding(FEATURES, columns, np.ones(n))
    return encoding, np.ascontiguousarray(encoding.codes(columns, n).T)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.booleans(), st.integers(1, 3))
def test_gradients_of_the_weights_are_finite_differences(seed: int, is_alone: bool, least: int) -> None:
    rng = np.random.default_rng(seed)
    encoding, codes = an_encoding(40, rng)
    bags = BagRows(_first([0, 5, 5, 10, 10, 10]), codes)
    network = SoftConjunctions(encoding, bags)
    children = network.inputs.children(a_context(rng, 6, is_alone), rng)
    is_negated = np.array([False, True])
    holds = network.inputs.can_hold
    units = Units(rng.random((3, 2)), rng.random((len(holds), 2)) * holds)

    def worth(and_weights: Floats, memberships: Floats) -> float:
        moved = Units(and_weights, memberships * holds)
        return float(network.worth(moved, children, least, is_negated)[0].sum())

    _, gradient = network.worth(units, children, least, is_negated)
    by_weight = slopes_of(lambda moved: worth(moved, units.memberships), units.and_weights)
    by_slot = slopes_of(lambda moved: worth(units.and_weights, moved), units.memberships)
    np.testing.assert_allclose(gradient.and_weights, by_weight, atol=1e-6)
    np.testing.assert_allclose(gradient.memberships, by_slot, atol=1e-6)


def near_misses(n: int, rng: np.random.Generator) -> tuple[Encoding, BagRows, Context]:
    """Four children of three flags: all or one of them set in a row that counts, none or two in others; 12 columns."""
    truth, sets = rng.random(n) < 0.5, np.array([[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    flags = np.where(truth[:, None, None], sets, 1 - sets).reshape(-1, 3)
    cells = np.hstack([rng.integers(0, 2, (4 * n, 9)), flags])[:, rng.permutation(12)].astype(np.int32)
    features = tuple(Feature(f"x{j}", "binary", (0, 1)) for j in range(12))
    columns = {f"x{j}": cells[:, j].copy() for j in range(12)}
    encoding = make_encoding(features, columns, np.ones(4 * n))
    bags = BagRows(_first(np.full(n, 4)), np.ascontiguousarray(encoding.codes(columns, 4 * n).T))
    return encoding, bags, Context(np.ones(n), truth - truth.mean(), float(n))


@pytest.mark.parametrize("seed", range(3))
def test_gradients_find_three_conditions_of_which_no_pair_tells(seed: int) -> None:
    rng = np.random.default_rng(seed)
    encoding, bags, context = near_misses(300, rng)
    search = ConjunctionSearch(encoding, bags, price=2.0)
    assert search.best(context) is None
    found = search.best_from(SoftConjunctions(encoding, bags).trained(context, rng), context)
    assert found is not None
    assert len(found.conjunction) == 3
    assert found.value == pytest.approx(float(context.hits @ context.hits) - 2.0 * 4, rel=0.02)


def test_the_same_generator_trains_the_same_conjunctions() -> None:
    encoding, bags, context = near_misses(60, np.random.default_rng(0))
    found = [SoftConjunctions(encoding, bags).trained(context, np.random.default_rng(1)) for _ in range(2)]
    assert found[0] == found[1]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_conjunctions_can_hold_and_missing_cells_fail(seed: int) -> None:
    rng = np.random.default_rng(seed)
    encoding, codes = an_encoding(60, rng)
    network = SoftConjunctions(encoding, BagRows(_first([10] * 6), codes))
    for conjunction in network.trained(a_context(rng, 6, is_alone=True), rng):
        for j, table in conjunction:
            inside, slots = np.frombuffer(table, np.uint8), encoding.slots[j]
            assert inside[: slots.n_known].any()
            assert not inside[: slots.n_known].all()
            assert not (slots.has_missing and inside[-1])
            if slots.is_ordered:  # one run of bins
                assert np.abs(np.diff(np.concatenate([[0], inside.astype(int), [0]]))).sum() == 2


def test_without_hits_or_children_nothing_is_trained() -> None:
    rng = np.random.default_rng(0)
    encoding, codes = an_encoding(20, rng)
    network = SoftConjunctions(encoding, BagRows(_first([10, 10]), codes))
    assert network.trained(Context(np.ones(2), np.zeros(2), 2.0), rng) == []
    assert network.trained(Context(np.zeros(2), np.zeros(2), np.inf), rng) == []
    empty = SoftConjunctions(encoding, BagRows(_first([0, 0]), codes[:, :0].copy()))
    assert empty.trained(Context(np.ones(2), np.array([-0.5, 0.5]), 2.0), rng) == []


def test_of_many_children_some_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    encoding, codes = an_encoding(100, rng)
    network = SoftConjunctions(encoding, BagRows(_first([50, 30, 5, 5, 10]), codes))
    monkeypatch.setattr(soft_children, "MOST_OF_ROW", 8)
    context = Context(np.array([1.0, 1.0, 1.0, 0.0, 1.0]), np.array([0.5, -0.5, 0.5, 0.0, 0.5]), np.inf)
    children: SoftChildren = network.inputs.children(context, rng)
    assert sorted(np.diff(children.first)) == [5, 8, 8, 8]  # the row without mass is left out
    assert len(children.codes) == 29
    monkeypatch.setattr(soft_children, "MOST_CHILDREN", 16)
    children = network.inputs.children(context, rng)
    assert len(children.codes) <= 16
    assert len(children.context.mass) == len(children.first) - 1
