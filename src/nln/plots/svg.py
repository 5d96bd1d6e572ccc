"""The network of a program as SVG whose text is text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from nln.plots.data import program_of
from nln.plots.files import figure_bytes
from nln.plots.graph import GraphNode, program_graph
from nln.plots.network import node_text, plot_network
from nln.plots.style import escaped


def network_svg(program: Any) -> str:
    """Draw a program as a network in SVG whose text is text: it can be searched, copied and restyled.

    Every node has its full text as a title, which browsers show when the pointer rests on it.

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
    >>> program = LogicProgram.parse('IF "<i>" < 3 THEN class = yes (0.9)', schema=schema)
    >>> "&lt;i&gt;</title>" in network_svg(program)
    True
    """
    program = program_of(program)
    svg = figure_bytes(plot_network(program), "svg").decode()
    return _with_titles(svg, program_graph(program).nodes)


def _with_titles(svg: str, nodes: Sequence[GraphNode]) -> str:
    """Give the texts of nodes their titles, and back the characters that only the fonts here lack."""
    space = "http://www.w3.org/2000/svg"
    ElementTree.register_namespace("", space)
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ElementTree.fromstring(svg)
    groups = {element.get("id"): element for element in root.iter(f"{{{space}}}g")}
    for i, node in enumerate(nodes):
        text = groups[f"node-{i}"].find(f"{{{space}}}text")
        assert text is not None
        text.text = node_text(node)
        title = ElementTree.Element(f"{{{space}}}title")
        title.text = _full_text(node)
        groups[f"node-{i}"].insert(0, title)
    return ElementTree.tostring(root, encoding="unicode")


def _full_text(node: GraphNode) -> str:
    return escaped(f"{node.about} {node.text}" if node.about else node.text)
