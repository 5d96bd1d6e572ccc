"""Random networks of AND and OR layers, with crisp and zero weights among the others."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nln.network.theory import Layer, LogicNetwork

probabilities = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1))
signed = st.one_of(st.sampled_from([-1.0, 0.0, 1.0]), st.floats(-1, 1))
N_ROWS = 3


@st.composite
def layers(draw, n_nodes, n_inputs):
    weights = draw(hnp.arrays(float, (n_nodes, n_inputs), elements=signed))
    return Layer(
        draw(st.sampled_from(["and", "or"])), weights, draw(hnp.arrays(float, n_nodes, elements=probabilities))
    )


@st.composite
def networks(draw, max_depth=4, max_width=4):
    widths = draw(st.lists(st.integers(1, max_width), min_size=2, max_size=max_depth + 1))
    return LogicNetwork([draw(layers(n, m)) for m, n in pairwise(widths)])


@st.composite
def networks_with_inputs(draw, **limits):
    network = draw(networks(**limits))
    shape = (network.layers[0].n_inputs, N_ROWS)
    return network, draw(hnp.arrays(float, shape, elements=probabilities))
