import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.paper.coverage_analysis import unadjusted
from nln.learning.paper.method import PaperTask
from nln.learning.paper.network_state import NetworkState
from nln.learning.paper.pruning import rule_intervals
from nln.learning.paper.rule_form import between, network_program, round_numbers, to_rule_form
from nln.network.kernels.modules import BINARY
from nln.network.layout import Weights
from nln.network.theory import network_outputs
from nln.rules import probabilities
from tests.learning.paper.crisp_networks import crisp_weights, random_task

seeds = st.integers(0, 2**32 - 1)


def retrained_program(task: PaperTask, weights: Weights):
    """A discretized network as a program: neither pruned nor adjusted nor rounded."""
    state = to_rule_form(NetworkState(task.inputs.layout, weights, task.rows))
    return network_program(state, unadjusted(state), task.inputs, task.encoding, task.schema, negation=True)


def program_on_rows(task: PaperTask, columns, program):
    return probabilities(program, columns, rows=len(columns["b"]))


def network_on_rows(task: PaperTask, columns, weights: Weights):
    codes = task.encoding.codes(columns, len(columns["b"]))
    exact = Weights(*(w.astype(np.float64) for w in weights))
    return network_outputs(task.inputs.layout, exact, codes).T


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_the_program_computes_what_the_retrained_network_does(seed):
    """Every value has a bin of its own here, so rows stand where the network saw them, up to single precision."""
    rng = np.random.default_rng(seed)
    columns, task = random_task(rng)
    weights = crisp_weights(task, rng)
    program = retrained_program(task, weights)
    expected = network_on_rows(task, columns, weights)
    np.testing.assert_allclose(program_on_rows(task, columns, program), expected, atol=5e-5)
    np.testing.assert_allclose(program_on_rows(task, columns, program.simplify()), expected, atol=5e-5)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_not_in_several_intervals_differs_only_within_the_width_of_boundaries(seed):
    rng = np.random.default_rng(seed)
    columns, task = random_task(rng)
    weights = crisp_weights(task, rng)
    layout, j = task.inputs.layout, 3
    weights.and_weights[j] = -1
    first = layout.weight_offsets[j]
    weights.or_weights[first : first + layout.n_regular[j]] = rng.integers(0, 2, (33, 4))
    place = layout.positions[layout.slot_offsets[j] :][: layout.n_bins[j]]
    bounds = slice(layout.dichotomy_offsets[j], layout.dichotomy_offsets[j + 1])
    weights.sharpness[bounds] = 400.0
    far = (np.abs(place[:, None] - weights.boundaries[bounds]) > 0.05).all(axis=1)
    code = task.encoding.codes(columns, len(columns["b"]))[:, j]
    found = program_on_rows(task, columns, retrained_program(task, weights))
    np.testing.assert_allclose(found[far[code]], network_on_rows(task, columns, weights)[far[code]], atol=1e-6)


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_rounding_for_readers_hardly_changes_probabilities(seed):
    rng = np.random.default_rng(seed)
    columns, task = random_task(rng)
    program = retrained_program(task, crisp_weights(task, rng))
    rounded = round_numbers(program)
    found, exact = (program_on_rows(task, columns, p) for p in (rounded, program))
    assert np.abs(found - exact).max() < 0.06
    digits = [len(repr(rule.weight)) for rule in rounded.rules]
    assert max(digits, default=0) <= 5


def test_intervals_whose_boundaries_have_crossed_go():
    rng = np.random.default_rng(0)
    _, task = random_task(rng)
    weights = crisp_weights(task, rng, n_rules=1)
    j, layout = 3, task.inputs.layout
    weights.and_weights[:] = 0
    weights.and_weights[j] = 1
    first, d = layout.weight_offsets[j], layout.dichotomy_offsets[j]
    weights.or_weights[first : first + 33] = 0
    weights.or_weights[[first + 4, first + 9]] = 1
    weights.boundaries[[d + 3, d + 4]] = weights.boundaries[[d + 4, d + 3]]
    state = to_rule_form(NetworkState(layout, weights, task.rows))
    assert rule_intervals(state, 0, j) == [(9, 10)]


def test_what_lies_between_intervals():
    assert between([], 5) == [(0, 5)]
    assert between([(0, 5)], 5) == []
    assert between([(0, 2), (3, 4)], 5) == [(2, 3), (4, 5)]


def test_the_network_over_the_range_has_the_papers_boundaries():
    rng = np.random.default_rng(2)
    columns, task = random_task(rng)
    layout = task.inputs.layout
    assert layout.n_regular.tolist() == [0, 4, 2, 33, 33, 4]
    assert (layout.kinds == BINARY).tolist() == [True, False, False, False, False, False]
    origin, step = task.inputs.scales[3]
    assert origin == columns["n"].min()
    assert step == pytest.approx((columns["n"].max() - columns["n"].min()) / 33)
    assert task.inputs.boundaries[:32].tolist() == list(range(1, 33))
    assert set(task.inputs.sharpness.tolist()) == {12.0}
    place = layout.positions[layout.slot_offsets[3] :][: layout.n_bins[3]]
    np.testing.assert_allclose(origin + step * place, np.unique(columns["n"]), atol=1e-5)
