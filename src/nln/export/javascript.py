"""Programs as a JavaScript module that runs in browsers and in Node."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nln.export.plain import asks_chance, plain_conditions
from nln.export.runtime import runtime
from nln.rules.circle import farthest
from nln.rules.condition import LOG_9, Boundary, Condition, ValueCondition
from nln.rules.language.text import rule_text
from nln.rules.schema import Feature

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram
    from nln.rules.rule import Rule

_EXACT_INTEGERS = 2**53
"""Below this, JavaScript's numbers hold every integer; beyond, its large integers do."""


def to_javascript(program: LogicProgram, *, module: bool = True) -> str:
    r"""Write stand-alone JavaScript.

    Parameters
    ----------
    program : LogicProgram
        What to write.
    module : bool
        True: an ES module that exports its names. False: the same without `export`, for a script element.

    Returns
    -------
    str
        ASCII text that is safe inside a script element, with the constants `labels` and `rules` (each rule with its
        text) and the functions `predictProba(row)`, `predict(row)` and `memberships(row)`. In a row, null, undefined,
        NaN and absent features are missing.

    Examples
    --------
    >>> from nln.rules import Boundary, Feature, Interval, IntervalCondition, LogicProgram, Rule, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> low = Rule((IntervalCondition("x", (Interval(high=Boundary(3.0)),)),), "yes", 0.75)
    >>> source = to_javascript(LogicProgram(schema, (low,), biases=(0.0,), thresholds=(0.5,)))
    >>> print(source[:source.index("export function")])
    const LOG_9 = 2.1972245773362196;
    const kind = "binary";
    const biases = [0.0];
    const thresholds = [0.5];
    export const labels = ["no", "yes"];
    export const rules = [
      { text: "IF   x \u003c 3\nTHEN class = yes    (0.75)",
        output: 0, probability: 0.75, conditions: [
          { feature: "x", intervals: [[null, null, 3.0, 0.0]], missing: 0.0 },
      ] },
    ];
    <BLANKLINE>
    // Membership of each rule's conditions, in the order of `rules`: numbers from 0 to 1.
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
    source = "\n".join(constants) + "\n" + runtime("rules.js")
    return source if module else source.replace("\nexport ", "\n")


def evaluator_source() -> str:
    r"""Write the runtime of the export as a function of the rules, for pages that change them.

    Returns
    -------
    str
        ASCII text of `evaluator({ kind, labels, biases, thresholds, rules })`, with rules in the form of the export's
        constant `rules`. It returns the functions of the export and the steps that they take.

    Examples
    --------
    >>> evaluator_source().splitlines()[0]
    'function evaluator({ kind, labels, biases, thresholds, rules }) {'
    """
    names = "kind, labels, biases, thresholds, rules"
    body = runtime("rules.js").replace("\nexport ", "\n")
    returned = "membership, memberships, combine, labelProbabilities, decide, predictProba, predict"
    start = f"function evaluator({{ {names} }}) {{\nconst LOG_9 = {LOG_9!r};"
    return f"{start}\n{body}\nreturn {{ {returned} }};\n}}\n"


def literal(value: object) -> str:
    r"""Write a value as a JavaScript literal.

    Examples
    --------
    >>> literal(("</script>", True, 2**60, None))
    '["\\u003c/script>", true, 1152921504606846976n, null]'
    """
    if isinstance(value, tuple):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, int) and abs(value) >= _EXACT_INTEGERS:
        return f"{value}n"
    return json.dumps(value).replace("<", "\\u003c")


def _rule(rule: Rule, program: LogicProgram) -> str:
    conditions = "".join(
        f"      {_condition(c, program.schema[c.feature])},\n" for c in plain_conditions(rule, program)
    )
    output = program.schema.target.outputs.index(rule.label)
    return (
        f"  {{ text: {literal(rule_text(rule, program.schema))},\n"
        f"    output: {output}, probability: {literal(rule.probability)}, conditions: [\n{conditions}  ] }},\n"
    )


def _condition(condition: Condition, feature: Feature) -> str:
    start, end = f"{{ feature: {literal(condition.feature)}", f"missing: {literal(condition.missing)} }}"
    if isinstance(condition, ValueCondition):
        if asks_chance(condition, feature):
            return f"{start}, chance: {literal(condition.values[0])}, {end}"
        return f"{start}, values: {literal(condition.values)}, negated: {literal(condition.negated)}, {end}"
    intervals = tuple(_ends(interval.low) + _ends(interval.high) for interval in condition.intervals)
    if feature.period is not None:
        start = f"{start}, period: {literal(feature.period)}, limit: {literal(farthest(feature.period))}"
    return f"{start}, intervals: {literal(intervals)}, {end}"


def _ends(boundary: Boundary | None) -> tuple[float | None, float | None]:
    return (None, None) if boundary is None else (boundary.value, boundary.width)
