from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from nln.plots.layered_layout import crossings, ordered_layers, placed


@st.composite
def layered_graphs(draw):
    sizes = draw(st.lists(st.integers(0, 5), min_size=2, max_size=4))
    layers = [[(i, j) for j in range(size)] for i, size in enumerate(sizes)]
    possible = [(a, b) for left, right in pairwise(layers) for a in left for b in right]
    edges = draw(st.lists(st.sampled_from(possible), unique=True, max_size=15)) if possible else []
    return layers, edges


@given(layered_graphs())
def test_ordering_keeps_the_nodes_and_never_adds_crossings(graph):
    layers, edges = graph
    found = ordered_layers(layers, edges)
    assert [sorted(layer) for layer in found] == [sorted(layer) for layer in layers]
    assert crossings(found, edges) <= crossings(layers, edges)


@given(layered_graphs())
def test_nodes_of_a_layer_keep_their_order_and_their_distance(graph):
    layers, edges = graph
    heights = placed(layers, edges, 0.5)
    assert set(heights) == {node for layer in layers for node in layer}
    for layer in layers:
        for above, below in pairwise(layer):
            assert heights[below] - heights[above] >= 0.5 - 1e-9


@given(layered_graphs())
def test_crossings_are_counted_as_by_comparing_every_pair_of_edges(graph):
    layers, edges = graph
    place = {node: (i, j) for i, layer in enumerate(layers) for j, node in enumerate(layer)}
    counted = 0
    for k, (a, b) in enumerate(edges):
        for c, d in edges[k + 1 :]:
            if place[a][0] == place[c][0]:
                counted += (place[a][1] - place[c][1]) * (place[b][1] - place[d][1]) < 0
    assert crossings(layers, edges) == counted


def test_a_tree_is_drawn_without_crossings():
    layers = [["a", "b", "c"], ["a1", "b1", "c1", "a2", "b2"]]
    edges = [("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2"), ("c", "c1")]
    assert crossings(ordered_layers(layers, edges), edges) == 0


def test_a_node_is_placed_in_the_middle_of_its_neighbours():
    assert placed([["a"], ["b", "c"]], [("a", "b"), ("a", "c")], 1.0) == {"b": -0.5, "c": 0.5, "a": 0.0}


def test_a_crossing_is_removed_by_reordering_the_second_layer():
    layers, edges = [["a", "b"], ["c", "d"]], [("a", "d"), ("b", "c")]
    assert crossings(layers, edges) == 1
    assert ordered_layers(layers, edges) == [["a", "b"], ["d", "c"]]
