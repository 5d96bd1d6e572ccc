import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.paper.interval_ends import elementary_ends, in_order, learned_ends, tightened
from nln.learning.paper.network_state import NetworkState
from nln.learning.paper.rule_form import to_rule_form, writable
from nln.network.kernels.modules import ORDERED
from nln.network.layout import neighbour_weights
from tests.learning.paper.crisp_networks import crisp_weights, random_task
from tests.learning.paper.test_rule_form import network_on_rows, program_on_rows, retrained_program

seeds = st.integers(0, 2**32 - 1)


def signs(layout, rng, *, ordered=False):
    """Discrete AND weights of intervals; if ordered, one boundary on each side, the lower one below the upper one."""
    weights = np.zeros_like(neighbour_weights(layout))
    for j in np.flatnonzero(layout.kinds == ORDERED):
        first, n = layout.weight_offsets[j], layout.n_regular[j]
        if not ordered:
            weights[: n - 1, first : first + n] = rng.choice([-1, 0, 0, 0, 1], (n - 1, n))
            continue
        for m in range(n):
            low, high = sorted(rng.choice(n - 1, 2, replace=False))
            weights[low, first + m], weights[high, first + m] = rng.integers(0, 2), -rng.integers(0, 2)
    return weights


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_the_tightest_boundary_of_each_side_stays(seed):
    rng = np.random.default_rng(seed)
    _, task = random_task(rng)
    layout = task.inputs.layout
    weights = crisp_weights(task, rng)._replace(interval_weights=signs(layout, rng))
    found = tightened(layout, weights).interval_weights
    assert (np.abs(found) <= np.abs(weights.interval_weights)).all()
    for j in np.flatnonzero(layout.kinds == ORDERED):
        places = weights.boundaries[layout.dichotomy_offsets[j] : layout.dichotomy_offsets[j + 1]]
        for m in range(layout.weight_offsets[j], layout.weight_offsets[j] + layout.n_regular[j]):
            for sign, best in ((1, np.max), (-1, np.min)):
                given_, kept = (w[: len(places), m] == sign for w in (weights.interval_weights, found))
                assert kept.sum() == min(given_.sum(), 1)
                assert not kept.any() or places[kept][0] == best(places[given_])


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_the_program_computes_what_a_network_with_learned_intervals_does(seed):
    """One interval in each module: the union of several is written without the dips that their OR has."""
    rng = np.random.default_rng(seed)
    columns, task = random_task(rng)
    layout = task.inputs.layout
    weights = crisp_weights(task, rng)._replace(interval_weights=signs(layout, rng, ordered=True))
    for j in np.flatnonzero(layout.kinds == ORDERED):
        part = slice(layout.weight_offsets[j], layout.weight_offsets[j] + layout.n_regular[j])
        weights.or_weights[part] = 0
        chosen = rng.integers(part.start, part.stop, weights.or_weights.shape[1])
        weights.or_weights[chosen, np.arange(len(chosen))] = 1
    found = program_on_rows(task, columns, retrained_program(task, weights))
    np.testing.assert_allclose(found, network_on_rows(task, columns, weights), atol=5e-5)


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_boundaries_come_into_order_without_changing_the_network(seed):
    rng = np.random.default_rng(seed)
    _, task = random_task(rng)
    layout, weights = task.inputs.layout, crisp_weights(task, rng)
    weights.boundaries[:] = rng.permutation(weights.boundaries)
    ends = elementary_ends(layout, len(weights.rule_bias))
    moved, numbered = in_order(layout, weights, ends)
    for a, b in zip(layout.dichotomy_offsets, layout.dichotomy_offsets[1:], strict=False):
        assert (np.diff(moved.boundaries[a:b]) >= 0).all()
    before, after = (NetworkState(layout, w, task.rows, e) for w, e in ((weights, ends), (moved, numbered)))
    np.testing.assert_allclose(before.outputs(), after.outputs(), atol=1e-12)


def test_ends_of_learned_intervals_are_open_where_no_boundary_is_named():
    rng = np.random.default_rng(0)
    _, task = random_task(rng)
    layout, weights = task.inputs.layout, crisp_weights(task, rng, n_rules=2)
    neighbours = weights._replace(interval_weights=neighbour_weights(layout))
    fixed, learned = elementary_ends(layout, 2), learned_ends(layout, neighbours)
    ordered = layout.weight_offsets[3], layout.weight_offsets[3] + 33
    for one, other in zip(fixed, learned, strict=True):
        np.testing.assert_array_equal(one[slice(*ordered)], other[slice(*ordered)])
    nothing = learned_ends(layout, weights._replace(interval_weights=np.zeros_like(neighbours.interval_weights)))
    assert set(nothing.lower[slice(*ordered)].ravel()) == {0}
    assert set(nothing.upper[slice(*ordered)].ravel()) == {33}


def test_overlapping_intervals_become_one_and_neighbours_stay_two():
    assert writable([(0, 3), (2, 5), (5, 6), (9, 8)]) == [(0, 5), (5, 6)]
    assert writable([(1, 9), (2, 3)]) == [(1, 9)]


def test_the_rule_form_of_learned_intervals_belongs_to_each_rule():
    rng = np.random.default_rng(1)
    _, task = random_task(rng)
    weights = crisp_weights(task, rng)._replace(interval_weights=signs(task.inputs.layout, rng))
    state = to_rule_form(NetworkState(task.inputs.layout, weights, task.rows))
    assert not state.has_shared_intervals
    assert (state.weights.and_weights[task.inputs.layout.kinds == ORDERED] >= 0).all()
