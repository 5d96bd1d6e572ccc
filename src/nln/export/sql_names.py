"""Names of the columns that a scoring query adds, apart from each other and from those of the table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nln.export.sql_values import spelling
from nln.rules.schema import Schema

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
    """Name the columns that a query adds.

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
