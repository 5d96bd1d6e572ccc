"""Programs as a Prolog module that computes their probabilities."""

from __future__ import annotations

from typing import Any

from nln.export.calculations import asked_prefixes, calculation, calculations
from nln.export.plain import plain_conditions, question
from nln.export.runtime import runtime
from nln.export.wording import rule_comment
from nln.rules.condition import Condition
from nln.rules.program import LogicProgram
from nln.rules.rule import Rule
from nln.rules.schema import Feature, Value

_PRESENT = "present(Row, Feature, Value) :-\n"
_PREFIX = f"""\
{_PRESENT}    prefix(Feature, Column, Length),
    \\+ given(Row, Feature, _),
    !,
    present(Row, Column, Code),
    first_characters(Code, Length, Value).
"""
_CALCULATED = f"{_PRESENT}    calculation(Feature, Expression),\n    !,\n    calculated(Expression, Row, Value).\n"


def to_prolog(program: LogicProgram, *, module: str = "rules") -> str:
    """Write a module for SWI-Prolog.

    Parameters
    ----------
    program : LogicProgram
        The program to write.
    module : str, default="rules"
        Name of the module.

    Returns
    -------
    str
        A file, to be saved in UTF-8, with `probability(Row, Label, P)`, `decision(Row, Label)` and
        `membership(Rule, Row, Membership)`. A row is a dict, or a list of pairs such as `[age-63, 'blood type'-"AB"]`;
        text is a string (or an atom), `true` and `false` are the truth values, `null` and absent features are missing.

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.75)", schema=schema)
    >>> source = to_prolog(program)
    >>> print(source[source.index("% IF"):source.index("% membership")].strip())
    % IF   x < 3
    % THEN class = yes    (weight 0.75)
    rule(1, 0, 0.75, [
        intervals('x', [interval(open, 3.0-0.0)], 0.0)
    ]).
    """
    target = program.schema.target
    rules = "".join(_rule(number, rule, program) for number, rule in enumerate(program.rules, 1))
    head = [
        ":- encoding(utf8).",
        f":- module({atom(module)}, [probability/3, decision/2, membership/3]).",
        ":- use_module(library(apply)).\n:- use_module(library(lists)).\n:- use_module(library(error)).",
        ":- set_prolog_flag(double_quotes, string).\n",
        f"kind({target.kind}).",
        f"labels([{', '.join(map(label_term, target.labels))}]).",
        f"biases([{', '.join(map(number_term, program.biases))}]).",
        f"thresholds([{', '.join(map(number_term, program.thresholds))}]).\n",
        "% rule(Number, Output, Weight, Conditions): outputs are counted from 0.",
    ]
    facts = rules or ":- dynamic(rule/4).\n"
    source = runtime("rules.pl")
    if steps := calculations(program, children=True):
        facts += "\n% calculation(Name, Expression): columns that are calculated from others.\n"
        facts += "".join(_calculation(feature, program) for feature in steps)
        source = source.replace(_PRESENT, _CALCULATED + _PRESENT, 1)
        source += runtime("calculations.pl")
    if prefixes := asked_prefixes(program):
        facts += "\n% prefix(Name, Column, Length): columns of the first characters of codes.\n"
        for name, reading in prefixes.items():
            facts += f"prefix({atom(name)}, {atom(reading.column)}, {reading.length}).\n"
        source = source.replace(_PRESENT, _PREFIX + _PRESENT, 1) + runtime("prefixes.pl")
    return "\n".join(head) + "\n" + facts + source


def atom(text: str) -> str:
    """Write a quoted atom."""
    return _quoted(text, "'")


def value_term(value: Value) -> str:
    """Write a value to compare with: text as a string, truth values as 1 and 0."""
    if isinstance(value, str):
        return _quoted(value, '"')
    return number_term(value) if isinstance(value, float) else str(int(value))


def label_term(label: Value) -> str:
    """Write a label: text as a string, truth values as the atoms true and false."""
    return str(label).lower() if isinstance(label, bool) else value_term(label)


def number_term(value: float) -> str:
    """Write a float with digits after its decimal point, as Prolog requires."""
    digits, e, exponent = repr(float(value)).partition("e")
    return (digits if "." in digits else f"{digits}.0") + e + exponent


def _rule(place: int, rule: Rule, program: LogicProgram) -> str:
    conditions = ",\n".join(f"    {_condition(*pair)}" for pair in plain_conditions(rule, program))
    output = program.schema.target.outputs.index(rule.label)
    body = f"[\n{conditions}\n]" if conditions else "[]"
    fact = f"rule({place}, {output}, {number_term(rule.weight)}, {body})."
    return f"\n{rule_comment(rule, program.schema, '%')}{fact}\n"


def _calculation(feature: Feature, program: LogicProgram) -> str:
    match calculation(feature, program.schema):
        case {"above": above, "below": below}:
            term = f"quotient({_sum(above)}, [{', '.join(map(_sum, below))}])"
        case {"same": (one, other), "values": values}:
            term = f"same({atom(one)}, {atom(other)}, [{', '.join(map(value_term, values))}])"
        case {"members": members}:
            term = f"count([{', '.join(_condition(*pair) for pair in members)}])"
        case {"table": table, "order": None, "conditions": conditions}:
            term = f"children({atom(table)}, [{', '.join(_condition(*pair) for pair in conditions)}])"
        case {"table": table, "order": _}:
            raise ValueError(f"The rows of {table!r} have an order, which the Prolog export cannot use. Export to SQL.")
    return f"calculation({atom(feature.name)}, {term}).\n"


def _sum(asked: Any) -> str:
    tolerance, terms = asked
    listed = (f"term({sign}, [{', '.join(map(atom, names))}])" for sign, names in terms)
    return f"sum({number_term(tolerance)}, [{', '.join(listed)}])"


def _condition(condition: Condition, feature: Feature) -> str:
    match question(condition, feature):
        case {"chance": value}:
            test, asked = "chance", value_term(value)
        case {"values": values, "negated": negated}:
            test, asked = "not_in" if negated else "in", f"[{', '.join(map(value_term, values))}]"
        case {"period": period, "limit": limit, "intervals": intervals}:
            test, asked = "arcs", f"circle({number_term(period)}, {number_term(limit)}, {_intervals(intervals)})"
        case {"intervals": intervals}:
            test, asked = "intervals", _intervals(intervals)
    return f"{test}({atom(condition.feature)}, {asked}, {number_term(condition.missing)})"


def _intervals(intervals: Any) -> str:
    texts = [f"interval({_end(*interval[:2])}, {_end(*interval[2:])})" for interval in intervals]
    return f"[{', '.join(texts)}]"


def _end(value: float | None, width: float | None) -> str:
    return "open" if value is None or width is None else f"{number_term(value)}-{number_term(width)}"


def _quoted(text: str, quote: str) -> str:
    return f"{quote}{''.join(_character(character, quote) for character in text)}{quote}"


def _character(character: str, quote: str) -> str:
    if "\ud800" <= character <= "\udfff":
        raise ValueError(f"Prolog text cannot hold half of a surrogate pair: {character!r}.")
    if character in (quote, "\\"):
        return f"\\{character}"
    # SWI-Prolog takes some escapes of unassigned characters for surrogates; only control characters need one.
    return character if ord(character) >= 0xA0 or character.isprintable() else f"\\x{ord(character):x}\\"
