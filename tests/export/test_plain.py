"""Conditions as every exporter takes them."""

from __future__ import annotations

from nln.export.plain import asks_chance, plain_condition, plain_conditions, question, rules_by_output
from nln.rules import (
    Boundary,
    Feature,
    Interval,
    IntervalCondition,
    LogicProgram,
    Rule,
    Schema,
    Target,
    ValueCondition,
)

RAIN = Feature("rain", "probability")


def test_intervals_of_ranks_become_the_values_inside() -> None:
    size = Feature("size", "ordinal", ("S", "M", "L"))
    assert plain_condition(IntervalCondition("size", (Interval(Boundary(1)),)), size) == ValueCondition(
        "size", ("M", "L")
    )


def test_crisp_conditions_come_first() -> None:
    schema = Schema((Feature("x", "continuous"), Feature("y", "continuous")), Target("class", "binary", ("no", "yes")))
    program = LogicProgram.parse("IF x < 3 ± 1 AND y < 2 THEN class = yes", schema=schema)
    assert [condition.feature for condition, _ in plain_conditions(program.rules[0], program)] == ["y", "x"]


def test_a_condition_on_a_probability_asks_for_a_chance() -> None:
    assert asks_chance(ValueCondition("rain", (1,)), RAIN)
    assert not asks_chance(ValueCondition("rain", (), negated=True), RAIN)


def test_questions_are_plain_data() -> None:
    assert question(ValueCondition("rain", (0,)), RAIN) == {"chance": 0}
    colour = Feature("colour", "categorical", ("blue", "red"))
    assert question(ValueCondition("colour", ("red",), negated=True), colour) == {"values": ("red",), "negated": True}
    below = (Interval(high=Boundary(3.0, 0.5)),)
    assert question(IntervalCondition("x", below), Feature("x", "continuous")) == {
        "intervals": ((None, None, 3.0, 0.5),)
    }
    assert question(IntervalCondition("hour", below), Feature("hour", "periodic", period=24.0)) == {
        "period": 24.0,
        "limit": 24.0 * 2**30,
        "intervals": ((None, None, 3.0, 0.5),),
    }


def test_rules_are_found_by_their_output() -> None:
    schema = Schema((), Target("labels", "multilabel", ("a", "b")))
    program = LogicProgram(schema, (Rule((), "b"), Rule((), "b")), (0, 0), (0.5, 0.5))
    assert rules_by_output(program) == ((), (0, 1))
