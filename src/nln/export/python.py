"""Programs as Python source that needs nothing but Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nln.export.plain import asks_chance, plain_conditions
from nln.export.runtime import runtime
from nln.rules.circle import farthest
from nln.rules.condition import Condition, ValueCondition
from nln.rules.language.text import rule_text
from nln.rules.schema import Feature

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram
    from nln.rules.rule import Rule

_HEAD = '''\
"""Rules with probabilities: `predict_proba(row)` and `predict(row)` take a dict from features to values."""

import math

'''


def to_python(program: LogicProgram) -> str:
    """Write stand-alone Python source.

    Parameters
    ----------
    program : LogicProgram
        What to write.

    Returns
    -------
    str
        A module that imports `math` only, with `predict_proba(row)`, which gives a dict from labels to probabilities,
        `predict(row)` and `memberships(row)`. In a row, None, NaN and absent features are missing.

    Examples
    --------
    >>> from nln.rules import Boundary, Feature, Interval, IntervalCondition, LogicProgram, Rule, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> low = Rule((IntervalCondition("x", (Interval(high=Boundary(3.0)),)),), "yes", 0.75)
    >>> source = to_python(LogicProgram(schema, (low,), biases=(0.0,), thresholds=(0.5,)))
    >>> module = {}
    >>> exec(source, module)
    >>> module["predict_proba"]({"x": 2.0}), module["predict"]({"x": None})
    ({'no': 0.25, 'yes': 0.75}, 'no')
    """
    target = program.schema.target
    rules = "".join(_rule(rule, program) for rule in program.rules)
    constants = [
        f"KIND = {target.kind!r}",
        f"LABELS = {target.labels!a}",
        f"BIASES = {program.biases!r}",
        f"THRESHOLDS = {program.thresholds!r}",
        f"RULES = [  # output, probability, conditions: feature, test, what is asked, membership of missing\n{rules}]",
    ]
    return _HEAD + "\n".join(constants) + "\n" + runtime("rules.py.txt")


def _rule(rule: Rule, program: LogicProgram) -> str:
    comment = "".join(f"    # {line}\n" for line in rule_text(rule, program.schema).split("\n"))
    conditions = "".join(
        f"            {_condition(c, program.schema[c.feature])},\n" for c in plain_conditions(rule, program)
    )
    output = program.schema.target.outputs.index(rule.label)
    body = f"[\n{conditions}        ]" if conditions else "[]"
    return f"{comment}    (\n        {output},\n        {rule.probability!r},\n        {body},\n    ),\n"


def _condition(condition: Condition, feature: Feature) -> str:
    asked: tuple[object, ...]
    if isinstance(condition, ValueCondition):
        test, asked = "not in" if condition.negated else "in", condition.values
        if asks_chance(condition, feature):
            test = "chance"
    else:
        test = "intervals"
        asked = tuple(
            (i.low and i.low.value, i.low and i.low.width, i.high and i.high.value, i.high and i.high.width)
            for i in condition.intervals
        )
        if feature.period is not None:
            test, asked = "arcs", (feature.period, farthest(feature.period), asked)
    return f"({condition.feature!a}, {test!r}, {asked!a}, {condition.missing!r})"
