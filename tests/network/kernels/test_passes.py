import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.network.kernels import passes as kernels
from nln.network.kernels import steps
from nln.network.kernels.modules import BINARY
from nln.network.layout import Weights
from nln.network.theory import network_loss, network_outputs, or_layer, penalty
from tests.network.networks import RandomNetwork, random_network

RELATIVE = 1e-4
SCALE = 1e-2
"""Gradients smaller than this are compared as if they were of this size: the kernels compute in single precision."""

seeds, few = st.integers(0, 2**32 - 1), st.integers(1, 6)
networks = st.builds(
    lambda seed, j, r, learned: random_network(np.random.default_rng(seed), j, r, learned=learned),
    seeds,
    few,
    few,
    st.booleans(),
)
some = settings(max_examples=40, deadline=None)


def assert_same_gradient(found, expected):
    tolerance = RELATIVE * np.maximum(np.abs(expected), SCALE)
    assert (np.abs(found - expected) <= tolerance).all(), np.abs(found - expected).max()


def kernel_gradients(network: RandomNetwork) -> tuple[float, Weights]:
    gradient = network.weights.zeros()
    for g in gradient:
        g[...] = np.nan  # gradients are written, not added
    loss = kernels.loss_and_gradients(
        network.layout, network.rows, network.all_rows, network.weights, network.work, gradient
    )
    return loss, gradient


def oracle_loss(network: RandomNetwork, weights: Weights, xp=np):
    rows = network.rows
    targets, row_weights = rows.targets.astype(np.float64), rows.weights.astype(np.float64)
    return network_loss(network.layout, weights, rows.codes, targets, row_weights, xp)


def oracle_gradients(network: RandomNetwork) -> Weights:
    return Weights(*autograd.grad(lambda w: oracle_loss(network, Weights(*w), anp))(tuple(network.exact())))


def difference(f, weights: Weights, name: str, index: tuple[int, ...], step: float) -> float:
    """One-sided difference quotient of one weight, signed as the derivative."""
    moved = weights.copy()
    getattr(moved, name)[index] += step
    return (f(moved) - f(weights)) / step


@some
@given(networks)
def test_gradients_equal_those_of_the_nodes(network):
    loss, found = kernel_gradients(network)
    assert loss == pytest.approx(oracle_loss(network, network.exact()), rel=1e-5)
    expected = oracle_gradients(network)
    smooth = network.weights.and_weights != 0
    assert_same_gradient(found.and_weights[smooth], expected.and_weights[smooth])
    smooth = network.weights.interval_weights != 0
    assert_same_gradient(found.interval_weights[smooth], expected.interval_weights[smooth])
    for name in ("or_weights", "rule_bias", "output_weights", "output_bias", "boundaries", "sharpness"):
        assert_same_gradient(getattr(found, name), getattr(expected, name))


@settings(max_examples=10, deadline=None)
@given(networks)
def test_the_oracle_itself_agrees_with_finite_differences(network):
    """To the right of a weight of 0, on both sides of any other."""
    weights, expected = network.exact(), oracle_gradients(network)
    for name, gradient in expected._asdict().items():
        for index in np.ndindex(gradient.shape):
            at_zero = getattr(weights, name)[index] == 0
            steps = (1e-7,) if at_zero else (1e-6, -1e-6)
            found = np.mean([difference(lambda w: oracle_loss(network, w), weights, name, index, h) for h in steps])
            assert found == pytest.approx(gradient[index], abs=2e-6 if at_zero else 1e-7)


@some
@given(networks)
def test_at_an_and_weight_of_zero_the_steeper_descent_counts(network):
    _, found = kernel_gradients(network)
    weights = network.exact()
    for name in ("and_weights", "interval_weights"):
        gradient = getattr(found, name)
        for index in list(zip(*np.nonzero(getattr(weights, name) == 0), strict=True))[:20]:
            right, left = (
                difference(lambda w: oracle_loss(network, w), weights, name, index, h) for h in (1e-6, -1e-6)
            )
            down_right, down_left = max(-right, 0.0), max(left, 0.0)
            expected = -down_right if down_right >= down_left else down_left
            if abs(down_right - down_left) > 1e-5:
                assert gradient[index] == pytest.approx(expected, abs=5e-6)
            else:  # both sides descend alike: either is right
                assert abs(gradient[index]) == pytest.approx(abs(expected), abs=2e-5)


def test_gradients_are_exact_where_several_rules_are_certain():
    """Factors 1 - W a r of exactly 0: one leaves the gradient to the rule itself, two leave none to anybody."""
    for certain in range(4):
        network = random_network(np.random.default_rng(certain), n_features=3, n_rules=5)
        network.weights.and_weights[:, :certain] = 0
        network.weights.rule_bias[:certain] = network.weights.output_weights[:, :certain] = 1
        network.weights.output_bias[:] = 0.25
        _, found = kernel_gradients(network)
        expected = oracle_gradients(network)
        for name in ("or_weights", "rule_bias", "output_weights", "output_bias"):
            assert_same_gradient(getattr(found, name), getattr(expected, name))
        assert found.rule_bias[:certain].any() == (certain == 1)


def test_the_gradient_of_a_weight_of_zero_is_alive():
    """One binary feature that decides the target: from 0 the AND weight must be able to go to its side."""
    for sign in (1, -1):
        network = decided_by_a_binary_feature(sign)
        _, gradient = kernel_gradients(network)
        assert np.sign(-gradient.and_weights[0, 0]) == sign


def decided_by_a_binary_feature(sign: int) -> RandomNetwork:
    rng = np.random.default_rng(0)
    while True:
        network = random_network(rng, n_features=1, n_rules=1)
        if network.layout.kinds[0] == BINARY and network.rows.targets.shape[1] == 1:
            break
    network.weights.and_weights[:] = 0
    network.weights.rule_bias[:] = network.weights.output_weights[:] = 1
    network.weights.output_bias[:] = 0
    network.rows.targets[:, 0] = network.rows.codes[:, 0] == (sign > 0)
    return network


@some
@given(networks)
def test_forward_passes_equal_the_nodes(network):
    layout, weights, rows, work = network.layout, network.weights, network.rows, network.work
    kernels.all_memberships(layout, weights, work)
    loss = kernels.forward_loss(rows, network.all_rows, layout.slot_offsets, work.tables, weights)
    assert loss == pytest.approx(oracle_loss(network, network.exact()), rel=1e-5)
    found = kernels.forward_outputs(rows.codes, layout.slot_offsets, work.tables, weights)
    expected = network_outputs(layout, network.exact(), rows.codes)
    np.testing.assert_allclose(found.T, expected, atol=1e-5)


@some
@given(networks, st.integers(0, 2**32 - 1))
def test_loss_and_gradients_see_only_the_rows_given(network, seed):
    chosen = np.random.default_rng(seed).permutation(network.all_rows)[:7]
    gradient, alone = network.weights.zeros(), network.weights.zeros()
    few = type(network.rows)(*(np.ascontiguousarray(part[chosen]) for part in network.rows))
    arguments = network.weights, network.work
    loss = kernels.loss_and_gradients(network.layout, network.rows, chosen, *arguments, gradient)
    assert loss == kernels.loss_and_gradients(network.layout, few, np.arange(7), *arguments, alone)
    for a, b in zip(gradient, alone, strict=True):
        np.testing.assert_array_equal(a, b)


@some
@given(networks)
def test_intervals_outside_a_band_hardly_matter(network):
    kernels.all_memberships(network.layout, network.weights, network.work)
    full = network.work.memberships.copy()
    kernels.all_bands(network.layout, network.weights, network.work, np.float32(1e-5))
    kernels.all_memberships(network.layout, network.weights, network.work)
    assert np.abs(network.work.memberships - full).max() <= 1e-5 * (network.layout.n_regular.max() + 1)


@some
@given(networks, st.floats(0, 1), st.floats(0, 1))
def test_penalties_have_the_gradients_of_their_formula(network, non_empty, l1):
    layout, exact = network.layout, network.exact()
    found = penalty_gradients(network, non_empty, l1, by_module=False)
    if layout.n_regular.any():
        check_penalty(lambda w: penalty(or_layer(layout, w), non_empty, l1), exact.or_weights, found.or_weights)
    check_penalty(lambda w: penalty([w.T], non_empty, l1), exact.output_weights, found.output_weights)
    check_penalty(lambda w: penalty([w], non_empty, l1), exact.and_weights, found.and_weights)


@some
@given(networks, st.floats(0, 1), st.floats(0, 1))
def test_penalties_by_module_are_those_of_each_feature_and_of_the_empty_nodes_alone(network, non_empty, l1):
    layout, exact = network.layout, network.exact()
    found = penalty_gradients(network, non_empty, l1, by_module=True)
    kinds = layout.kinds == BINARY

    def of_layer(w, before, *groups):
        """L1 averaged over each group, the non-empty penalty over the nodes that fall short (before the move)."""
        short = np.abs(before).sum(axis=0) < 1
        empty = non_empty * ((1 - np.abs(w).sum(axis=0)[short]) ** 2).mean() if short.any() else 0.0
        return empty + sum(l1 * np.abs(w[group]).mean() for group in groups if len(w[group]))

    def of_modules(w):
        parts = zip(or_layer(layout, w), or_layer(layout, exact.or_weights), strict=True)
        return sum(of_layer(part, before, slice(None)) for part, before in parts)

    outputs = exact.output_weights
    check_penalty(of_modules, exact.or_weights, found.or_weights)
    check_penalty(lambda w: of_layer(w.T, outputs.T, slice(None)), outputs, found.output_weights)
    check_penalty(lambda w: of_layer(w, exact.and_weights, kinds, ~kinds), exact.and_weights, found.and_weights)


def penalty_gradients(network: RandomNetwork, non_empty: float, l1: float, by_module: bool) -> Weights:
    """Gradients of the penalties alone; nan at AND weights of 0, which have two sides."""
    layout, weights, found = network.layout, network.weights, network.weights.zeros()
    how = non_empty, l1, by_module
    steps.or_penalties(weights.or_weights, layout.weight_offsets, layout.n_regular, *how, found.or_weights)
    steps.output_penalties(weights.output_weights, *how, found.output_weights)
    steps.and_penalties(weights.and_weights, layout.kinds, *how, found.and_weights)
    found.and_weights[weights.and_weights == 0] = np.nan
    return found


def check_penalty(formula, weights, found, step=1e-7):
    """Differences to the right, the only side that a weight of 0 in [0, 1] has; entries of nan are left out."""
    for index in np.ndindex(weights.shape):
        moved = weights.copy()
        moved[index] += step
        if not np.isnan(found[index]):
            assert found[index] == pytest.approx((formula(moved) - formula(weights)) / step, abs=2e-6)


def test_missing_weights_have_no_penalty():
    network = random_network(np.random.default_rng(1), n_features=12)
    gradient = network.weights.zeros()
    layout = network.layout
    steps.or_penalties(
        network.weights.or_weights, layout.weight_offsets, layout.n_regular, 0.3, 0.2, False, gradient.or_weights
    )
    missing = np.diff(layout.weight_offsets) > layout.n_regular
    assert missing.any()
    assert not gradient.or_weights[layout.weight_offsets[1:][missing] - 1].any()


@pytest.mark.parametrize("pull", [-2.0, -0.5, 0.0, 0.5, 2.0])
def test_at_an_and_weight_of_zero_the_l1_penalty_only_weakens_the_pull(pull):
    weights = np.zeros((3, 1), np.float32)
    weights[1:] = 1.0
    gradient = np.full((3, 1), pull, np.float32)
    steps.and_penalties(weights, np.full(3, BINARY), 0.0, 3.0, False, gradient)
    assert gradient[0, 0] == pytest.approx(np.sign(pull) * max(abs(pull) - 1.0, 0.0))


@some
@given(st.integers(0, 2**32 - 1), st.floats(1e-4, 0.5))
def test_adam_takes_its_textbook_steps_and_clamps(seed, rate):
    rng = np.random.default_rng(seed)
    weights = rng.uniform(-1, 1, 20).astype(np.float32)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    plain, m, v = weights.astype(np.float64), np.zeros(20), np.zeros(20)
    for step in range(1, 6):
        g = (rng.normal(size=20) * 10.0 ** rng.integers(-4, 2, 20)).astype(np.float32)
        steps.adam(weights, g, first, second, np.float32(rate), step, np.float32(-1), np.float32(1), np.float32(1e-8))
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g.astype(np.float64) ** 2
        move = rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
        plain = np.clip(plain - move, -1, 1)
        np.testing.assert_allclose(weights, plain, atol=1e-4)


def test_every_weight_stays_in_its_domain():
    network = random_network(np.random.default_rng(5))
    gradient, first, second = (network.weights.zeros() for _ in range(3))
    for epoch in range(5):
        kernels.run_epoch(
            network.layout, network.rows, network.all_rows, 8, network.weights, gradient, (first, second), network.work,
            4 * epoch, steps.Steps(np.float32(1.0), 0.1, 1e-3, np.float32(-1)),
        )  # fmt: skip
    w = network.weights
    assert np.abs(w.and_weights).max() <= 1
    for part in (w.or_weights, w.rule_bias, w.output_weights, w.output_bias):
        assert part.min() >= 0
        assert part.max() <= 1
    assert w.sharpness.min(initial=1.0) >= np.float32(0.1)
    assert all(np.isfinite(part).all() for part in w)


def test_an_epoch_is_its_batches():
    """Mean loss and step count of an epoch, and the last batch may be short."""
    network = random_network(np.random.default_rng(6), n_rows=10)
    gradient, first, second = (network.weights.zeros() for _ in range(3))
    arguments = network.layout, network.rows, network.all_rows, 4, network.weights, gradient, (first, second)
    loss, step = kernels.run_epoch(*arguments, network.work, 7, steps.Steps(np.float32(0), 0.0, 0.0, np.float32(-1)))
    assert step == 10
    assert loss == pytest.approx(oracle_loss(network, network.exact()), rel=1e-3)


@pytest.mark.parametrize("part", ["nodes", "missing", "biases", "dichotomies"])
def test_a_step_moves_only_what_may_move(part):
    network = random_network(np.random.default_rng(3), n_features=12, n_rules=4)
    layout, before = network.layout, network.weights.copy()
    gradient, first, second = (network.weights.zeros() for _ in range(3))
    flags = {name: name == part for name in ("nodes", "missing", "biases", "dichotomies")}
    how = steps.Steps(np.float32(0.01), 0.1, 1e-3, np.float32(-1), **flags)
    data = layout, network.rows, network.all_rows, 8, network.weights, gradient, (first, second), network.work
    kernels.run_epoch(*data, 0, how)
    missing = np.zeros(len(before.or_weights), bool)
    has_missing = np.diff(layout.weight_offsets) > layout.n_regular
    missing[layout.weight_offsets[1:][has_missing] - 1] = True
    moved = {name: (w != old) for (name, w), old in zip(network.weights._asdict().items(), before, strict=True)}
    allowed = {
        "and_weights": part == "nodes",
        "output_weights": part == "nodes",
        "rule_bias": part == "biases",
        "output_bias": part == "biases",
        "boundaries": part == "dichotomies",
        "sharpness": part == "dichotomies",
    }
    assert {name: bool(moved[name].any()) for name in allowed} == allowed
    assert moved["or_weights"][missing].any() == (part in ("nodes", "missing"))
    assert moved["or_weights"][~missing].any() == (part == "nodes")
