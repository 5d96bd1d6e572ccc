"""Programs as a JavaScript module that runs in browsers and in Node."""

from __future__ import annotations

import json

from nln.export.calculations import calculation, calculations
from nln.export.plain import plain_conditions, question
from nln.export.readings import javascript_pattern, reading_constants
from nln.export.runtime import runtime
from nln.rules.condition import LOG_9, Condition
from nln.rules.language.text import rule_text
from nln.rules.program import LogicProgram
from nln.rules.rule import Rule
from nln.rules.schema import Feature

_EXACT_INTEGERS = 2**53
"""Below this, JavaScript's numbers hold every integer; from here on, a BigInt is needed."""

_START = "export function memberships(row) {\n"
_CALCULATE = "  row = calculate(row);\n"


def to_javascript(program: LogicProgram, *, module: bool = True) -> str:
    r"""Write stand-alone JavaScript.

    Parameters
    ----------
    program : LogicProgram
        The program to write.
    module : bool, default=True
        True: an ES module that exports its names. False: the same without `export`, for a script element.

    Returns
    -------
    str
        ASCII text that is safe inside a script element, with the constants `labels` and `rules` (each rule with its
        text) and the functions `predictProba(row)`, `predict(row)` and `memberships(row)`. In a row, null, undefined,
        NaN and absent features are missing.

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.75)", schema=schema)
    >>> source = to_javascript(program)
    >>> print(source[source.index("export const rules"):source.index("// Membership")].strip())
    export const rules = [
      { text: "IF   x \u003c 3\nTHEN class = yes    (weight 0.75)",
        output: 0, weight: 0.75, conditions: [
          { feature: "x", intervals: [[null, null, 3.0, 0.0]], missing: 0.0 },
      ] },
    ];
    """
    target = program.schema.target
    constants = [
        f"const LOG_9 = {LOG_9!r};",
        f"const kind = {literal(target.kind)};",
        f"const biases = {literal(program.biases)};",
        f"const thresholds = {literal(program.thresholds)};",
        f"export const labels = {literal(target.labels)};",
        f"export const rules = [\n{''.join(_rule(rule, program) for rule in program.rules)}];",
    ]
    source = runtime("rules.js")
    if calculations(program):
        constants.append(f"const calculations = [\n{calculations_literal(program)}];")
        source = source.replace(_START, _START + _CALCULATE, 1) + runtime("calculations.js")
    if found := reading_constants(program):
        readings = {
            name: how | {"pattern": javascript_pattern(how["pattern"])} if "pattern" in how else how
            for name, how in found["readings"].items()
        }
        constants += [
            f"const readings = {literal(readings)};",
            f"const dates = {literal(list(map(javascript_pattern, found['dates'])))};",
            *(f"const {name} = {literal(found[name])};" for name in ("months", "weekdays")),
            f"const monthNumbers = {literal(found['month_numbers'])};",
        ]
        source = source.replace(_START, f"{_START}  row = readRow(row);\n", 1) + runtime("readings.js")
    source = "\n".join(constants) + "\n" + source
    return source if module else source.replace("\nexport ", "\n")


def calculations_literal(program: LogicProgram) -> str:
    """Write the entries of the constant `calculations`."""
    entries = []
    for feature in calculations(program):
        said = calculation(feature, program.schema)
        if "members" in said:
            members = ", ".join(_condition(*pair) for pair in said.pop("members"))
            entries.append(f"  {{ name: {literal(feature.name)}, members: [{members}] }},\n")
        else:
            parts = "".join(f", {key}: {literal(value)}" for key, value in said.items())
            entries.append(f"  {{ name: {literal(feature.name)}{parts} }},\n")
    return "".join(entries)


def evaluator_source() -> str:
    """Write the runtime as a function of the rules, for pages that change them.

    The function takes rules in the form of the export's constant `rules`, and returns the export's functions and the
    steps they consist of.
    """
    names = "kind, labels, biases, thresholds, rules, calculations"
    body = runtime("rules.js").replace(_START, _START + _CALCULATE, 1) + runtime("calculations.js")
    body = body.replace("\nexport ", "\n")
    returned = "calculate, membership, memberships, combine, labelProbabilities, decide, predictProba, predict"
    start = f"function evaluator({{ {names} }}) {{\nconst LOG_9 = {LOG_9!r};"
    return f"{start}\n{body}\nreturn {{ {returned} }};\n}}\n"


def literal(value: object) -> str:
    """Write a value as a JavaScript literal that cannot end a script element."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, int) and abs(value) >= _EXACT_INTEGERS:
        return f"{value}n"
    return json.dumps(value).replace("<", "\\u003c")


def _rule(rule: Rule, program: LogicProgram) -> str:
    conditions = "".join(f"      {_condition(*pair)},\n" for pair in plain_conditions(rule, program, reads=True))
    output = program.schema.target.outputs.index(rule.label)
    return (
        f"  {{ text: {literal(rule_text(rule, program.schema))},\n"
        f"    output: {output}, weight: {literal(rule.weight)}, conditions: [\n{conditions}  ] }},\n"
    )


def _condition(condition: Condition, feature: Feature) -> str:
    parts = {"feature": condition.feature, **question(condition, feature), "missing": condition.missing}
    return f"{{ {', '.join(f'{key}: {literal(value)}' for key, value in parts.items())} }}"
