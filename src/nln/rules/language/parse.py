"""From text to a program: the inverse of `nln.rules.language.text`.

Evaluation never sees text; whatever the text names is looked up in the schema, and what is not there is an error that
shows the place and the nearest known name.
"""

from __future__ import annotations

from typing import Any

from lark import Token

from nln.rules.condition import Condition
from nln.rules.language.atoms import Atoms, Node
from nln.rules.language.grammar import parse_tree
from nln.rules.language.parse_condition import condition_start, read_condition
from nln.rules.language.words import spelled
from nln.rules.program import LogicProgram
from nln.rules.rule import Coverage, Rule
from nln.rules.schema import Schema, Value
from nln.rules.validate import LEAST_CLASS_THRESHOLD


def parse_program(text: str, schema: Schema) -> LogicProgram:
    """Read a program's text.

    Parameters
    ----------
    text : str
        IF-THEN rules and an OTHERWISE line. Left out, a probability is 1, a bias 0 and a threshold 0.5.
    schema : Schema
        The features and the target that the text speaks of.

    Returns
    -------
    LogicProgram
        The program; its text parses back to the same program.

    Raises
    ------
    RuleSyntaxError
        If the text does not follow the grammar or names something that the schema does not know.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = parse_program("if 1 <= x < 2 +- 0.1 or missing then class = yes (0.9)", schema)
    >>> print(program)
    IF   1 <= x < 2 ± 0.1 or missing
    THEN class = yes        (0.9)
    <BLANKLINE>
    OTHERWISE class = no    (P(class = yes) = 0; class = yes from 0.5)
    """
    if not isinstance(text, str):
        raise TypeError(f"A program's text is a string, not {type(text).__name__}.")
    atoms = Atoms(text, schema)
    sections: list[Any] = [section for section in parse_tree(text).children if section is not None]
    rules = tuple(_read_rule(section, atoms) for section in sections if section.data == "rule")
    closing = sections[-1] if sections[-1].data == "otherwise" else None
    biases, thresholds = _read_closing(closing, atoms)
    return LogicProgram(schema, rules, biases, thresholds)


def _read_rule(node: Any, atoms: Atoms) -> Rule:
    premises, claim, weight = node.children
    conditions = _read_premises(premises, atoms)
    label = _read_claim(claim, atoms)
    if weight is None:
        return Rule(conditions, label)
    chance, coverage = weight.children
    return Rule(conditions, label, atoms.probability(chance), _read_coverage(coverage, label, atoms))


def _read_premises(node: Node, atoms: Atoms) -> tuple[Condition, ...]:
    conditions: dict[str, Condition] = {}
    for child in node.children:
        part: Any = child
        condition = read_condition(part, atoms)
        if condition.feature in conditions:
            raise atoms.error(condition_start(part), f"The rule has a condition on {condition.feature!r} already.")
        conditions[condition.feature] = condition
    return tuple(conditions.values())


def _read_coverage(node: Any, label: Value, atoms: Atoms) -> Coverage | None:
    if node is None:
        return None
    hits, of_hits, claim, rows, of_rows = node.children
    named, value = claim.children
    token = named if value is None else value
    covered = atoms.label(token) if value is None else _read_claim(claim, atoms)
    if covered != label:
        raise atoms.error(token, f"The rule concludes {spelled(label)}, so it covers rows of that.")
    with atoms.located(hits):
        return Coverage(atoms.count(rows), atoms.count(of_rows), atoms.count(hits), atoms.count(of_hits))


def _read_claim(node: Any, atoms: Atoms) -> Value:
    """Read `class = yes`, or the label alone for a multi-label target; only outputs may be claimed."""
    target = atoms.schema.target
    token = _label_token(node, atoms)
    label = atoms.label(token)
    if label not in target.outputs:
        raise atoms.error(
            token, f"Rules conclude {spelled(target.outputs[0])}; {spelled(label)} is what holds OTHERWISE."
        )
    return label


def _label_token(node: Any, atoms: Atoms) -> Token:
    target = atoms.schema.target
    name, value = node.children
    token: Token
    if target.kind == "multilabel":
        if value is not None:
            raise atoms.error(value, "The target has several labels: name one alone, without `=`.")
        token = name
    else:
        if value is None or atoms.value(name) != target.name:
            raise atoms.error(name, f"The target is {spelled(target.name)}: write `{spelled(target.name)} = ...`.")
        token = value
    return token


def _read_closing(node: Any, atoms: Atoms) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Read biases and thresholds, by default 0 and 0.5."""
    target = atoms.schema.target
    biases: dict[Value, float] = {}
    thresholds: dict[Value, float] = {}
    if node is not None:
        claim, *entries = node.children
        if claim is not None:
            _check_closing_claim(claim, atoms)
        for entry in entries:
            if entry is not None:
                _read_entry(entry, biases if entry.data == "bias" else thresholds, atoms)
    is_plain = target.kind == "multiclass" and not thresholds
    limits = () if is_plain else tuple(thresholds.get(label, 0.5) for label in target.outputs)
    return tuple(biases.get(label, 0.0) for label in target.outputs), limits


def _check_closing_claim(claim: Any, atoms: Atoms) -> None:
    target = atoms.schema.target
    if target.kind != "binary":
        raise atoms.error(claim.children[0], "OTHERWISE names a label only if there are two; give `(P(...) = ...)`.")
    token = _label_token(claim, atoms)
    if atoms.label(token) != target.labels[0]:
        raise atoms.error(token, f"What holds OTHERWISE is {spelled(target.labels[0])}: the rules conclude the other.")


def _read_entry(entry: Any, found: dict[Value, float], atoms: Atoms) -> None:
    claim, number = entry.children
    label = _read_claim(claim, atoms)
    start = claim.children[0]
    if label in found:
        raise atoms.error(start, f"The {entry.data} of {spelled(label)} is given twice.")
    found[label] = atoms.probability(number)
    is_divisor = entry.data == "threshold" and atoms.schema.target.kind == "multiclass"
    if is_divisor and found[label] < LEAST_CLASS_THRESHOLD:
        raise atoms.error(start, f"The threshold of one of several classes must be at least {LEAST_CLASS_THRESHOLD}.")
