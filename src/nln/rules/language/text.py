"""The text form of programs, which says all that is computed and nothing else.

    IF   albumin != 0
     AND hemoglobin < 14.9 ± 0.3
     AND packed_cell_volume < 48.3 or missing (0.62)
    THEN class = ckd            (231 rows, 82 % ckd; 190 of 250 ckd in 400 rows; weight 0.98)

    OTHERWISE class = notckd    (P(class = ckd) = 0.02; class = ckd from 0.5)

A rule without conditions reads `IF   always`. After THEN stand the rows that the rule covers, how many of
them have its label, how many of the label's rows these are in how large a table, and the rule's weight. The numbers
after OTHERWISE are the biases, and `from` gives the threshold of a decision. `nln.rules.language.parse` reads it back.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nln.rules.circle import joined_arc
from nln.rules.condition import Boundary, Condition, Interval, IntervalCondition, ValueCondition
from nln.rules.language.calculations import calculation_texts, range_text
from nln.rules.language.words import counted, is_word, number, percent, spelled
from nln.rules.rule import Coverage, Rule
from nln.rules.schema import LARGEST_WHOLE, Feature, Schema, Target, Value

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

WIDTH = 100
"""Lists of values, intervals and probabilities continue on a new line where a line would become longer than this."""

LEGEND = (
    "The percentage says how often a rule was right. Its weight says how much it adds to a probability: "
    "where it holds, 1 - P is multiplied by 1 - weight."
)
"""What the numbers of a rule mean, in one line; commands show it below the rules."""

STARTS_LEGEND = "A rule that few starts of learning found is less certain to be found again."
"""The same where a rule says in how many starts it was found."""

LONG = 24
"""A label that takes more characters than this is not repeated with each number."""

_GAP = 4  # spaces between a conclusion and its numbers


def condition_text(condition: Condition, feature: Feature) -> str:
    """Write one condition on one line.

    Parameters
    ----------
    condition : ValueCondition or IntervalCondition
        The condition.
    feature : Feature
        The feature asked about.

    Examples
    --------
    >>> colour = Feature("colour", "categorical", ("blue", "green", "red"))
    >>> condition_text(ValueCondition("colour", ("blue", "red"), negated=True, missing=0.5), colour)
    'colour not in {blue, red} or missing (0.5)'
    """
    start, pieces = _condition_pieces(condition, feature)
    return start + " ".join(pieces)


def conditions_text(rule: Rule, schema: Schema) -> str:
    """Write a rule's conditions on one line, joined by AND."""
    return " AND ".join(condition_texts(rule, schema))


def condition_texts(rule: Rule, schema: Schema) -> list[str]:
    """Write each condition of a rule on one line; `always` for a rule without conditions."""
    return [condition_text(condition, schema[condition.feature]) for condition in rule.conditions] or ["always"]


def rule_line(rule: Rule, schema: Schema) -> str:
    """Write a rule without its coverage on one line; this reads back to the same rule."""
    conclusion = conclusion_text(schema.target, rule.label)
    return f"IF {conditions_text(rule, schema)} THEN {conclusion} (weight {number(rule.weight)})"


def rule_text(rule: Rule, schema: Schema) -> str:
    """Write one rule, one line for each condition and one for the conclusion.

    Parameters
    ----------
    rule : Rule
        The rule.
    schema : Schema
        The features and the target that it names.

    Examples
    --------
    >>> schema = Schema((Feature("colour", "categorical", ("blue", "red")),), Target("class", "binary", ("no", "yes")))
    >>> print(rule_text(Rule((ValueCondition("colour", ("red",)),), "yes", 0.75), schema))
    IF   colour = red
    THEN class = yes    (weight 0.75)
    """
    return _rule_text(rule, schema, len(_head(rule, schema.target)) + _GAP)


def program_text(program: LogicProgram) -> str:
    """Write a program: its rules, and the OTHERWISE line with biases and thresholds.

    Parameters
    ----------
    program : LogicProgram
        The program; `str(program)` gives the same text.
    """
    target = program.schema.target
    heads = [_head(rule, target) for rule in program.rules]
    end = "OTHERWISE "
    if target.kind == "binary":
        heads.append(end + conclusion_text(target, target.labels[0]))
        end = heads[-1]
    column = max(map(len, heads), default=0) + _GAP
    paragraphs = [_rule_text(rule, program.schema, column) for rule in program.rules]
    start = (end.ljust(column) if target.kind == "binary" else end) + "("
    paragraphs.append(_filled(start, _closing_pieces(program)))
    return "\n\n".join(paragraphs)


def closing_text(program: LogicProgram) -> str:
    """Write the OTHERWISE sentence with biases and thresholds on one line."""
    # Names never hold a raw line break: the rule language writes it as an escape.
    return re.sub(r"\n +", " ", program_text(program).rpartition("\n\n")[2])


def conclusion_text(target: Target, label: Value) -> str:
    """Write what a rule concludes: `class = yes`, or the label alone for a multi-label target."""
    return spelled(label) if target.kind == "multilabel" else f"{spelled(target.name)} = {spelled(label)}"


def _rule_text(rule: Rule, schema: Schema, column: int) -> str:
    lines = [] if rule.conditions else ["IF   always"]
    for i, condition in enumerate(rule.conditions):
        start, pieces = _condition_pieces(condition, schema[condition.feature])
        lines.append(_filled((" AND " if i else "IF   ") + start, pieces))
    lines.append(f"{_head(rule, schema.target):<{column}}({numbers_text(rule, schema.target)})")
    return "\n".join(lines)


def _head(rule: Rule, target: Target) -> str:
    return f"THEN {conclusion_text(target, rule.label)}"


def numbers_text(rule: Rule, target: Target) -> str:
    """Write what stands after a conclusion: what the rule covers, if few starts found it how many, and its weight."""
    pieces = [] if rule.coverage is None else [f"{coverage_text(rule.coverage, target, rule.label)};"]
    if rule.is_rarely_found:
        assert rule.starts is not None
        pieces.append(f"in {rule.starts[0]} of {counted(rule.starts[1], 'start')};")
    return " ".join([*pieces, f"weight {number(rule.weight)}"])


def coverage_text(coverage: Coverage, target: Target, label: Value) -> str:
    """Write what a rule covers: `231 rows, 82 % ckd; 190 of 250 ckd in 400 rows`."""
    what = label_text(target, label)
    of_hits = f"{coverage.of_hits} {what}" if len(what) <= LONG else str(coverage.of_hits)
    recall = f"{coverage.hits} of {of_hits} in {counted(coverage.of_rows, 'row')}"
    return f"{precision_text(coverage, target, label)}; {recall}"


def precision_text(coverage: Coverage, target: Target, label: Value) -> str:
    """Write how many rows a rule covers, and how many of them have its label: `231 rows, 82 % ckd`."""
    rows, what = counted(coverage.rows, "row"), label_text(target, label)
    what = what if len(what) <= LONG else "correct"
    return f"{rows}, {percent(coverage.hits / coverage.rows)} {what}" if coverage.rows else rows


def label_text(target: Target, label: Value) -> str:
    """Write a label after a number: `190 ckd` reads well, `190 1` does not, so it becomes `190 class = 1`."""
    return spelled(label) if is_word(label) else conclusion_text(target, label)


def _closing_pieces(program: LogicProgram) -> list[str]:
    """Return biases and thresholds, each with the punctuation that follows it."""
    target = program.schema.target
    pieces = []
    for k, (label, bias) in enumerate(zip(target.outputs, program.biases, strict=True)):
        what = conclusion_text(target, label)
        pieces.append(f"P({what}) = {number(bias)}")
        if program.thresholds:
            pieces[-1] += ";" if target.kind == "binary" else ","
            pieces.append(f"{what} from {number(program.thresholds[k])}")
        pieces[-1] += ";" if program.thresholds else ","
    pieces[-1] = pieces[-1][:-1] + ")"
    return pieces


def _condition_pieces(condition: Condition, feature: Feature) -> tuple[str, list[str]]:
    """Return a start and pieces to join by spaces or new lines."""
    name = spelled(condition.feature) if feature.is_named or feature.derived is None else feature.derived.text
    start = ""
    calculation = calculation_texts(condition, feature)
    if calculation is not None:
        pieces = [*calculation[:1], *(f"or {piece}" for piece in calculation[1:])]
    elif isinstance(condition, ValueCondition):
        start, pieces = _value_pieces(condition, name)
    else:
        pieces = _interval_texts(condition, name, feature)
        pieces[1:] = [f"or {piece}" for piece in pieces[1:]]
    chance = "" if condition.missing == 1 else f" ({number(condition.missing)})"
    if not pieces:
        return "", [f"{name} missing{chance}"]
    if condition.missing:
        pieces.append(f"or missing{chance}")
    return start, pieces


def _value_pieces(condition: ValueCondition, name: str) -> tuple[str, list[str]]:
    values = [spelled(value) for value in condition.values]
    if not values:
        return "", [f"{name} not missing"] if condition.negated else []
    if len(values) == 1:
        return "", [f"{name} {'!=' if condition.negated else '='} {values[0]}"]
    start = f"{name} {'not in' if condition.negated else 'in'} {{"
    return start, [f"{value}," for value in values[:-1]] + [f"{values[-1]}}}"]


def _interval_texts(condition: IntervalCondition, name: str, feature: Feature) -> list[str]:
    intervals = list(condition.intervals)
    if feature.whole and (hole := _hole(intervals)) is not None:
        return [f"{name} != {number(hole)}"]
    over_zero = joined_arc(intervals) if feature.kind == "periodic" else None
    if over_zero is None:
        return [_interval_text(interval, name, feature) for interval in intervals]
    low, high = (_boundary_text(end, feature) for end in over_zero)
    return [*(_interval_text(i, name, feature) for i in intervals[1:-1]), f"{low} <= {name} < {high}"]


def _interval_text(interval: Interval, name: str, feature: Feature) -> str:
    low, high = interval.low, interval.high
    if feature.whole and _is_whole(interval):
        return _whole_text(low, high, name)
    if feature.kind == "continuous" and not feature.whole:  # of whole numbers, `x > 3` says `x >= 4`
        return range_text(interval, name)
    if low is None:
        return f"{name} not missing" if high is None else f"{name} < {_boundary_text(high, feature)}"
    if high is None:
        return f"{name} >= {_boundary_text(low, feature)}"
    return f"{_boundary_text(low, feature)} <= {name} < {_boundary_text(high, feature)}"


def _whole_text(low: Boundary | None, high: Boundary | None, name: str) -> str:
    """Write an interval of whole numbers by the first and the last number inside."""
    first, last = low and number(low.value), high and number(high.value - 1)
    if first is None:
        return f"{name} not missing" if last is None else f"{name} <= {last}"
    if last is None:
        return f"{name} >= {first}"
    return f"{name} = {first}" if first == last else f"{name} in {first} to {last}"


def _is_whole(interval: Interval) -> bool:
    """Tell whether the boundaries are crisp whole numbers."""
    ends = [end for end in (interval.low, interval.high) if end is not None]
    return all(not end.width and end.value.is_integer() and abs(end.value) <= LARGEST_WHOLE for end in ends)


def _hole(intervals: list[Interval]) -> float | None:
    """Return the one whole number that a union leaves out, if that is all it does."""
    if len(intervals) != 2 or intervals[0].low or intervals[1].high or not all(map(_is_whole, intervals)):
        return None
    below, above = intervals[0].high, intervals[1].low
    return below.value if below and above and above.value == below.value + 1 else None


def _boundary_text(boundary: Boundary, feature: Feature) -> str:
    if not feature.is_numeric:
        return spelled(feature.values[int(boundary.value)])
    return number(boundary.value) + (f" ± {number(boundary.width)}" if boundary.width else "")


def _filled(start: str, pieces: list[str]) -> str:
    """Join pieces by spaces, and by new lines below the first piece where a line would become longer than `WIDTH`."""
    lines = [start + pieces[0]]
    for piece in pieces[1:]:
        if len(lines[-1]) + 1 + len(piece) > WIDTH:
            lines.append(" " * len(start) + piece)
        else:
            lines[-1] += f" {piece}"
    return "\n".join(lines)
