"""Texts that several formats share: parts of a program's text, values as plain text, names of result columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nln.rules.language.text import rule_text
from nln.rules.language.words import spelled
from nln.rules.rule import Rule
from nln.rules.schema import Schema, Value

_MOST_BYTES = 55
"""PostgreSQL cuts names after 63 bytes; this leaves room for a number that makes a name unique."""


def rule_comment(rule: Rule, schema: Schema, mark: str) -> str:
    """Write a rule's text as comment lines, each beginning with `mark`."""
    return "".join(f"{mark} {line}\n" for line in rule_text(rule, schema).split("\n"))


def check_characters(text: str, language: str) -> None:
    """Refuse text with NUL or a lone surrogate, which some languages cannot hold."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(f"{language} cannot hold the character NUL or half of a surrogate pair, as in {text!r}.")


def spelling(value: Value) -> str:
    """Spell a value in a text column: text literally, numbers and truth values as in the rule language."""
    return value if isinstance(value, str) else spelled(value)


@dataclass(frozen=True, slots=True)
class ResultNames:
    """Names of the columns or fields that scoring adds to a table."""

    probabilities: tuple[str, ...]  # one per output, or per label
    decisions: tuple[str, ...]  # one, or one per label of a multi-label target
    rules: tuple[str, ...]  # the deciding rules, as many as decisions


def result_names(schema: Schema, *, labels: bool = False) -> ResultNames:
    """Name the columns that scoring adds, so that they differ from each other and from those of the table.

    There is a probability for each output or, if `labels`, for each label. Names that differ only in case count as
    equal, since to most databases `P` and `p` are one name.
    """
    target = schema.target
    columns = (name for feature in schema.plain(schema.names) for name in (feature.name, *feature.columns))
    taken = {name.casefold() for name in (*columns, target.name)}
    outputs = [spelling(label) for label in (target.labels if labels else target.outputs)]
    endings = [f"_{label}" for label in outputs] if target.kind == "multilabel" else [""]
    return ResultNames(
        _unique((f"p_{label}" for label in outputs), taken),
        _unique((f"decision{ending}" for ending in endings), taken),
        _unique((f"rule{ending}" for ending in endings), taken),
    )


def _unique(names: Iterable[str], taken: set[str]) -> tuple[str, ...]:
    result = []
    for name in names:
        start = name.encode()[:_MOST_BYTES].decode(errors="ignore")
        unique, count = start, 1
        while unique.casefold() in taken:
            count += 1
            unique = f"{start}_{count}"
        taken.add(unique.casefold())
        result.append(unique)
    return tuple(result)
