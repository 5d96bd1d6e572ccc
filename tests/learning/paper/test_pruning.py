import numpy as np
import pytest
from hypothesis import given, settings

from nln.learning.paper.network_state import NetworkState
from nln.learning.paper.pruning import fold_certain, prune, put_intervals, rule_intervals, without_boundary
from nln.network.kernels.modules import ORDERED
from nln.network.layout import Weights
from tests.learning.paper.crisp_networks import crisp_network, crisp_networks, crisp_weights, random_task
from tests.learning.paper.whole_network import WholeNetwork, error_of

some = settings(max_examples=25, deadline=None)


def prune_whole(network: WholeNetwork) -> WholeNetwork:
    """Evaluate the whole network for every weight and boundary, pass after pass."""
    changed = True
    while changed:
        changed = prune_layer(network, network.output_layer())
        network = network.drop_unused()
        changed |= prune_layer(network, network.rule_layer())
        for j in network.module_features():
            changed |= prune_layer(network, network.module_layer(j))
            if network.layout.kinds[j] == ORDERED:
                for i in np.flatnonzero(network.weights.and_weights[j]):
                    changed |= prune_boundaries(network, int(i), j)
        network = network.drop_unused()
        changed |= fold_whole(network)
        network = network.drop_unused()
    return network


def fold_whole(network: WholeNetwork) -> bool:
    """Fold rules that hold for every value into the biases; their own bias becomes 0."""
    w, folded = network.weights, False
    tables = NetworkState(network.layout, w, network.rows, network.ends).tables
    for i in np.flatnonzero((tables == 1.0).all(axis=1)):
        for k in np.flatnonzero(w.output_weights[:, i]):
            w.output_bias[k] = 1.0 - (1.0 - w.output_bias[k]) * (1.0 - w.rule_bias[i])
        w.rule_bias[i], folded = 0.0, True
    return folded


def prune_layer(network, layer) -> bool:
    changed = False
    for index in (index for node in layer for index in node):
        if network.get(index) != 0 and network.error_with(index, 0.0) <= network.error() + network.tolerance:
            network.put(index, 0.0)
            changed = True
    return changed


def prune_boundaries(network, i: int, j: int) -> bool:
    first, n = network.layout.weight_offsets[j], int(network.layout.n_regular[j])
    columns = network.weights.or_weights, network.ends.lower, network.ends.upper
    used = np.flatnonzero(columns[0][first : first + n, i])
    intervals = sorted((int(columns[1][first + m, i]), int(columns[2][first + m, i])) for m in used)
    changed, place = False, 0
    while place < 2 * len(intervals):
        fewer = without_boundary(intervals, place, n)
        place += 1
        if fewer is None:
            continue
        before, error = [c[first : first + n, i].copy() for c in columns], network.error()
        columns[0][first : first + n, i] = 0
        for m, (low, high) in enumerate(fewer):
            columns[0][first + m, i], columns[1][first + m, i], columns[2][first + m, i] = 1, low, high
        if network.error() <= error + network.tolerance:
            intervals, changed, place = fewer, True, 0
        else:
            for column, old in zip(columns, before, strict=True):
                column[first : first + n, i] = old
    return changed


@some
@given(crisp_networks)
def test_closed_form_prunes_as_the_whole_network_does(network):
    found = prune(NetworkState(network.layout, network.weights, network.rows))
    expected = prune_whole(WholeNetwork(network.layout, network.weights, network.rows))
    for name in ("output_weights", "and_weights", "or_weights", "rule_bias"):
        np.testing.assert_array_equal(getattr(found.weights, name), getattr(expected.weights, name), err_msg=name)
    used = expected.weights.or_weights != 0
    for name in ("lower", "upper"):
        ours, theirs = getattr(found.ends, name), getattr(expected.ends, name)
        np.testing.assert_array_equal(ours[used], theirs[used], err_msg=name)
    assert error_of(found) == pytest.approx(expected.error(), abs=1e-8)


@some
@given(crisp_networks)
def test_pruning_never_makes_the_loss_larger_and_ends_where_it_changes_nothing(network):
    state = NetworkState(network.layout, network.weights, network.rows)
    before, steps = error_of(state), 100 * state.weights.or_weights.size + 1000
    once = prune(state)
    assert error_of(once) <= before + steps * once.tolerance
    weights = Weights(*(w.copy() for w in once.weights))
    again = prune(NetworkState(network.layout, weights, network.rows, once.ends))
    for a, b in zip(once.weights, again.weights, strict=True):
        np.testing.assert_array_equal(a, b)


def test_missing_weights_are_not_pruned():
    network = next(
        n
        for n in (crisp_network(seed, 4, 3) for seed in range(100))
        if (np.diff(n.layout.weight_offsets) > n.layout.n_regular).all()
    )
    found = prune(NetworkState(network.layout, network.weights, network.rows))
    missing = network.layout.weight_offsets[1:] - 1
    assert set(found.weights.or_weights[missing].ravel()) <= set(
        network.weights.or_weights[missing].astype(float).ravel()
    )


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (0, [(0, 2), (2, 4), (6, 7)]),  # open below
        (1, None),  # shared with the next: it is that one's lower end
        (2, [(1, 4), (6, 7)]),  # joined
        (3, [(1, 2), (2, 9)]),  # open above, over the one beyond
        (4, [(0, 7)]),  # open below, over those beyond
        (5, [(1, 2), (2, 4), (6, 9)]),
    ],
)
def test_a_boundary_goes_by_joining_or_opening(place, expected):
    assert without_boundary([(1, 2), (2, 4), (6, 7)], place, 9) == expected


def test_intervals_of_a_rule_are_read_as_they_were_written():
    network = next(
        n
        for n in (crisp_network(seed, 3, 2) for seed in range(100))
        if (n.layout.n_regular[n.layout.kinds == ORDERED] > 3).any()
    )
    state = NetworkState(network.layout, network.weights, network.rows)
    j = int(np.flatnonzero((network.layout.kinds == ORDERED) & (network.layout.n_regular > 3))[0])
    put_intervals(state, 1, j, [(0, 1), (2, 5)])
    assert rule_intervals(state, 1, j) == [(0, 1), (2, 5)]


def test_a_rule_that_asks_nothing_becomes_part_of_the_bias():
    rng = np.random.default_rng(1)
    _, task = random_task(rng)
    weights = crisp_weights(task, rng, n_rules=2)
    weights.and_weights[:, 0] = 0
    weights.output_weights[:, 0] = [1, 0, 1]
    state = NetworkState(task.inputs.layout, weights, task.rows)
    before = state.outputs()
    folded = fold_certain(state)
    assert folded.n_rules == 1
    np.testing.assert_allclose(folded.outputs(), before, atol=1e-12)


def test_a_rule_that_always_holds_may_go_before_it_is_folded():
    """Folded before the first pass, a wrong certainty would stay in the bias, where pruning cannot reach it."""
    _, task = random_task(np.random.default_rng(1))
    weights = crisp_weights(task, np.random.default_rng(1), n_rules=1)
    weights.and_weights[:], weights.output_weights[:], weights.rule_bias[:], weights.output_bias[:] = 0, 1, 0.99, 0.1
    early = prune(fold_certain(NetworkState(task.inputs.layout, weights, task.rows)))
    found = prune(NetworkState(task.inputs.layout, weights, task.rows))
    assert found.n_rules == early.n_rules == 0
    assert error_of(found) < error_of(early) / 2
    assert found.weights.output_bias.tolist() == pytest.approx([0.1, 0.1, 0.1])
