"""Programs as a function in R that needs no package."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nln.export.calculations import asked_prefixes, calculation, calculations
from nln.export.plain import plain_conditions, question
from nln.export.runtime import runtime
from nln.export.wording import check_characters, result_names, rule_comment, spelling
from nln.rules.condition import Condition
from nln.rules.program import LogicProgram
from nln.rules.rule import Rule
from nln.rules.schema import Feature, Value

_HEAD = """\
# Rules with probabilities. `predict_rules(data)` takes a data frame and returns one with a row for each of its rows:
# the probability of each label, and the decision. NA and NaN are missing. It needs no package.
predict_rules <- function(data) {
"""
_EXACT_INTEGERS = 2**53
"""From here on, R's numbers do not hold every integer."""

_EXACT_DIGITS = 15
"""R reads decimal numbers of so many digits and of moderate size without an error, others in the last bit."""


def to_r(program: LogicProgram) -> str:
    """Write a stand-alone function in R.

    Parameters
    ----------
    program : LogicProgram
        The program to write.

    Returns
    -------
    str
        Source of `predict_rules(data)`, which takes a data frame and returns one: a column `p_` for each label, with
        the probabilities of `predict_proba`, and `decision` (or one for each label of a multi-label target). NA and NaN
        are missing, and factors count as text.

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.75)", schema=schema)
    >>> source = to_r(program)
    >>> print(source[source.index("  rules <-"):source.index("  # How far")].strip())
    rules <- list(
        # IF   x < 3
        # THEN class = yes    (weight 0.75)
        list(output = 1, weight = 0.75, conditions = list(
          list(feature = "x", intervals = list(c(NA, NA, 3, 0)), missing = 0)
        ))
      )
    """
    target = program.schema.target
    labels = target.labels
    if len({isinstance(label, str) for label in labels}) > 1:
        labels = tuple(map(spelling, labels))
    names = result_names(program.schema, labels=True)
    rules = ",\n".join(_rule(rule, program) for rule in program.rules)
    constants = [
        f"  kind <- {text_literal(target.kind)}",
        f"  labels <- {_vector(map(_value, labels))}",
        f"  columns <- {_vector(map(text_literal, (*names.probabilities, *names.decisions)))}",
        f"  biases <- {_vector(map(number_literal, program.biases))}",
        f"  thresholds <- {_vector(map(number_literal, program.thresholds))}",
        f"  rules <- list(\n{rules}\n  )" if rules else "  rules <- list()",
    ]
    source = runtime("rules.R")
    start = "  rows <- nrow(data)\n"
    if steps := calculations(program):
        listed = ",\n".join(f"    {_calculation(feature, program)}" for feature in steps)
        constants.append(f"  calculations <- list(\n{listed}\n  )")
        source = source.replace(start, f"{start}{runtime('calculations.R')}", 1)
    if prefixes := asked_prefixes(program):
        listed = ",\n".join(
            f"    list(name = {text_literal(name)}, column = {text_literal(reading.column)}, length = {reading.length})"
            for name, reading in prefixes.items()
        )
        constants.append(f"  prefixes <- list(\n{listed}\n  )")
        source = source.replace(start, f"{start}{runtime('prefixes.R')}", 1)
    return _HEAD + "\n".join(constants) + "\n" + source


def text_literal(text: str) -> str:
    """Write text as an ASCII literal of R."""
    check_characters(text, "R")
    return '"' + "".join(map(_character, text)) + '"'


def number_literal(number: float) -> str:
    """Write a number as a literal that R reads without an error: decimal if it is short, else hexadecimal."""
    if isinstance(number, int):
        if abs(number) >= _EXACT_INTEGERS:
            raise ValueError(f"R's numbers do not hold the whole number {number}.")
        return str(number)
    digits = repr(number)
    short = sum(map(str.isdigit, digits.partition("e")[0])) <= _EXACT_DIGITS
    return digits.removesuffix(".0") if short and (number == 0 or 1e-5 < abs(number) < 1e15) else number.hex()


def _character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if " " <= character <= "~" else f"\\U{{{ord(character):x}}}"


def _value(value: Value) -> str:
    if isinstance(value, str):
        return text_literal(value)
    return str(value).upper() if isinstance(value, bool) else number_literal(value)


def _vector(literals: Iterable[str], kind: str = "c") -> str:
    return f"{kind}({', '.join(literals)})"


def _rule(rule: Rule, program: LogicProgram) -> str:
    comment = rule_comment(rule, program.schema, "    #")
    conditions = ",\n".join(f"      {_condition(*pair)}" for pair in plain_conditions(rule, program))
    output = program.schema.target.outputs.index(rule.label) + 1
    body = f"list(\n{conditions}\n    )" if conditions else "list()"
    return f"{comment}    list(output = {output}, weight = {number_literal(rule.weight)}, conditions = {body})"


def _calculation(feature: Feature, program: LogicProgram) -> str:
    parts = [f"name = {text_literal(feature.name)}"]
    match calculation(feature, program.schema):
        case {"above": above, "below": below}:
            parts += [f"above = {_sum(above)}", f"below = {_vector(map(_sum, below), 'list')}"]
        case {"same": names, "values": values}:
            parts += [f"same = {_vector(map(text_literal, names))}", *_listed(values)]
        case {"members": members}:
            parts.append(f"members = {_vector((_condition(*pair) for pair in members), 'list')}")
    return f"list({', '.join(parts)})"


def _sum(asked: Any) -> str:
    tolerance, terms = asked
    listed = (f"list({sign}, {_vector(map(text_literal, names))})" for sign, names in terms)
    return f"list(tolerance = {number_literal(tolerance)}, terms = {_vector(listed, 'list')})"


def _listed(values: Iterable[Value]) -> list[str]:
    """Write the texts and the numbers of a set of values."""
    known = tuple(values)
    texts = [text_literal(value) for value in known if isinstance(value, str)]
    numbers = [number_literal(value + 0) for value in known if not isinstance(value, str)]
    parts = [f"texts = {_vector(texts)}"] if texts else []
    return parts + ([f"numbers = {_vector(numbers)}"] if numbers else [])


def _condition(condition: Condition, feature: Feature) -> str:
    parts = [f"feature = {text_literal(condition.feature)}"]
    match question(condition, feature):
        case {"chance": value}:
            parts.append(f"chance = {int(value)}")
        case {"values": values, "negated": negated}:
            parts += _listed(values)
            parts.append(f"negated = {_value(negated)}")
        case {"intervals": intervals, **circle}:
            parts += [f"{name} = {number_literal(number)}" for name, number in circle.items()]
            ends = (_vector("NA" if end is None else number_literal(end) for end in ends) for ends in intervals)
            parts.append(f"intervals = {_vector(ends, 'list')}")
    return f"list({', '.join([*parts, f'missing = {number_literal(condition.missing)}'])})"
