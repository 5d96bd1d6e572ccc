from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nln.network.theory import and_node, de_morgan, negative_part, or_node, positive_part

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
