import numpy as np
import pytest
from hypothesis import given, settings

from nln.learning.paper.coverage_analysis import cover, inclusion, unadjusted
from nln.learning.paper.network_state import NetworkState
from nln.network.layout import Layout, TrainingRows, Weights
from tests.learning.paper.crisp_networks import crisp_networks

some = settings(max_examples=40, deadline=None)
NONE = np.empty(0)


def binary_state(rules, outputs, X, Y) -> NetworkState:
    """A network over binary features: AND weights, (rules, features), and output weights, (outputs, rules)."""
    n = len(X[0])
    zeros = np.zeros(n + 1, np.int64)
    layout = Layout(np.zeros(n, np.int64), 2 * np.arange(n + 1), zeros, zeros[:n], zeros[:n], zeros, np.zeros(2 * n))
    w = Weights(
        np.array(rules, float).T, np.empty((0, len(rules))), np.full(len(rules), 0.5), np.array(outputs, float),
        np.full(len(outputs), 0.25), NONE, NONE,
    )  # fmt: skip
    rows = TrainingRows(np.array(X, np.uint8), np.array(Y, np.float32), np.ones(len(X), np.float32))
    return NetworkState(layout, w, rows)


@some
@given(crisp_networks)
def test_biases_are_the_shares_of_the_formulas(network):
    state = NetworkState(network.layout, network.weights, network.rows)
    found = cover(state)
    y, w = network.rows.targets.astype(float), network.rows.weights.astype(float)
    for i, k, a in zip(found.rule, found.output, found.bias, strict=True):
        r = state.activations[i]
        assert a == pytest.approx((w * r * y[:, k]).sum() / (w * r).sum(), abs=1e-12)
    for k, o in enumerate(found.output_bias):
        own = found.output == k
        without = 1 - np.prod(1 - found.bias[own, None] * state.activations[found.rule[own]], axis=0)
        rest = (w * (1 - without)).sum()
        expected = (w * (1 - without) * y[:, k]).sum() / rest if rest > 0 else 0.0
        assert o == pytest.approx(expected, abs=1e-9)


@some
@given(crisp_networks)
def test_every_rule_left_out_is_included_in_one_that_stays_or_says_nothing(network):
    state = NetworkState(network.layout, network.weights, network.rows)
    everything, found = unadjusted(state), cover(state)
    kept = set(zip(found.rule.tolist(), found.output.tolist(), strict=True))
    bias = dict(zip(kept, [0.0] * len(kept), strict=True))
    bias.update(zip(zip(found.rule.tolist(), found.output.tolist(), strict=True), found.bias.tolist(), strict=True))
    y, w = network.rows.targets.astype(float), network.rows.weights.astype(float)
    for i, k in zip(everything.rule.tolist(), everything.output.tolist(), strict=True):
        r = state.activations[i]
        if (i, k) in kept or not (w * r).sum():
            continue
        own = (w * r * y[:, k]).sum() / (w * r).sum()
        assert own == 0 or any(
            inclusion(state, i, j) > 1 - 1e-6 and bias[j, k] >= own - 1e-9 for j, q in kept if q == k
        )


def test_a_rule_included_in_a_surer_one_goes():
    X = [[0, 0], [1, 0], [1, 1], [1, 1]]
    y = [[0], [1], [1], [0]]
    state = binary_state([[1, 0], [1, 1]], [[1, 1]], X, y)
    found = cover(state)
    assert inclusion(state, 1, 0) == 1
    assert inclusion(state, 0, 1) == pytest.approx(2 / 3)
    assert (found.rule.tolist(), found.bias.tolist()) == ([0], [pytest.approx(2 / 3)])


def test_a_rule_included_in_a_less_sure_one_stays():
    state = binary_state([[1, 0], [1, 1]], [[1, 1]], [[0, 0], [1, 0], [1, 1], [1, 1]], [[0], [0], [1], [1]])
    assert cover(state).rule.tolist() == [0, 1]


def test_of_two_equal_rules_the_first_stays():
    state = binary_state([[1, 1], [1, 1]], [[1, 1]], [[0, 0], [1, 0], [1, 1], [1, 1]], [[0], [0], [1], [1]])
    assert cover(state).rule.tolist() == [0]


def test_a_rule_has_a_bias_of_its_own_for_each_output():
    X, Y = [[1], [1], [1], [0]], [[1, 1], [1, 0], [1, 0], [0, 1]]
    found = cover(binary_state([[1]], [[1], [1]], X, Y))
    assert found.output.tolist() == [0, 1]
    assert found.bias.tolist() == [1.0, pytest.approx(1 / 3)]
    assert found.output_bias.tolist() == [0.0, pytest.approx((2 / 3 + 1) / (2 + 1))]


def test_without_adjustment_biases_stay():
    found = cover(binary_state([[1]], [[1]], [[1], [1], [0]], [[1], [0], [0]]), adjust=False)
    assert (found.bias.tolist(), found.output_bias.tolist()) == ([0.5], [0.25])


def test_a_rule_that_covers_no_row_of_its_output_goes():
    X, Y = [[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [1], [0], [0]]
    found = cover(binary_state([[1, 0], [-1, 1]], [[1, 1]], X, Y))
    assert (found.rule.tolist(), found.bias.tolist()) == ([1], [1.0])
