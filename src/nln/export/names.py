"""Names of the columns or fields that scoring adds to a table, apart from each other and from those of the table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nln.rules.language.words import number
from nln.rules.schema import Schema, Value

_MOST_BYTES = 55
"""PostgreSQL cuts names after 63 bytes; this leaves room for what makes a name unique."""


@dataclass(frozen=True, slots=True)
class ResultNames:
    """Names of the added columns.

    Parameters
    ----------
    probabilities, decisions, rules : tuple of str
        One probability per output; decisions and deciding rules one in all, or one per label of a multi-label target.
    """

    probabilities: tuple[str, ...]
    decisions: tuple[str, ...]
    rules: tuple[str, ...]


def result_names(schema: Schema) -> ResultNames:
    """Name the columns that scoring adds.

    Parameters
    ----------
    schema : Schema
        Its features and target are names that are taken, in any case: to most databases `P` and `p` are one name.

    Examples
    --------
    >>> from nln.rules import Target
    >>> result_names(Schema((), Target("class", "binary", ("no", "yes"))))
    ResultNames(probabilities=('p_yes',), decisions=('decision',), rules=('rule',))
    """
    target = schema.target
    taken = {_key(name) for name in (*schema.names, target.name)}
    outputs = [spelling(label) for label in target.outputs]
    each = [f"_{label}" for label in outputs] if target.kind == "multilabel" else [""]
    return ResultNames(
        _unique((f"p_{label}" for label in outputs), taken),
        _unique((f"decision{end}" for end in each), taken),
        _unique((f"rule{end}" for end in each), taken),
    )


def spelling(value: Value) -> str:
    """Spell a value in a text column: `true` and `false`, numbers as short as they read back, text as it is.

    Examples
    --------
    >>> spelling(True), spelling(1.0), spelling("1")
    ('true', '1', '1')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else number(value)


def _unique(names: Iterable[str], taken: set[str]) -> tuple[str, ...]:
    result = []
    for name in names:
        start = name.encode()[:_MOST_BYTES].decode(errors="ignore")
        unique, count = start, 1
        while _key(unique) in taken:
            count += 1
            unique = f"{start}_{count}"
        taken.add(_key(unique))
        result.append(unique)
    return tuple(result)


def _key(name: str) -> str:
    return name.casefold()
