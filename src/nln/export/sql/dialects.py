"""What differs between databases: numbers, types, missing values, and how a query names its intermediate steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from nln.export.sql.numbers import duckdb_number, postgres_number, sqlite_number
from nln.rules.schema import Feature

SOURCE = "source"
"""Alias of the table that is scored."""

INPUTS = "inputs"
"""Alias of the step that cleans the features' columns, where there is something to clean."""

Layer: TypeAlias = tuple[str, Mapping[str, exp.Expression]]
"""A step of the computation: its alias, and its columns computed from those of earlier steps."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One database.

    Parameters
    ----------
    name : str
        Its name in sqlglot.
    number : callable
        Writes a float so that it reads back to the same bits.
    double : callable
        Does so with a type of double precision, where `number` may give a decimal.
    assemble : callable
        Joins the table, the steps and the results into one query.
    is_typed : bool
        Whether a column has one type, floats know NaN, and a CASE has one type.
    raises_on_underflow : bool
        Whether a product too small for a float is an error instead of 0.
    """

    name: str
    number: Callable[[float], exp.Expression]
    double: Callable[[float], exp.Expression]
    assemble: Callable[[exp.Table, Sequence[Layer], Mapping[str, exp.Expression]], exp.Select]
    is_typed: bool = True
    raises_on_underflow: bool = False

    def cleans(self, feature: Feature) -> bool:
        """Tell whether a feature's column is not used as it is: it may hold NaN, or numbers outside their range."""
        return self.is_typed or feature.kind in ("periodic", "probability")

    def input(self, feature: Feature) -> exp.Column:
        """Name the column that holds a feature's values ready to be compared."""
        if not self.cleans(feature):
            return column(feature.name, SOURCE)
        # SQLite gives a column of a step named true or false another name.
        return column(feature.name if self.is_typed else f"cleaned {feature.name}", INPUTS)


def column(name: str, layer: str) -> exp.Column:
    """Name a column of a step, quoted.

    Examples
    --------
    >>> column("a b", "inputs").sql()
    '"inputs"."a b"'
    """
    return exp.column(name, table=layer, quoted=True)


def cast(expression: exp.Expression, kind: str) -> exp.Expression:
    """Convert to a type.

    Examples
    --------
    >>> cast(column("x", "t"), "DOUBLE").sql("postgres")
    'CAST("t"."x" AS DOUBLE PRECISION)'
    """
    return exp.Cast(this=expression, to=exp.DataType.build(kind))


def _lateral_joins(table: exp.Table, layers: Sequence[Layer], results: Mapping[str, exp.Expression]) -> exp.Select:
    query = exp.Select(expressions=[_everything(), *_aliased(results)]).from_(table, copy=False)
    for alias, columns in layers:
        inner = exp.Subquery(this=exp.Select(expressions=_aliased(columns)))
        lateral = exp.Lateral(this=inner, alias=_table_alias(alias))
        query.append("joins", exp.Join(this=lateral, kind="CROSS"))
    return query


def _nested_queries(table: exp.Table, layers: Sequence[Layer], results: Mapping[str, exp.Expression]) -> exp.Select:
    """Put the steps into a scalar query per result; SQLite has no lateral joins."""
    scored: dict[str, exp.Expression] = {}
    for name, result in results.items():
        inner: exp.Subquery | None = None
        for alias, columns in layers:
            step = exp.Select(expressions=[e.copy() for e in _aliased(columns)])
            inner = exp.Subquery(this=_from(step, inner), alias=_table_alias(alias))
        scored[name] = exp.Subquery(this=_from(exp.Select(expressions=[result]), inner))
    return exp.Select(expressions=[_everything(), *_aliased(scored)]).from_(table, copy=False)


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
