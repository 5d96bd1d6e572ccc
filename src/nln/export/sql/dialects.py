"""What differs between databases: numbers, literals, types, missing values, and how a query names its steps."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlglot import exp

from nln.export.sql.steps import INPUTS, SOURCE, Step, column, lateral_joins, nested_rows, nested_values
from nln.export.wording import spelling
from nln.rules.readings import PrefixReading
from nln.rules.schema import Feature, Value

RAW, CALCULATED, COUNTED = "results", "calculated", "counted"
"""Aliases of the steps that calculate columns: results of arithmetic, those of them that are numbers, and counts."""

_POWER = 49
"""The largest power of two used as a factor: 2**49 has 15 digits, which every database reads exactly."""

_EXACT_INTEGERS = 2**53
"""Below this, different integers are different doubles, so a column of numbers can be compared as doubles."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One database."""

    name: str  # in sqlglot
    number: Callable[[float], exp.Expression]  # writes a float that reads back to the same bits
    double: Callable[[float], exp.Expression]  # the same in double precision, where `number` may give a decimal
    assemble: Callable[[exp.Table, Sequence[Step], Mapping[str, exp.Expression]], exp.Select]
    is_typed: bool = True  # whether columns and CASE have one type, and floats may be NaN
    raises_on_underflow: bool = False  # whether a product too small for a float is an error instead of 0

    @property
    def is_nested(self) -> bool:
        """Whether each step is a query about the one before."""
        return self.assemble is not lateral_joins

    def cleans(self, feature: Feature) -> bool:
        """Tell whether a feature's column must be cleaned: it may hold NaN, numbers outside their range, or codes."""
        is_prefix = isinstance(feature.reading, PrefixReading)
        return self.is_typed or is_prefix or feature.kind in ("periodic", "probability")

    def input(self, feature: Feature) -> exp.Column:
        """Name the column that holds a feature's values ready to be compared."""
        if feature.derived is not None:
            return column(feature.name, COUNTED if feature.derived.kind == "ordinal" else CALCULATED)
        if not self.cleans(feature):
            return column(feature.name, SOURCE)
        # Steps that are nested hand columns on, so names differ; SQLite renames a column that is called true or false.
        return column(f"cleaned {feature.name}" if self.is_nested else feature.name, INPUTS)


def cast(expression: exp.Expression, kind: str) -> exp.Expression:
    """Convert to a type."""
    return exp.Cast(this=expression, to=exp.DataType.build(kind))


def sqlite_number(value: float) -> exp.Expression:
    """Write a number; far from 1, where SQLite reads the last bit wrongly, as an integer times powers of two."""
    if value == 0 or 1e-15 < abs(value) < 1e15:
        return _signed(value, repr(abs(value)))
    fraction, exponent = math.frexp(value)
    whole, exponent = int(fraction * 2**53), exponent - 53
    result = _signed(whole, repr(float(abs(whole))))
    while exponent:
        step = min(abs(exponent), _POWER)
        power = exp.Literal.number(repr(float(2**step)))
        if exponent > 0:
            result, exponent = exp.Mul(this=result, expression=power), exponent - step
        else:
            result, exponent = exp.Div(this=result, expression=power, typed=True), exponent + step
    return result


def duckdb_number(value: float) -> exp.Expression:
    """Write a number with an exponent, which makes it a DOUBLE and not a DECIMAL."""
    text = repr(abs(value))
    return _signed(value, text if "e" in text else f"{text}e0")


def postgres_number(value: float) -> exp.Expression:
    """Write a number as an exact decimal; next to a double it is converted to one with correct rounding."""
    return _signed(value, repr(abs(value)))


def _signed(value: float, text: str) -> exp.Expression:
    # sqlglot would rewrite a negative number without its exponent.
    number = exp.Literal.number(text)
    return exp.Neg(this=number) if value < 0 else number


def value_kind(values: Sequence[Value], owner: str) -> str:
    """Name the type of a column with these values: text, boolean, number, integer (too large for a double), or mixed.

    A database column of mixed values holds text, so two values with the same spelling are refused.
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
    """Write values as literals that can be compared with a column holding all the values in `among`."""
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
    text, count = Counter(map(spelling, values)).most_common(1)[0]
    if count > 1:
        raise ValueError(
            f"{owner} has two values spelled {text!r}; a text column of a database cannot tell them apart."
        )


DIALECTS: dict[str, Dialect] = {
    "sqlite": Dialect("sqlite", sqlite_number, sqlite_number, nested_values, is_typed=False),
    "duckdb": Dialect("duckdb", duckdb_number, duckdb_number, nested_rows),
    "postgres": Dialect(
        "postgres",
        postgres_number,
        lambda value: cast(postgres_number(value), "DOUBLE"),
        lateral_joins,
        raises_on_underflow=True,
    ),
    "spark": Dialect("spark", duckdb_number, duckdb_number, partial(nested_rows, pack="STRUCT(`{}`.*)")),
}
"""The databases that `to_sql` can write for."""
