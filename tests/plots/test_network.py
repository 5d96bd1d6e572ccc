from __future__ import annotations

from xml.etree import ElementTree

import pytest
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch

from nln.plots import network_svg, plot_network
from nln.plots.graph import program_graph
from tests.plots.programs import CASES, UGLY, binary, multiclass, multilabel, new_ax, patches, ugly

SVG = "{http://www.w3.org/2000/svg}"


def node_texts(ax):
    return [text.get_text() for text in ax.texts if text.get_gid()]


@pytest.mark.parametrize("kind", CASES)
def test_every_node_is_a_box_with_a_text_and_every_edge_a_line(kind):
    program = CASES[kind]().program
    graph, ax = program_graph(program), plot_network(program)
    assert len(patches(ax, FancyBboxPatch)) == len(node_texts(ax)) == len(graph.nodes)
    assert len(patches(ax, PathPatch)) == len(graph.edges)
    assert len(patches(ax, Circle)) == sum(edge.negated for edge in graph.edges)


def test_boxes_show_conditions_rules_with_probabilities_and_targets_with_biases():
    texts = node_texts(plot_network(binary().program))
    assert {"x", "colour", "size"} <= set(texts)
    assert {"< 3 ± 0.5 or missing (0.25)", "2 <= x < 5", "!= green", "in {blue, red}", ">= m", "on = true"} <= set(
        texts
    )
    assert {"rule 1 · 0.9", "rule 2 · 0.8", "rule 3 · 0.7", "class = yes · 0.1"} <= set(texts)


def test_a_negation_is_dashed_and_ends_in_a_circle():
    ax = plot_network(binary().program)
    dashed = [patch for patch in patches(ax, PathPatch) if patch.get_linestyle() not in ("solid", "-")]
    assert len(dashed) == len(patches(ax, Circle)) == 2  # colour != green, on = false


def test_rules_that_ask_the_same_share_the_condition():
    graph = program_graph(multilabel().program)
    features, starts, rules, targets = graph.layers
    assert features == ()  # binary features enter the rules themselves
    assert sorted(node.text for node in starts) == ["p = 1", "q = 1", "r = 1"]
    assert (len(rules), len(targets)) == (4, 3)


def test_no_edge_skips_a_layer():
    graph = program_graph(binary().program)
    layer = {node: i for i, nodes in enumerate(graph.layers) for node in nodes}
    assert all(layer[edge.end] == layer[edge.start] + 1 for edge in graph.edges)


def test_smaller_axes_have_smaller_text():
    large, small = (plot_network(multiclass().program, ax=new_ax(size, size)) for size in (8, 4))
    assert large.texts[0].get_fontsize() == pytest.approx(2 * small.texts[0].get_fontsize())


@pytest.mark.parametrize("kind", CASES)
def test_boxes_do_not_overlap(kind):
    boxes = [patch.get_bbox() for patch in patches(plot_network(CASES[kind]().program), FancyBboxPatch)]
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert a.x0 >= b.x1 or b.x0 >= a.x1 or a.y0 >= b.y1 or b.y0 >= a.y1


def test_svg_has_text_as_text_and_the_full_names_as_titles():
    root = ElementTree.fromstring(network_svg(ugly().program))
    titles = {element.text for element in root.iter(f"{SVG}title")}
    assert {name.replace("\n", "\\n") or None for name in UGLY} <= titles
    shown = {element.text for element in root.iter(f"{SVG}text")}
    assert {"$x_1$", "_hidden", "tulip 🌷", "<script>alert(1)</script>"} <= shown
    assert not list(root.iter(f"{SVG}script"))
    assert max(len(text or "") for text in shown) < 60


def test_svg_is_the_same_every_time():
    assert network_svg(binary().program) == network_svg(binary().program)
