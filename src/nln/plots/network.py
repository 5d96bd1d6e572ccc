"""The program as a network, drawn with matplotlib or as SVG: features, conditions, AND nodes of rules, OR nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from xml.etree import ElementTree

from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch
from matplotlib.path import Path

from nln.plots.data import program_of
from nln.plots.graph import Graph, GraphEdge, GraphNode, program_graph
from nln.plots.layered_layout import placed
from nln.plots.style import (
    GREY,
    INK,
    LIGHT,
    NEGATION,
    PAPER,
    escaped,
    figure_bytes,
    label_colours,
    new_bare_grid,
    put_text,
    readable_on,
    shown,
    size_of,
)

# All lengths are inches of a figure drawn at its natural size; smaller axes shrink everything, including the text.
_BOX, _GAP, _SPACE, _MARGIN, _HEAD = 0.32, 0.14, 0.95, 0.02, 0.42
_LETTER = 0.073
"""Mean width of a letter of `_TEXT` points."""
_TEXT = 8.5
_MOST = {"feature": 28, "condition": 40, "rule": 12, "target": 32}
"""The number of letters shown at most, by kind of node."""
_HEADS = ("features", "values and intervals", "rules (AND) · weight", "targets (OR) · bias")
_CIRCLE = 0.045


class _Box(NamedTuple):
    x: float
    y: float
    width: float


def plot_network(program: Any, *, ax: Axes | None = None) -> Axes:
    """Draw a program as a network, from the features on the left to the target on the right.

    A box of the second column is a value set or an interval, shared by all rules that ask for it; a binary feature
    enters the rules directly. The box of a rule holds its number and its weight, the box of a target its
    probability where no rule fires. A negation is a red dashed line that ends in a small circle.

    Parameters
    ----------
    program : LogicProgram or fitted model
        The rules; up to about 15 are easy to read.
    ax : Axes, default=None
        Axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.9)", schema=schema)
    >>> ax = plot_network(program)
    >>> [text.get_text() for text in ax.texts if text.get_gid()]
    ['x', '< 3', 'rule 1 · 0.9', 'class = yes · 0']
    """
    program = program_of(program)
    graph = program_graph(program)
    boxes, width, height = _layout(graph)
    if ax is None:
        ax = new_bare_grid([height], 1, width)[0]
    scale = min(length / natural for length, natural in zip(size_of(ax), (width, height), strict=True))
    ax.set(xlim=(0, width), ylim=(height, 0), aspect="equal")
    ax.set_axis_off()
    colours = label_colours(len(program.schema.target.outputs))
    ports = _ports(graph, boxes)
    for edge in graph.edges:
        colour = colours[edge.end.label] if edge.end.label >= 0 else GREY
        _draw_edge(ax, edge, *ports[edge], colour, scale)
    for i, node in enumerate(graph.nodes):
        _draw_node(ax, node, boxes[node], colours[node.label], scale).set_gid(f"node-{i}")
    for head, layer in zip(_HEADS, graph.layers, strict=True):
        if layer:
            middle = boxes[layer[0]].x + boxes[layer[0]].width / 2
            put_text(ax, middle, _HEAD / 2, head, ha="center", color=GREY, fontsize=_TEXT * scale)
    return ax


def network_svg(program: Any) -> str:
    """Draw a program as a network in SVG whose text stays text: it can be searched, copied and restyled.

    Every node has its full text as a title, which browsers show when the pointer rests on the node.

    Parameters
    ----------
    program : LogicProgram or fitted model
        The rules.

    Returns
    -------
    str
        An SVG document; the same program gives the same text.

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("<i>", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse('IF "<i>" < 3 THEN class = yes (weight 0.9)', schema=schema)
    >>> "&lt;i&gt;</title>" in network_svg(program)
    True
    """
    program = program_of(program)
    svg = figure_bytes(plot_network(program), "svg").decode()
    return _with_titles(svg, program_graph(program).nodes)


def _node_text(node: GraphNode) -> str:
    """Write the text of a node's box: its text, shortened, and its number."""
    text = shown(node.text, _MOST[node.kind])
    if node.kind == "rule":
        text = f"rule {text}"
    return f"{text} · {node.number}" if node.number else text


def _layout(graph: Graph) -> tuple[dict[GraphNode, _Box], float, float]:
    """Place the boxes of all nodes; return them with the width and height of the whole."""
    heights = placed(graph.layers, graph.pairs, _BOX + _GAP)
    top = min(heights.values()) - _BOX / 2 - _HEAD
    boxes: dict[GraphNode, _Box] = {}
    x = _MARGIN
    space = _SPACE * (1 + max(map(len, graph.layers)) / 40)  # steep lines need more room
    for head, layer in zip(_HEADS, graph.layers, strict=True):
        if layer:
            letters = max(len(_node_text(node)) for node in layer)
            width = max(letters * _LETTER + 0.2, len(head) * _LETTER - 0.6)
            boxes |= {node: _Box(x, heights[node] - top, width) for node in layer}
            x += width + space
    return boxes, x - space + _MARGIN, max(heights.values()) + _BOX / 2 + _MARGIN - top


def _ports(graph: Graph, boxes: dict[GraphNode, _Box]) -> dict[GraphEdge, tuple[float, float, float, float]]:
    """Find where each edge leaves its first box and meets its second; edges on one side of a box are spread over it."""

    def spread(edges: list[GraphEdge], node: GraphNode, key: Any) -> dict[GraphEdge, float]:
        step = min(0.8 * _BOX / max(len(edges), 1), 2.4 * _CIRCLE)
        first = boxes[node].y - step * (len(edges) - 1) / 2
        return {edge: first + step * i for i, edge in enumerate(sorted(edges, key=key))}

    leave: dict[GraphEdge, float] = {}
    meet: dict[GraphEdge, float] = {}
    for node in graph.nodes:
        leave |= spread([e for e in graph.edges if e.start == node], node, lambda e: boxes[e.end].y)
        meet |= spread([e for e in graph.edges if e.end == node], node, lambda e: boxes[e.start].y)
    return {
        edge: (boxes[edge.start].x + boxes[edge.start].width, leave[edge], boxes[edge.end].x, meet[edge])
        for edge in graph.edges
    }


def _draw_edge(
    ax: Axes, edge: GraphEdge, x: float, y: float, to_x: float, to_y: float, colour: str, scale: float
) -> None:
    end = to_x - (2 * _CIRCLE if edge.negated else 0.0)
    bend = (end - x) / 2
    path = Path([(x, y), (x + bend, y), (end - bend, to_y), (end, to_y)], [Path.MOVETO, *[Path.CURVE4] * 3])
    colour, style = (NEGATION, (0, (3, 1.5))) if edge.negated else (colour, "solid")
    options = {"edgecolor": colour, "linewidth": 1.1 * scale, "zorder": 1}
    ax.add_patch(PathPatch(path, facecolor="none", linestyle=style, alpha=0.85, **options))
    if edge.negated:
        ax.add_patch(Circle((end + _CIRCLE, to_y), _CIRCLE, facecolor="white", **(options | {"zorder": 3})))


def _draw_node(ax: Axes, node: GraphNode, box: _Box, colour: str, scale: float) -> Any:
    is_node = node.kind in ("rule", "target")
    face = {"feature": "white", "condition": PAPER, "rule": "white", "target": colour}[node.kind]
    rounding = _BOX / 2 if node.kind != "feature" else 0.03
    ax.add_patch(
        FancyBboxPatch(
            (box.x, box.y - _BOX / 2),
            box.width,
            _BOX,
            boxstyle=f"round,pad=0,rounding_size={rounding}",
            facecolor=face,
            edgecolor=colour if is_node else (GREY if node.kind == "feature" else LIGHT),
            linewidth=(1.4 if is_node else 0.9) * scale,
            zorder=2,
        )
    )
    ink = readable_on(colour) if node.kind == "target" else INK
    options: dict[str, Any] = {"ha": "center", "fontsize": _TEXT * scale, "color": ink, "zorder": 4}
    return put_text(ax, box.x + box.width / 2, box.y, _node_text(node), **options)


def _with_titles(svg: str, nodes: Sequence[GraphNode]) -> str:
    """Add titles to the texts of nodes, and restore characters that only the fonts used here lack."""
    space = "http://www.w3.org/2000/svg"
    ElementTree.register_namespace("", space)
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ElementTree.fromstring(svg)
    groups = {element.get("id"): element for element in root.iter(f"{{{space}}}g")}
    for i, node in enumerate(nodes):
        text = groups[f"node-{i}"].find(f"{{{space}}}text")
        assert text is not None
        text.text = _node_text(node)
        title = ElementTree.Element(f"{{{space}}}title")
        title.text = escaped(f"{node.about} {node.text}" if node.about else node.text)
        groups[f"node-{i}"].insert(0, title)
    return ElementTree.tostring(root, encoding="unicode")
