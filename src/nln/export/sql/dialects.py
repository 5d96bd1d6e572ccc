"""What differs between databases: numbers, literals, types, missing values, and how a query names its steps."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from nln.export.wording import spelling
from nln.rules.schema import Feature, Value

SOURCE = "source"
"""Alias of the table that is scored."""

INPUTS = "inputs"
"""Alias of the step that cleans the features' columns, where there is something to clean."""

RAW, CALCULATED, COUNTED = "results", "calculated", "counted"
"""Aliases of the steps that calculate columns: results of arithmetic, those of them that are numbers, and counts."""

Step: TypeAlias = tuple[str, Mapping[str, exp.Expression]]
"""A step of the computation: its alias, and its columns computed from those of earlier steps."""

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

    def cleans(self, feature: Feature) -> bool:
        """Tell whether a feature's column must be cleaned: it may hold NaN, or numbers outside their range."""
        return self.is_typed or feature.kind in ("periodic", "probability")

    def input(self, feature: Feature) -> exp.Column:
        """Name the column that holds a feature's values ready to be compared."""
        if feature.derived is not None:
            return column(feature.name, COUNTED if feature.derived.kind == "ordinal" else CALCULATED)
        if not self.cleans(feature):
            return column(feature.name, SOURCE)
        # SQLite renames a column of a step that is called true or false.
        return column(feature.name if self.is_typed else f"cleaned {feature.name}", INPUTS)


def column(name: str, step: str) -> exp.Column:
    """Name a column of a step, quoted."""
    return exp.column(name, table=step, quoted=True)


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


def _lateral_joins(table: exp.Table, steps: Sequence[Step], results: Mapping[str, exp.Expression]) -> exp.Select:
    query = exp.Select(expressions=[_everything(), *_aliased(results)]).from_(table, copy=False)
    for alias, columns in steps:
        inner = exp.Subquery(this=exp.Select(expressions=_aliased(columns)))
        lateral = exp.Lateral(this=inner, alias=_table_alias(alias))
        query.append("joins", exp.Join(this=lateral, kind="CROSS"))
    return query


def _nested_queries(table: exp.Table, steps: Sequence[Step], results: Mapping[str, exp.Expression]) -> exp.Select:
    """Nest the steps in one scalar query per result, since SQLite has no lateral joins."""
    scored: dict[str, exp.Expression] = {}
    for name, result in results.items():
        inner: exp.Subquery | None = None
        below = ""
        for place, (alias, columns) in enumerate(steps):
            later = [result, *(e for _, more in steps[place + 1 :] for e in more.values())]
            handed = {each: column(each, below) for each in _asked(later, [s[0] for s in steps[:place]])}
            own = {each: _redirected(e, steps[:place], below) for each, e in columns.items()}
            select = exp.Select(expressions=_aliased({**handed, **own}))
            inner = exp.Subquery(this=_from(select, inner), alias=_table_alias(alias))
            below = alias
        shown = _redirected(result, steps, below)
        scored[name] = exp.Subquery(this=_from(exp.Select(expressions=[shown]), inner))
    return exp.Select(expressions=[_everything(), *_aliased(scored)]).from_(table, copy=False)


def _asked(expressions: Sequence[exp.Expression], aliases: Sequence[str]) -> list[str]:
    """Return which columns of some steps are asked for, each once: a step hands them on to those around it."""
    found = (cell for expression in expressions for cell in expression.find_all(exp.Column))
    return list(dict.fromkeys(cell.name for cell in found if cell.table in aliases))


def _redirected(expression: exp.Expression, steps: Sequence[Step], below: str) -> exp.Expression:
    """Take the columns of all earlier steps from the one below, which hands them on."""
    result = expression.copy()
    aliases = {alias for alias, _ in steps}
    cells = [cell for cell in result.find_all(exp.Column) if cell.table in aliases]
    for cell in cells:
        cell.set("table", exp.to_identifier(below, quoted=True))
    return result


def _from(query: exp.Select, inner: exp.Subquery | None) -> exp.Select:
    return query if inner is None else query.from_(inner, copy=False)


def _everything() -> exp.Expression:
    return exp.Column(this=exp.Star(), table=exp.to_identifier(SOURCE, quoted=True))


def _aliased(columns: Mapping[str, exp.Expression]) -> list[exp.Expression]:
    return [
        exp.Alias(this=expression, alias=exp.to_identifier(name, quoted=True)) for name, expression in columns.items()
    ]


def _table_alias(name: str) -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True))


DIALECTS: dict[str, Dialect] = {
    "sqlite": Dialect("sqlite", sqlite_number, sqlite_number, _nested_queries, is_typed=False),
    "duckdb": Dialect("duckdb", duckdb_number, duckdb_number, _lateral_joins),
    "postgres": Dialect(
        "postgres",
        postgres_number,
        lambda value: cast(postgres_number(value), "DOUBLE"),
        _lateral_joins,
        raises_on_underflow=True,
    ),
}
"""The databases that `to_sql` can write for."""
