"""Calculated columns as steps of a query: arithmetic and sameness, then what of it is finite, then counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from nln.export.calculations import NO_DIVISOR, calculations, plain_members
from nln.export.sql.children import children_query
from nln.export.sql.conditions import is_true
from nln.export.sql.dialects import CALCULATED, COUNTED, RAW, Dialect, cast, literals, value_kind
from nln.export.sql.steps import Step, column
from nln.rules.derived.arithmetic import TOLERANCE, Arithmetic, Term, needs_care
from nln.rules.derived.child_count import ChildCount
from nln.rules.derived.count import Count
from nln.rules.derived.same import Same
from nln.rules.program import LogicProgram
from nln.rules.schema import Feature, Schema


def stand_ins(program: LogicProgram) -> dict[str, Feature]:
    """Return for each calculated feature one with a short name, since databases limit the length of names."""
    named = enumerate(calculations(program, children=True), 1)
    return {feature.name: replace(feature, name=f"calculation_{place}") for place, feature in named}


def calculation_steps(program: LogicProgram, dialect: Dialect, tables: Mapping[str, tuple[str, ...]]) -> list[Step]:
    """Write the steps that calculate columns, each once for a row."""
    raw, found, counted = {}, {}, {}
    named = stand_ins(program)
    schema = program.schema
    for feature in named.values():
        derived = feature.derived
        if isinstance(derived, Arithmetic):
            result = f"result of {feature.name}"
            raw[result] = _quotient(derived, schema, dialect)
            found[feature.name] = _finite(column(result, RAW), dialect)
        elif isinstance(derived, Same):
            found[feature.name] = _same(derived, schema, dialect)
        elif isinstance(derived, ChildCount):
            found[feature.name] = children_query(derived, program, dialect, tables)
        elif isinstance(derived, Count):
            counted[feature.name] = _count(derived, schema, named, dialect)
    return [(RAW, raw), (CALCULATED, found), (COUNTED, counted)]


def _quotient(derived: Arithmetic, schema: Schema, dialect: Dialect) -> exp.Expression:
    result = _sum(derived.numerator, schema, dialect)
    if derived.denominator == NO_DIVISOR:
        return result
    if len(derived.denominator) > 1:
        divisors = [_sum(derived.denominator, schema, dialect)]
    else:
        divisors = [_operand(name, schema, dialect) for name in derived.denominator[0][0]]
    for divisor in divisors:
        below = exp.Nullif(this=divisor, expression=dialect.double(0.0))
        result = exp.Div(this=_bound(result), expression=below, typed=True)
    return result


def _sum(terms: tuple[Term, ...], schema: Schema, dialect: Dialect) -> exp.Expression:
    """Write a sum of products; one that only rounding keeps from 0 is 0."""
    total = _total(terms, schema, dialect)
    if not needs_care(terms):
        return total
    sizes: list[exp.Expression] = [exp.Abs(this=_product(monomial, schema, dialect)) for monomial, _ in terms]
    size = sizes[0]
    for other in sizes[1:]:
        size = exp.Add(this=size, expression=other)
    limit = exp.Mul(this=dialect.double(TOLERANCE), expression=exp.Paren(this=size))
    nearly = exp.LT(this=exp.Abs(this=_total(terms, schema, dialect)), expression=limit)
    return exp.Case().when(nearly, dialect.double(0.0), copy=False).else_(total, copy=False)


def _total(terms: tuple[Term, ...], schema: Schema, dialect: Dialect) -> exp.Expression:
    (first, sign), *others = terms
    total = _product(first, schema, dialect)
    total = exp.Neg(this=_bound(total)) if sign < 0 else total
    for monomial, each in others:
        kind = exp.Add if each > 0 else exp.Sub
        total = kind(this=total, expression=_product(monomial, schema, dialect))
    return total


def _product(monomial: tuple[str, ...], schema: Schema, dialect: Dialect) -> exp.Expression:
    result = _operand(monomial[0], schema, dialect)
    for name in monomial[1:]:
        result = exp.Mul(this=result, expression=_operand(name, schema, dialect))
    return result


def _operand(name: str, schema: Schema, dialect: Dialect) -> exp.Expression:
    """Name a column of numbers; where columns have no type, division of whole numbers would drop the fraction."""
    cell: exp.Expression = dialect.input(schema[name])
    return cell if dialect.is_typed else cast(cell, "REAL")


def _finite(cell: exp.Expression, dialect: Dialect) -> exp.Expression:
    """Write a number, NULL where it is infinite or not a number: only of finite ones the difference to itself is 0."""
    difference = exp.Sub(this=cell, expression=cell.copy())
    return exp.Case().when(exp.EQ(this=difference, expression=dialect.number(0.0)), cell.copy(), copy=False)


def _same(derived: Same, schema: Schema, dialect: Dialect) -> exp.Expression:
    one, other = (schema[name] for name in derived.features)
    kinds = {value_kind(feature.values, f"Feature {feature.name!r}") for feature in (one, other)}
    if len(kinds) > 1 and dialect.is_typed:
        raise ValueError(
            f"`{derived.text}` compares columns that a database holds as different types: {', '.join(sorted(kinds))}."
        )
    left, right = dialect.input(one), dialect.input(other)
    listed = exp.In(this=left.copy(), expressions=literals(one.values, one.values, f"Feature {one.name!r}", dialect))
    missing = exp.Or(this=_is_null(left), expression=_is_null(right))
    equal = exp.And(this=exp.EQ(this=left.copy(), expression=right.copy()), expression=listed)
    yes, no = (exp.true(), exp.false()) if dialect.is_typed else (exp.Literal.number(1), exp.Literal.number(0))
    result = exp.Case().when(missing, exp.Null(), copy=False).when(equal, yes, copy=False)
    return result.else_(no, copy=False)


def _count(derived: Count, schema: Schema, named: dict[str, Feature], dialect: Dialect) -> exp.Expression:
    """Write the sum of 1 for each member that holds."""
    parts = []
    for condition, feature in plain_members(derived, schema):
        test = is_true(condition, named.get(feature.name, feature), dialect)
        one = exp.Case().when(test, exp.Literal.number(1), copy=False)
        parts.append(one.else_(exp.Literal.number(0), copy=False))
    total: exp.Expression = parts[0]
    for part in parts[1:]:
        total = exp.Add(this=total, expression=part)
    return total


def _is_null(cell: exp.Expression) -> exp.Expression:
    return exp.Is(this=cell.copy(), expression=exp.Null())


def _bound(expression: exp.Expression) -> exp.Expression:
    """Put a sum in parentheses, so that a division or a sign concerns all of it."""
    return exp.Paren(this=expression) if isinstance(expression, exp.Add | exp.Sub) else expression
