from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nln.network.theory import (
    and_node,
    de_morgan,
    fuzzy_dichotomy,
    fuzzy_intervals,
    negative_part,
    network_outputs,
    or_node,
    positive_part,
)
from tests.network.networks import random_network

probabilities = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1))
signed = st.one_of(st.sampled_from([-1.0, 0.0, 1.0]), st.floats(-1, 1))
N_INPUTS, N_ROWS = 4, 3
inputs = hnp.arrays(float, (N_INPUTS, N_ROWS), elements=probabilities)
weights = hnp.arrays(float, N_INPUTS, elements=signed)
CRISP = list(product([0.0, 1.0], repeat=3))
ASKED = list(product([-1.0, 0.0, 1.0], repeat=3))


@given(inputs, weights, probabilities)
def test_negation_turns_an_and_node_into_an_or_node_and_back(c, w, bias):
    np.testing.assert_allclose(1 - and_node(c, w, bias), or_node(c, *de_morgan(w, bias)), atol=1e-15)
    np.testing.assert_allclose(1 - or_node(c, w, bias), and_node(c, *de_morgan(w, bias)), atol=1e-15)


@given(weights, probabilities)
def test_negating_twice_gives_the_node_back(w, bias):
    again_w, again_bias = de_morgan(*de_morgan(w, bias))
    np.testing.assert_array_equal(again_w, w)
    assert again_bias == pytest.approx(bias, abs=1e-15)


@given(inputs, weights, probabilities)
def test_nodes_give_probabilities(c, w, bias):
    for node in (and_node, or_node):
        out = node(c, w, bias)
        assert out.shape == (N_ROWS,)
        assert ((out >= 0) & (out <= 1)).all()


@pytest.mark.parametrize("asked", ASKED)
def test_a_crisp_and_node_is_logical_and(asked):
    for c in CRISP:
        met = [bool(x) == (w > 0) for x, w in zip(c, asked, strict=True) if w]
        assert and_node(c, asked) == float(all(met))


@pytest.mark.parametrize("asked", ASKED)
def test_a_crisp_or_node_is_logical_or(asked):
    for c in CRISP:
        met = [bool(x) == (w > 0) for x, w in zip(c, asked, strict=True) if w]
        assert or_node(c, asked) == float(any(met))


@given(inputs, probabilities)
def test_inputs_of_weight_zero_do_not_count(c, bias):
    np.testing.assert_array_equal(and_node(c, np.zeros(N_INPUTS), bias), bias)
    np.testing.assert_allclose(or_node(c, np.zeros(N_INPUTS), bias), bias, atol=1e-15)


@given(signed)
def test_the_two_parts_of_a_weight_are_exact(w):
    assert positive_part(w) == max(w, 0.0)
    assert negative_part(w) == max(-w, 0.0)


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.floats(0.1, 1e3))
def test_a_dichotomy_rises_from_0_to_1_through_one_half_at_its_boundary(x, boundary, sharpness):
    assert fuzzy_dichotomy(boundary, boundary, sharpness) == 0.5
    value = fuzzy_dichotomy(x, boundary, sharpness)
    assert 0 <= value <= 1
    assert value >= 0.5 if x >= boundary else value <= 0.5
    assert value == pytest.approx(1 - fuzzy_dichotomy(2 * boundary - x, boundary, sharpness), abs=1e-9)


@given(st.lists(st.integers(-50, 50), max_size=6), st.integers(-60, 60))
def test_crisp_intervals_hold_every_number_exactly_once(cuts, x):
    value = fuzzy_intervals(x + 0.5, sorted(cuts), [1e3] * len(cuts))
    expected = np.zeros(len(cuts) + 1)
    expected[np.searchsorted(sorted(cuts), x + 0.5)] = 1.0
    np.testing.assert_allclose(value, expected, atol=1e-9)


def test_the_outputs_of_a_network_are_probabilities():
    rng = np.random.default_rng(3)
    for _ in range(20):
        network = random_network(rng)
        out = network_outputs(network.layout, network.exact(), network.rows.codes)
        assert out.shape == network.rows.targets.T.shape
        assert ((out >= 0) & (out <= 1)).all()
