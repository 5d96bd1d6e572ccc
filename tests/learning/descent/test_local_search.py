import itertools

import numpy as np
import pytest

from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import SlotLayout
from nln.learning.descent.local_search import can_search, search_locally
from nln.learning.draft import DescentRows, Draft


def exactly_two() -> tuple[SlotLayout, DescentRows]:
    """All rows of five features with three values; positive if exactly two of them are 0."""
    n = np.full(5, 3)
    none, offsets = np.zeros(5, np.int64), np.arange(0, 18, 3)
    layout = SlotLayout(offsets, n, none, none, none, np.zeros(15))
    codes = np.array(list(itertools.product(range(3), repeat=5)), np.uint8).T.copy()
    targets = ((codes == 0).sum(axis=0) == 2).astype(np.float32)[None]
    return layout, DescentRows(codes, targets, np.ones(codes.shape[1]))


def nothing(layout: SlotLayout) -> Draft:
    return Draft(np.ones((0, layout.offsets[-1])), np.ones(0), np.zeros(0, np.int64), np.array([0.2]))


@pytest.mark.parametrize("seed", range(3))
def test_search_alone_finds_a_planted_program(seed):
    layout, rows = exactly_two()
    found = search_locally(Descent(layout, rows, nothing(layout)), 0.2, np.random.default_rng(seed), patience=60)
    assert found.draft.n_rules == 10
    assert ((found.probabilities() > 0.5) == (rows.targets > 0.5)).all()


@pytest.mark.parametrize("seed", range(3))
def test_search_never_ends_above_where_it_began_and_leaves_it_alone(seed):
    layout, rows = exactly_two()
    rng = np.random.default_rng(seed)
    start = Descent(layout, rows, Draft(rng.random((6, 15)), np.full(6, 0.5), np.zeros(6, np.int64), np.array([0.2])))
    start.run(0.3, rng)
    before, tables = start.objective(0.3), start.draft.tables.copy()
    assert search_locally(start, 0.3, rng, patience=5).objective(0.3) <= before
    np.testing.assert_array_equal(start.draft.tables, tables)


def test_search_is_for_free_rules_over_values():
    layout, rows = exactly_two()
    free = Descent(layout, rows, nothing(layout))
    assert can_search(free)
    assert not can_search(Descent(layout._replace(ordered=np.ones(5, np.int64)), rows, nothing(layout)))


def test_each_output_is_searched_from_the_best_of_the_rivals():
    layout, rows = exactly_two()
    both = DescentRows(rows.codes, np.concatenate([rows.targets, 1 - rows.targets]), rows.weights)
    none = Draft(np.ones((0, layout.offsets[-1])), np.ones(0), np.zeros(0, np.int64), np.array([0.2, 0.8]))
    found = search_locally(Descent(layout, both, none), 0.2, np.random.default_rng(0), patience=60)
    halves = [Descent(layout, both, found.draft.take(found.draft.output == k)) for k in range(2)]
    joined = search_locally(halves[0], 0.2, np.random.default_rng(0), patience=0, rivals=halves[1:])
    assert joined.objective(0.2) == pytest.approx(found.objective(0.2), abs=1e-6)
    assert joined.objective(0.2) < min(half.objective(0.2) for half in halves)
