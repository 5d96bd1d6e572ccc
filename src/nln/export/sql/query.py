"""The scoring query of a program: cleaned columns, then contributions, then probabilities, then the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from nln.export.calculations import asked_features
from nln.export.plain import GROUP, grouped, plain_conditions, rules_by_output
from nln.export.sql.calculations import calculation_steps, stand_ins
from nln.export.sql.children import child_texts
from nln.export.sql.cleaning import cleaned, named_table
from nln.export.sql.conditions import (
    all_of,
    complement,
    degree,
    is_true,
    negligible_as_zero,
    product,
)
from nln.export.sql.dialects import INPUTS, SOURCE, Dialect, Step, cast, column, literals
from nln.export.wording import ResultNames, check_characters, result_names
from nln.rules.condition import is_crisp
from nln.rules.program import LogicProgram
from nln.rules.rule import Rule

RULES, OUTPUTS = "rules", "outputs"
"""Aliases of the steps that compute contributions and probabilities."""

_CONTRIBUTES = 1e-12
"""A fuzzy rule contributes a little everywhere; only from this contribution on can it be the deciding rule."""

_LINE_BREAK = "__SQLGLOT__LB__"

_MOST_ARGUMENTS = 100
"""SQLite's functions take at most 127 arguments."""


def scoring_query(
    program: LogicProgram,
    dialect: Dialect,
    table: tuple[str, ...],
    tables: Mapping[str, tuple[str, ...]] | None = None,
) -> str:
    """Write the query; `table` holds the parts of the table's name, at most three, and `tables` those of children."""
    tables = tables or {}
    _check_texts(program, (*table, *(part for parts in tables.values() for part in parts)))
    features = [feature for feature in asked_features(program) if dialect.cleans(feature)]
    steps: list[Step] = [
        (INPUTS, {dialect.input(feature).name: cleaned(feature, dialect) for feature in features}),
        *calculation_steps(program, dialect, tables),
        (RULES, {_contributed(i).name: _contribution(rule, program, dialect) for i, rule in enumerate(program.rules)}),
        (OUTPUTS, _probabilities(program, dialect)),
    ]
    answer = _results(program, result_names(program.schema), dialect)
    query = dialect.assemble(named_table(table, SOURCE), [step for step in steps if step[1]], answer)
    # sqlglot keeps the places of line breaks by a word of its own, and would make a line break of the same word here.
    is_plain = not any(_LINE_BREAK in text for text in _texts(program, table))
    return query.sql(dialect=dialect.name, pretty=is_plain, identify=True)


def _check_texts(program: LogicProgram, table: tuple[str, ...]) -> None:
    for text in _texts(program, table):
        check_characters(text, "SQL")


def _texts(program: LogicProgram, table: tuple[str, ...]) -> list[str]:
    """Names and values that a query may hold."""
    used = [feature.name for feature in asked_features(program)]
    values = [value for name in used for value in program.schema[name].values]
    names = (*table, *child_texts(program), program.schema.target.name, *program.schema.target.labels, *used, *values)
    return [text for text in names if isinstance(text, str)]


def _probabilities(program: LogicProgram, dialect: Dialect) -> dict[str, exp.Expression]:
    """Write for each output its probability `1 - (1 - o) prod_i (1 - a_i r_i)` and the rule that contributes most."""
    result: dict[str, exp.Expression] = {}
    for k, (bias, rules) in enumerate(zip(program.biases, rules_by_output(program), strict=True)):
        absent = [dialect.double(1.0 - bias), *(complement(_contributed(i), dialect) for i in rules)]
        result[_output(k).name] = complement(product(absent, dialect), dialect)
        result[_decided_by(k).name] = _deciding(rules, dialect)
    return result


def _results(program: LogicProgram, names: ResultNames, dialect: Dialect) -> dict[str, exp.Expression]:
    """Write the columns of the answer: probabilities, decisions and the rules that decide."""
    target = program.schema.target
    outputs: list[exp.Expression] = [_output(k) for k in range(len(program.biases))]
    shares = _shares(outputs, dialect) if target.kind == "multiclass" else outputs
    answer = dict(zip(names.probabilities, shares, strict=True))
    possible = (0, 1) if target.kind == "multilabel" else target.labels
    decisions = literals(possible, possible, f"Target {target.name!r}", dialect)
    if target.kind == "multiclass":
        measured = [_measured(program, k, dialect) for k in range(len(outputs))]
        answer[names.decisions[0]] = _largest(measured, decisions)
        answer[names.rules[0]] = _largest(measured, [_decided_by(k) for k in range(len(outputs))])
        return answer
    no, yes = decisions
    for k, (decision, rule) in enumerate(zip(names.decisions, names.rules, strict=True)):
        answer[decision] = _case([(_holds(program, k, dialect), yes.copy())], no.copy())
        answer[rule] = _case([(_holds(program, k, dialect), _decided_by(k))])
    return answer


def _contribution(rule: Rule, program: LogicProgram, dialect: Dialect) -> exp.Expression:
    """Write what a rule contributes: its weight times its membership, 0 where it does not fire."""
    named = stand_ins(program)
    conditions = [(c, named.get(feature.name, feature)) for c, feature in plain_conditions(rule, program)]
    tests = [is_true(c, feature, dialect) for c, feature in conditions if is_crisp(c, feature)]
    degrees = [degree(c, feature, dialect) for c, feature in conditions if not is_crisp(c, feature)]
    full = dialect.double(negligible_as_zero(rule.weight))
    part = product([full, product(degrees, dialect)], dialect) if degrees else full
    return _case([(all_of(tests), part)], dialect.number(0.0)) if tests else part


def _deciding(rules: Sequence[int], dialect: Dialect) -> exp.Expression:
    """Write the number of the rule that contributes most, the first in a tie; NULL if none contributes."""
    if not rules:
        return cast(exp.Null(), "INT")
    nothing = dialect.double(_CONTRIBUTES)
    result = exp.Case(this=_greatest([nothing, *map(_contributed, rules)]))
    result = result.when(nothing.copy(), exp.Null(), copy=False)
    for i in rules:
        result = result.when(_contributed(i), exp.Literal.number(i + 1), copy=False)
    return result


def _holds(program: LogicProgram, k: int, dialect: Dialect) -> exp.Expression:
    return exp.GTE(this=_output(k), expression=dialect.number(program.thresholds[k]))


def _measured(program: LogicProgram, k: int, dialect: Dialect) -> exp.Expression:
    """Write the probability of one of several classes, divided by its threshold."""
    if not program.thresholds:
        return _output(k)
    return exp.Div(this=_output(k), expression=dialect.double(program.thresholds[k]), typed=True)


def _largest(outputs: Sequence[exp.Expression], results: Sequence[exp.Expression]) -> exp.Expression:
    """Write the result of the largest output, the first in a tie: the first that is no smaller than all later ones."""
    tests = [
        exp.GTE(this=output.copy(), expression=_greatest([other.copy() for other in outputs[k + 1 :]]))
        for k, output in enumerate(outputs[:-1])
    ]
    return _case(list(zip(tests, results[:-1], strict=True)), results[-1])


def _shares(outputs: Sequence[exp.Expression], dialect: Dialect) -> list[exp.Expression]:
    """Write the probabilities divided by their sum; equal shares if all are zero."""
    total = _sum(outputs)
    equal = dialect.double(1.0 / len(outputs))
    some = exp.GT(this=total, expression=dialect.number(0.0))
    return [
        _case(
            [(some.copy(), exp.Div(this=output.copy(), expression=exp.Paren(this=total.copy()), typed=True))],
            equal.copy(),
        )
        for output in outputs
    ]


def _sum(expressions: Sequence[exp.Expression]) -> exp.Expression:
    """Add from left to right, many numbers in groups of groups."""
    if len(expressions) > GROUP:
        return _sum([exp.Paren(this=_sum(part)) for part in grouped(expressions)])
    total = expressions[0].copy()
    for each in expressions[1:]:
        total = exp.Add(this=total, expression=each.copy())
    return total


def _greatest(expressions: Sequence[exp.Expression]) -> exp.Expression:
    """Write the largest of several numbers; one alone stays as it is, since MAX of one is an aggregate in SQLite."""
    if len(expressions) == 1:
        return expressions[0]
    if len(expressions) > _MOST_ARGUMENTS:
        parts = range(0, len(expressions), _MOST_ARGUMENTS)
        return _greatest([_greatest(expressions[start : start + _MOST_ARGUMENTS]) for start in parts])
    return exp.Greatest(this=expressions[0], expressions=list(expressions[1:]))


def _case(
    tests: Sequence[tuple[exp.Expression, exp.Expression]], otherwise: exp.Expression | None = None
) -> exp.Expression:
    result = exp.Case()
    for test, value in tests:
        result = result.when(test, value, copy=False)
    return result if otherwise is None else result.else_(otherwise, copy=False)


def _contributed(i: int) -> exp.Column:
    return column(f"rule_{i + 1}", RULES)


def _output(k: int) -> exp.Column:
    return column(f"p_{k + 1}", OUTPUTS)


def _decided_by(k: int) -> exp.Column:
    return column(f"rule_of_{k + 1}", OUTPUTS)
