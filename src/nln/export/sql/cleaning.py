"""Columns of a table as conditions compare them: NULL for missing, doubles within their range."""

from __future__ import annotations

from sqlglot import exp

from nln.export.sql.conditions import NEGLIGIBLE, all_of, wrapped
from nln.export.sql.dialects import Dialect, cast, value_kind
from nln.export.sql.steps import SOURCE, column
from nln.rules.circle import circle_limit
from nln.rules.readings import PrefixReading
from nln.rules.schema import Feature


def named_table(parts: tuple[str, ...], alias: str) -> exp.Table:
    """Name a table by the parts of its name, with an alias."""
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"A table's name has one to three parts, not {len(parts)}: {parts!r}.")
    names = [exp.to_identifier(part, quoted=True) for part in reversed(parts)]
    result = exp.Table(**dict(zip(("this", "db", "catalog"), names, strict=False)))
    result.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    return result


def cleaned(feature: Feature, dialect: Dialect) -> exp.Expression:
    """Read a feature's column: missing values become NULL, numbers become doubles within their range.

    Of codes the first characters are taken.
    """
    if isinstance(feature.reading, PrefixReading):
        code = cast(column(feature.reading.column, SOURCE), "TEXT")
        first, length = exp.Literal.number(1), exp.Literal.number(feature.reading.length)
        return exp.Substring(this=code, start=first, length=length)
    raw = column(feature.name, SOURCE)
    kind = "number" if feature.is_numeric else value_kind(feature.values, f"Feature {feature.name!r}")
    if kind in ("text", "mixed"):
        return cast(raw, "TEXT")
    if kind != "number":
        return raw
    number: exp.Expression = raw
    if dialect.is_typed:
        not_a_number = cast(exp.Literal.string("NaN"), "DOUBLE")
        number = exp.Nullif(this=cast(raw, "DOUBLE"), expression=not_a_number)
    if feature.period is not None:
        return _on_circle(number, feature.period, dialect)
    return _probability(number, dialect) if feature.kind == "probability" else number


def _on_circle(x: exp.Expression, period: float, dialect: Dialect) -> exp.Expression:
    """Write `x - period * floor(x / period)` as `nln.rules.circle` computes it; NULL beyond the limit.

    Numbers within a period of 0 are not divided, which could underflow.
    """
    turn = dialect.double(period)
    near = exp.LT(this=exp.Abs(this=x.copy()), expression=dialect.double(circle_limit(period)))
    turns = exp.Floor(this=exp.Div(this=x.copy(), expression=wrapped(turn.copy()), typed=True))
    whole = exp.Mul(this=wrapped(turn.copy()), expression=turns)
    return (
        exp.Case()
        .when(_between(x, 0.0, period, dialect), x.copy(), copy=False)
        .when(_between(x, -period, 0.0, dialect), exp.Add(this=x.copy(), expression=wrapped(turn)), copy=False)
        .when(near, exp.Sub(this=x.copy(), expression=wrapped(whole)), copy=False)
    )


def _between(x: exp.Expression, low: float, high: float, dialect: Dialect) -> exp.Expression:
    least = exp.GTE(this=x.copy(), expression=dialect.double(low))
    return all_of([least, exp.LT(this=x.copy(), expression=dialect.double(high))])


def _probability(p: exp.Expression, dialect: Dialect) -> exp.Expression:
    """Write a number from 0 to 1, NULL outside that range; where underflow is an error, a negligible one becomes 0."""
    least = NEGLIGIBLE if dialect.raises_on_underflow else 0.0
    at_least = exp.GTE(this=p.copy(), expression=dialect.double(least))
    inside = all_of([at_least, exp.LTE(this=p.copy(), expression=dialect.double(1.0))])
    result = exp.Case().when(inside, p.copy(), copy=False)
    return result.when(_between(p, 0.0, least, dialect), dialect.double(0.0), copy=False) if least else result
