from __future__ import annotations

from hypothesis import given

from nln.plots.graph import is_negation, program_graph
from nln.rules import Feature, IntervalCondition, LogicProgram, Rule, Schema, Target, ValueCondition
from tests.rules.strategies import programs


@given(programs())
def test_a_graph_has_all_rules_and_conditions_and_edges_between_neighbouring_layers_only(program):
    graph = program_graph(program)
    layer = {node: i for i, nodes in enumerate(graph.layers) for node in nodes}
    assert len(layer) == len(graph.nodes)
    assert all(layer[edge.end] == layer[edge.start] + 1 for edge in graph.edges)
    _, _, rules, targets = graph.layers
    assert sorted(int(node.text) for node in rules) == list(range(1, program.n_rules + 1))
    assert len(targets) == len(program.schema.target.outputs)
    into_rules = [edge for edge in graph.edges if edge.end.kind == "rule"]
    assert len(into_rules) == sum(len(rule.conditions) for rule in program.rules)
    assert sum(edge.start.kind == "rule" for edge in graph.edges) == program.n_rules


def test_a_negation_is_an_exclusion_or_the_first_of_two_values():
    on, colour = Feature("on", "binary", ("f", "t")), Feature("c", "categorical", ("r", "g", "b"))
    assert is_negation(ValueCondition("on", ("f",)), on)
    assert is_negation(ValueCondition("on", ("t",), negated=True), on)
    assert not is_negation(ValueCondition("on", ("f",), negated=True), on)
    assert is_negation(ValueCondition("c", ("r",), negated=True), colour)
    assert not is_negation(ValueCondition("c", ("r",)), colour)
    assert not is_negation(IntervalCondition("x", ()), Feature("x", "continuous"))


def test_a_binary_feature_with_missing_values_enters_a_rule_through_a_condition():
    on = Feature("on", "binary", ("f", "t"))
    schema = Schema((on,), Target("class", "binary", ("no", "yes")))
    for missing, texts in ((0.0, [[], ["on = t"]]), (0.5, [["on"], ["= t or missing (0.5)"]])):
        rule = Rule((ValueCondition("on", ("t",), missing=missing),), "yes")
        layers = program_graph(LogicProgram(schema, (rule,), (0.0,), (0.5,))).layers
        assert [[node.text for node in layer] for layer in layers[:2]] == texts


def test_a_graph_leads_from_the_feature_over_the_condition_and_the_rule_to_the_target():
    schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    graph = program_graph(LogicProgram.parse("IF x < 3 THEN class = yes (0.9)", schema=schema))
    assert [[node.text for node in layer] for layer in graph.layers] == [["x"], ["< 3"], ["1"], ["class = yes"]]
