"""The diagram of states that the rules of an output lead through."""

from __future__ import annotations

from nln.export.asp.states import Diagram, diagram
from nln.rules import LogicProgram, Rule, Schema, Target


def test_a_rule_leads_to_a_state_if_it_fires_and_to_another_if_not() -> None:
    schema = Schema((), Target("class", "binary", ("no", "yes")))
    found = diagram(LogicProgram(schema, (Rule((), "yes", 0.75),), (0.0,), (0.5,)))
    assert found == Diagram(starts=(0,), steps=((0, 1, 1, 2),), ends=((1, 0, 0.75), (2, 0, 0.0)))
