"""A program as a layered graph: features, value sets and intervals, AND rules, OR targets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from nln.plots.layered_layout import ordered_layers
from nln.rules import Condition, Feature, IntervalCondition, LogicProgram, Rule, ValueCondition, condition_text
from nln.rules.language.text import conclusion_text
from nln.rules.language.words import spelled
from nln.rules.row import rounded

Kind = Literal["feature", "condition", "rule", "target"]
KINDS: tuple[Kind, ...] = ("feature", "condition", "rule", "target")


@dataclass(frozen=True)
class GraphNode:
    """One node.

    Parameters
    ----------
    kind : {"feature", "condition", "rule", "target"}
        What it stands for. A binary feature, which enters the AND nodes itself, stands in the layer of conditions.
    text : str
        What it says, in full.
    number : str
        Its bias: the probability of a rule, or that of a target which no rule supports; else empty.
    label : int
        Number of the output that it belongs to; -1 for features and conditions.
    about : str
        The feature that a condition asks about.
    """

    kind: Kind
    text: str
    number: str = ""
    label: int = -1
    about: str = ""


@dataclass(frozen=True)
class GraphEdge:
    """From one node to one of the next layer; `negated` if the second holds where the first does not."""

    start: GraphNode
    end: GraphNode
    negated: bool = False


@dataclass(frozen=True)
class Graph:
    """Layers of nodes, each in the order of drawing, and the edges between neighbouring layers."""

    layers: tuple[tuple[GraphNode, ...], ...]
    edges: tuple[GraphEdge, ...]

    @property
    def nodes(self) -> tuple[GraphNode, ...]:
        """All nodes, layer by layer."""
        return tuple(node for layer in self.layers for node in layer)

    @property
    def pairs(self) -> list[tuple[GraphNode, GraphNode]]:
        """The edges as pairs of nodes."""
        return [(edge.start, edge.end) for edge in self.edges]


def program_graph(program: LogicProgram) -> Graph:
    """Describe a program as a layered graph with few crossings.

    Examples
    --------
    >>> from nln.rules import LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> graph = program_graph(LogicProgram.parse("IF x < 3 THEN class = yes (0.9)", schema=schema))
    >>> [[node.text for node in layer] for layer in graph.layers]
    [['x'], ['< 3'], ['1'], ['class = yes']]
    """
    target = program.schema.target
    outputs = [
        GraphNode("target", conclusion_text(target, label), rounded(bias), k)
        for k, (label, bias) in enumerate(zip(target.outputs, program.biases, strict=True))
    ]
    edges: dict[GraphEdge, None] = {}  # in the order of their coming
    rules = []
    for number, rule in enumerate(program.rules, 1):
        end = outputs[target.outputs.index(rule.label)]
        node = GraphNode("rule", str(number), rounded(rule.probability), end.label)
        rules.append(node)
        edges |= dict.fromkeys((*_rule_edges(rule, node, program), GraphEdge(node, end)))
    starts = dict.fromkeys(edge.start for edge in edges if edge.end.kind == "rule")
    features = dict.fromkeys(edge.start for edge in edges if edge.end.kind == "condition")
    layers = [tuple(features), tuple(starts), tuple(rules), tuple(outputs)]
    found = ordered_layers(layers, [(edge.start, edge.end) for edge in edges])
    return Graph(tuple(tuple(layer) for layer in found), tuple(edges))  # type: ignore[arg-type]


def is_negation(condition: Condition, feature: Feature) -> bool:
    """Tell whether a condition asks for the absence of something: `!=`, or the first of a binary feature's values.

    Examples
    --------
    >>> is_negation(ValueCondition("on", (False,)), Feature("on", "binary", (False, True)))
    True
    """
    if not isinstance(condition, ValueCondition):
        return False
    return _literal(condition, feature) is False or (condition.negated and _literal(condition, feature) is None)


def _literal(condition: ValueCondition, feature: Feature) -> bool | None:
    """Whether a condition is that a binary feature has its second value (True) or its first; None for any other."""
    if feature.kind != "binary" or len(condition.values) != 1 or len(feature.values) != 2 or condition.missing:
        return None
    return (condition.values[0] == feature.values[1]) != condition.negated


def _rule_edges(rule: Rule, node: GraphNode, program: LogicProgram) -> list[GraphEdge]:
    edges = []
    for condition in rule.conditions:
        feature = program.schema[condition.feature]
        negated = is_negation(condition, feature)
        if isinstance(condition, ValueCondition) and _literal(condition, feature) is not None:
            binary = GraphNode("feature", f"{spelled(feature.name)} = {spelled(feature.values[1])}")
            edges.append(GraphEdge(binary, node, negated))
        else:
            source = GraphNode("feature", feature.name)
            asked = GraphNode("condition", _question(condition, feature), about=feature.name)
            edges += [GraphEdge(source, asked, negated), GraphEdge(asked, node)]
    return edges


def _question(condition: Condition, feature: Feature) -> str:
    """What is asked, in the rule language but with a short `x` in place of the name."""
    x = replace(feature, name="x")
    if isinstance(condition, ValueCondition):
        return condition_text(replace(condition, feature="x"), x).removeprefix("x ")
    parts = [IntervalCondition("x", (interval,)) for interval in condition.intervals]
    if condition.missing:
        parts.append(IntervalCondition("x", (), condition.missing))
    return " or ".join(condition_text(part, x).removeprefix("x ") for part in parts)
