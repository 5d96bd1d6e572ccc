"""A program as a layered graph: features, value sets and intervals, rules (AND), targets (OR)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from nln.plots.layered_layout import ordered_layers
from nln.rules import Condition, Feature, IntervalCondition, LogicProgram, Rule, ValueCondition, condition_text
from nln.rules.language.text import conclusion_text
from nln.rules.language.words import rounded, spelled

Kind = Literal["feature", "condition", "rule", "target"]


@dataclass(frozen=True)
class GraphNode:
    """One node; a binary feature enters the rules itself and so stands in the layer of conditions."""

    kind: Kind
    text: str  # in full
    number: str = ""  # the weight of a rule, or the probability of a target that no rule supports
    label: int = -1  # index of the output; -1 for features and conditions
    about: str = ""  # the feature that a condition asks about


@dataclass(frozen=True)
class GraphEdge:
    """An edge from one node to one in the next layer; `negated` if the second holds where the first does not."""

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
    """Describe a program as a layered graph with few crossings."""
    target = program.schema.target
    outputs = [
        GraphNode("target", conclusion_text(target, label), rounded(bias), k)
        for k, (label, bias) in enumerate(zip(target.outputs, program.biases, strict=True))
    ]
    edges: dict[GraphEdge, None] = {}  # an ordered set
    rules = []
    for number, rule in enumerate(program.rules, 1):
        end = outputs[target.outputs.index(rule.label)]
        node = GraphNode("rule", str(number), rounded(rule.weight), end.label)
        rules.append(node)
        edges |= dict.fromkeys((*_rule_edges(rule, node, program), GraphEdge(node, end)))
    starts = dict.fromkeys(edge.start for edge in edges if edge.end.kind == "rule")
    features = dict.fromkeys(edge.start for edge in edges if edge.end.kind == "condition")
    layers = [tuple(features), tuple(starts), tuple(rules), tuple(outputs)]
    found = ordered_layers(layers, [(edge.start, edge.end) for edge in edges])
    return Graph(tuple(tuple(layer) for layer in found), tuple(edges))  # type: ignore[arg-type]


def is_negation(condition: Condition, feature: Feature) -> bool:
    """Tell whether a condition asks for the absence of something: `!=`, or the first of a binary feature's values."""
    if not isinstance(condition, ValueCondition):
        return False
    return _literal(condition, feature) is False or (condition.negated and _literal(condition, feature) is None)


def _literal(condition: ValueCondition, feature: Feature) -> bool | None:
    """Tell whether a condition asks for a binary feature's second value (True) or first (False); None for any other."""
    if feature.kind != "binary" or len(condition.values) != 1 or len(feature.values) != 2 or condition.missing:
        return None
    return (condition.values[0] == feature.values[1]) != condition.negated


def _rule_edges(rule: Rule, node: GraphNode, program: LogicProgram) -> list[GraphEdge]:
    edges = []
    for condition in rule.conditions:
        feature = program.schema[condition.feature]
        negated = is_negation(condition, feature)
        if isinstance(condition, ValueCondition) and _literal(condition, feature) is not None:
            is_same = feature.derived is not None and not feature.is_named
            text = feature.name if is_same else f"{spelled(feature.name)} = {spelled(feature.values[1])}"
            binary = GraphNode("feature", text)
            edges.append(GraphEdge(binary, node, negated))
        else:
            source = GraphNode("feature", feature.name)
            asked = GraphNode("condition", _question(condition, feature), about=feature.name)
            edges += [GraphEdge(source, asked, negated), GraphEdge(asked, node)]
    return edges


def _question(condition: Condition, feature: Feature) -> str:
    """Write a condition in the rule language, with a short `x` in place of the feature's name."""
    x = replace(feature, name="x")
    if isinstance(condition, ValueCondition):
        return condition_text(replace(condition, feature="x"), x).removeprefix("x ")
    parts = [IntervalCondition("x", (interval,)) for interval in condition.intervals]
    if condition.missing:
        parts.append(IntervalCondition("x", (), condition.missing))
    return " or ".join(condition_text(part, x).removeprefix("x ") for part in parts)
