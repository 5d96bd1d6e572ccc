"""Categories and labels as SQL literals, and the types of the columns that hold them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from nln.export.names import spelling
from nln.export.sql.dialects import Dialect
from nln.rules.schema import Value

_EXACT_INTEGERS = 2**53
"""Below this, every integer is a double of its own, so that a column of numbers may be compared as doubles."""


def value_kind(values: Sequence[Value], owner: str) -> str:
    """Name the type of a column with these values: text, boolean, number, integer (too large for a double), or mixed.

    A database column of mixed values holds text, so that two values with one spelling are refused.

    Examples
    --------
    >>> value_kind(("red", "blue"), "Feature 'colour'"), value_kind((True, 2.5), "Feature 'x'")
    ('text', 'number')
    >>> value_kind(("1", 1), "Feature 'x'")
    Traceback (most recent call last):
    ValueError: Feature 'x' has two values spelled '1'; one text column of a database cannot hold both.
    """
    texts = [isinstance(value, str) for value in values]
    if all(texts):
        return "text"
    if any(texts):
        _check_spellings(values, owner)
        return "mixed"
    if all(isinstance(value, bool) for value in values):
        return "boolean"
    exact = all(isinstance(value, str) or abs(value) < _EXACT_INTEGERS for value in values)
    return "number" if exact or any(isinstance(value, float) for value in values) else "integer"


def literals(values: Sequence[Value], among: Sequence[Value], owner: str, dialect: Dialect) -> list[exp.Expression]:
    """Write values as literals that compare with a column of all the values they are among.

    Examples
    --------
    >>> from nln.export.sql.dialects import DIALECTS
    >>> [e.sql("duckdb") for e in literals(("it's", 2), ("it's", 2), "Feature 'x'", DIALECTS["duckdb"])]
    ["'it''s'", "'2'"]
    """
    kind = value_kind(among, owner) if dialect.is_typed else ""
    return [_literal(value, kind, dialect) for value in values]


def _literal(value: Value, kind: str, dialect: Dialect) -> exp.Expression:
    if isinstance(value, str):
        return exp.Literal.string(value)
    if kind == "mixed":
        return exp.Literal.string(spelling(value))
    if kind == "boolean":
        return exp.true() if value else exp.false()
    return dialect.double(value) if isinstance(value, float) else exp.Literal.number(str(int(value)))


def _check_spellings(values: Sequence[Value], owner: str) -> None:
    seen: set[str] = set()
    for value in values:
        text = spelling(value)
        if text in seen:
            raise ValueError(
                f"{owner} has two values spelled {text!r}; one text column of a database cannot hold both."
            )
        seen.add(text)
