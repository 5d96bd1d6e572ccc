"""Programs applied to their own conclusions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.rules import ChildTable, Feature, LogicProgram, Schema, Target

STATUS = Feature("reached", "categorical", ("no", "yes"))
SCHEMA = Schema((), Target("reached", "binary", ("no", "yes")), (ChildTable("sources", "node", (STATUS,)),))
STEP = LogicProgram.parse("IF some sources (reached = yes) THEN reached = yes", schema=SCHEMA)


@settings(max_examples=60, deadline=None)
@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=15), st.integers(0, 6))
def test_one_step_rules_reach_what_a_search_reaches(edges: set[tuple[int, int]], start: int) -> None:
    reached = {start}
    while more := {b for a, b in edges if a in reached} - reached:
        reached |= more
    nodes = {"node": list(range(7)), "reached": ["yes" if node == start else "no" for node in range(7)]}

    def sources(now: Any) -> Any:
        return {"sources": [{"node": b, "reached": now[a]} for a, b in edges] or {"node": [], "reached": []}}

    values, steps = STEP.fixpoint(pd.DataFrame(nodes), "reached", undecided="no", tables=sources)
    assert {node for node in range(7) if values[node] == "yes"} == reached
    assert steps <= len(reached)
    assert nodes["reached"].count("yes") == 1  # what was given stays as it was


def test_rules_may_ask_about_the_column_itself() -> None:
    features = (Feature("at", "categorical", ("start", "middle", "end")),)
    schema = Schema(features, Target("at", "multilabel", ("middle", "end")))
    text = "IF at = start THEN middle IF at = middle THEN end"
    program = LogicProgram.parse(text, schema=schema)
    values, steps = program.fixpoint({"at": ["start", "middle"]}, "at", undecided="start")
    assert list(values) == ["middle", "middle"]
    assert steps == 1


def test_only_certain_rules_count_if_asked() -> None:
    schema = Schema((Feature("x", "continuous"),), Target("y", "multilabel", ("a", "b")))
    text = "IF x >= 1 THEN a (weight 0.99) IF x < 5 THEN b (weight 0.6) OTHERWISE (P(a) = 0.6, P(b) = 0)"
    program = LogicProgram.parse(text, schema=schema)
    X = {"x": [0.0, 3.0], "y": [None, None]}
    assert list(program.fixpoint(X, "y", certainty=0.9).values) == [None, "a"]
    with pytest.raises(ValueError, match="'a' and 'b' of row 0 at once"):
        program.fixpoint(X, "y")


def test_what_cannot_be_applied_is_refused() -> None:
    schema = Schema((), Target("y", "multiclass", ("a", "b", "c")))
    with pytest.raises(ValueError, match="may stay undecided"):
        LogicProgram(schema, (), (0.1, 0.1, 0.1), ()).fixpoint({"y": [None]}, "y")
    with pytest.raises(ValueError, match="no column 'reached'"):
        STEP.fixpoint({"node": [1]}, "reached", tables={"sources": {"node": [1], "reached": ["no"]}})
    endless = {"sources": pd.DataFrame({"node": np.arange(1, 9), "reached": "yes"})}
    with pytest.raises(ValueError, match="still changed after 0 steps"):
        STEP.fixpoint({"node": [1], "reached": ["no"]}, "reached", undecided="no", tables=endless, most_steps=0)
