"""Programs as Python source that needs nothing but Python."""

from __future__ import annotations

from nln.export.calculations import calculation, calculations
from nln.export.plain import plain_conditions, question
from nln.export.readings import reading_constants
from nln.export.runtime import runtime
from nln.export.wording import rule_comment
from nln.rules.condition import Condition
from nln.rules.program import LogicProgram
from nln.rules.rule import Rule
from nln.rules.schema import Feature

_HEAD = '''\
"""Rules with probabilities: `predict_proba(row)` and `predict(row)` take a dict from features to values."""

import math

'''


_HEAD_OF_READINGS = _HEAD.replace("features to values", "columns to values").replace(
    "import math\n", "import math\nimport re\nfrom datetime import datetime\n"
)


def to_python(program: LogicProgram) -> str:
    """Write stand-alone Python source.

    Parameters
    ----------
    program : LogicProgram
        The program to write.

    Returns
    -------
    str
        A module that imports `math` only (and `re` and `datetime` if features are read from text or dates), with
        `predict_proba(row)`, which gives a dict from labels to probabilities, `predict(row)` and `memberships(row)`.
        In a row, None, NaN and absent columns are missing. Where rules count the rows of a child table, the row holds
        them under the name of the table, as a list of dicts.

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.75)", schema=schema)
    >>> source = to_python(program)
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
        f"RULES = [  # output, weight, conditions: feature, test, what is asked, membership of missing\n{rules}]",
    ]
    source = runtime("rules.py.txt")
    if steps := calculations(program, children=True):
        listed = "".join(f"    ({feature.name!a}, {_calculation(feature, program)}),\n" for feature in steps)
        constants.append(f"CALCULATIONS = [  # name, what is calculated, of what\n{listed}]")
        source = source.replace("    result = []\n", "    row = calculate(row)\n    result = []\n", 1)
        source += runtime("calculations.py.txt")
    found = reading_constants(program)
    if not found:
        return _HEAD + "\n".join(constants) + "\n" + source
    constants += [f"{name.upper()} = {value!a}" for name, value in found.items()]
    head = 'of RULES."""\n'
    source = source.replace(head, f"{head}    row = read_row(row)\n", 1)
    return _HEAD_OF_READINGS + "\n".join(constants) + "\n" + source + runtime("readings.py.txt")


def _rule(rule: Rule, program: LogicProgram) -> str:
    comment = rule_comment(rule, program.schema, "    #")
    conditions = "".join(f"            {_condition(*pair)},\n" for pair in plain_conditions(rule, program, reads=True))
    output = program.schema.target.outputs.index(rule.label)
    body = f"[\n{conditions}        ]" if conditions else "[]"
    return f"{comment}    (\n        {output},\n        {rule.weight!r},\n        {body},\n    ),\n"


def _calculation(feature: Feature, program: LogicProgram) -> str:
    match calculation(feature, program.schema):
        case {"above": above, "below": below}:
            return f"'arithmetic', {(above, below)!a}"
        case {"same": names, "values": values}:
            return f"'same', {(*names, values)!a}"
        case {"members": members}:
            return f"'count', [{', '.join(_condition(*pair) for pair in members)}]"
        case {"table": table, "order": order, "conditions": conditions}:
            return f"'children', ({table!a}, {order!a}, [{', '.join(_condition(*pair) for pair in conditions)}])"
    raise AssertionError(feature)


def _condition(condition: Condition, feature: Feature) -> str:
    asked: tuple[object, ...]
    match question(condition, feature):
        case {"chance": value}:
            test, asked = "chance", (value,)
        case {"values": values, "negated": negated}:
            test, asked = "not in" if negated else "in", values
        case {"period": period, "limit": limit, "intervals": intervals}:
            test, asked = "arcs", (period, limit, intervals)
        case {"intervals": intervals}:
            test, asked = "intervals", intervals
    return f"({condition.feature!a}, {test!r}, {asked!a}, {condition.missing!r})"
