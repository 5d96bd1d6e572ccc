"""From text to the parts of a program: the inverse of `nln.rules.language.text`.

Evaluation never sees text. Whatever the text names is looked up in the schema; what is not there is an error that shows
the place and the nearest known name. This module loads lark, so `LogicProgram.parse` imports it when it is first used.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from lark import Token, Tree

from nln.rules.condition import Condition
from nln.rules.language.conditions import read_condition
from nln.rules.language.grammar import parse_tree
from nln.rules.language.tokens import TokenReader, first_token
from nln.rules.language.words import is_percent, spelled
from nln.rules.rule import Coverage, ProgramParts, Rule, check_starts
from nln.rules.schema import DEFAULT_THRESHOLD, Schema, Value
from nln.rules.validate import LEAST_CLASS_THRESHOLD

Node: TypeAlias = Tree[Token]


def parse_program(text: str, schema: Schema) -> ProgramParts:
    """Read a program's text; if left out, a weight is 1, a bias 0 and a threshold 0.5."""
    if not isinstance(text, str):
        raise TypeError(f"A program's text is a string, not {type(text).__name__}.")
    reader = TokenReader(text, schema)
    sections: list[Any] = [section for section in parse_tree(text).children if section is not None]
    rules = tuple(_read_rule(section, reader) for section in sections if section.data == "rule")
    closing = sections[-1] if sections[-1].data == "otherwise" else None
    biases, thresholds = _read_closing(closing, reader)
    return ProgramParts(reader.full_schema(), rules, biases, thresholds)


def _read_rule(node: Any, reader: TokenReader) -> Rule:
    premises, claim, weight = node.children
    conditions = _read_premises(premises, reader)
    label = _read_claim(claim, reader)
    if weight is None:
        return Rule(conditions, label)
    if weight.data == "earlier":
        number, *counts = weight.children
        coverage = None if counts[0] is None else _read_earlier_coverage(counts, label, reader)
        return Rule(conditions, label, reader.probability(number, "weight"), coverage)
    counts, starts, number = weight.children
    coverage = None if counts is None else _read_coverage(counts.children, label, reader)
    found = None if starts is None else _read_starts(starts, reader)
    return Rule(conditions, label, reader.probability(number, "weight"), coverage, found)


def _read_premises(node: Node, reader: TokenReader) -> tuple[Condition, ...]:
    conditions: dict[str, Condition] = {}
    for child in node.children:
        part: Any = child
        condition = read_condition(part, reader)
        if condition.feature in conditions:
            raise reader.error(
                first_token(part),
                f"The rule has a condition on {condition.feature!r} already. Join the two into one condition.",
            )
        conditions[condition.feature] = condition
    return tuple(conditions.values())


def _read_coverage(parts: Any, label: Value, reader: TokenReader) -> Coverage:
    """Read `124 rows, 98 % malignant; 121 of 241 malignant in 699 rows`; the percentage must fit the counts."""
    rows, share, *shared, hits, of_hits, claim, of_rows = parts
    _check_counted(claim, label, reader)
    with reader.pointing_at(hits):
        found = Coverage(reader.count(rows), reader.count(of_rows), reader.count(hits), reader.count(of_hits))
    if share is not None:
        _check_counted(shared[0] if shared else None, label, reader)
        if found.rows == 0 or not is_percent(share, found.hits / found.rows):
            raise reader.error(share, f"{share} % contradicts the counts: {found.hits} of {found.rows} rows have it.")
    return found


def _read_earlier_coverage(parts: Any, label: Value, reader: TokenReader) -> Coverage:
    """Read `covers 190 of 250 ckd, 231 of 400 rows`, as earlier versions wrote it."""
    hits, of_hits, claim, rows, of_rows = parts
    _check_counted(claim, label, reader)
    with reader.pointing_at(hits):
        return Coverage(reader.count(rows), reader.count(of_rows), reader.count(hits), reader.count(of_hits))


def _check_counted(claim: Any, label: Value, reader: TokenReader) -> None:
    if claim is None:  # a long label is not repeated
        return
    named, value = claim.children
    token = named if value is None else value
    counted = reader.label(token) if value is None else _read_claim(claim, reader)
    if counted != label:
        raise reader.error(token, f"The rule concludes {spelled(label)}, so rows of that label are counted.")


def _read_starts(node: Any, reader: TokenReader) -> tuple[int, int]:
    found, of = (reader.count(token) for token in node.children)
    with reader.pointing_at(node.children[0]):
        check_starts(found, of)
    return found, of


def _read_claim(node: Any, reader: TokenReader) -> Value:
    """Read `class = yes`, or the label alone for a multi-label target; only outputs may be claimed."""
    target = reader.schema.target
    token = _label_token(node, reader)
    label = reader.label(token)
    if label not in target.outputs:
        raise reader.error(
            token, f"Rules conclude {spelled(target.outputs[0])}; {spelled(label)} is what holds OTHERWISE."
        )
    return label


def _label_token(node: Any, reader: TokenReader) -> Token:
    target = reader.schema.target
    name: Token
    value: Token | None
    name, value = node.children
    if target.kind == "multilabel":
        if value is not None:
            raise reader.error(value, "The target has several labels: name one alone, without `=`.")
        return name
    if value is None or reader.value(name) != target.name:
        raise reader.error(name, f"The target is {spelled(target.name)}: write `{spelled(target.name)} = ...`.")
    return value


def _read_closing(node: Any, reader: TokenReader) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Read biases and thresholds."""
    target = reader.schema.target
    biases: dict[Value, float] = {}
    thresholds: dict[Value, float] = {}
    if node is not None:
        claim, *entries = node.children
        if claim is not None:
            _check_closing_claim(claim, reader)
        for entry in entries:
            if entry is not None:
                _read_entry(entry, biases if entry.data == "bias" else thresholds, reader)
    limits = target.default_thresholds
    if thresholds:
        limits = tuple(thresholds.get(label, DEFAULT_THRESHOLD) for label in target.outputs)
    return tuple(biases.get(label, 0.0) for label in target.outputs), limits


def _check_closing_claim(claim: Any, reader: TokenReader) -> None:
    target = reader.schema.target
    if target.kind != "binary":
        raise reader.error(
            claim.children[0], "OTHERWISE names a label only if there are two; write `OTHERWISE (P(...) = ...)`."
        )
    token = _label_token(claim, reader)
    if reader.label(token) != target.labels[0]:
        raise reader.error(
            token, f"What holds OTHERWISE is {spelled(target.labels[0])}: the rules conclude the other class."
        )


def _read_entry(entry: Any, found: dict[Value, float], reader: TokenReader) -> None:
    claim, number = entry.children
    label = _read_claim(claim, reader)
    start = claim.children[0]
    if label in found:
        raise reader.error(start, f"The {entry.data} of {spelled(label)} is given twice. Leave one out.")
    found[label] = reader.probability(number)
    is_divisor = entry.data == "threshold" and reader.schema.target.kind == "multiclass"
    if is_divisor and found[label] < LEAST_CLASS_THRESHOLD:
        raise reader.error(start, f"The threshold of one of several classes must be at least {LEAST_CLASS_THRESHOLD}.")
