"""The scoring query of a program: cleaned columns, contributions, probabilities, what is largest, then the answer.

What is compared with many others is a column of an earlier step: DuckDB copies the operand of `CASE x WHEN ...` for
each WHEN, so that a long one there would grow with the square of the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sqlglot import exp

from nln.export.calculations import asked_columns, asked_features
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
from nln.export.sql.dialects import Dialect, cast, literals
from nln.export.sql.steps import INPUTS, SOURCE, Step, column
from nln.export.wording import ResultNames, check_characters, result_names
from nln.rules.condition import Condition, is_crisp
from nln.rules.program import LogicProgram
from nln.rules.rule import Rule
from nln.rules.schema import Feature

CONDITIONS, RULES, OUTPUTS, LARGEST = "conditions", "rules", "outputs", "largest"
"""Aliases of the steps that compute shared conditions, contributions, probabilities with the largest contributions, and
the rules of these."""

_Asked: TypeAlias = tuple[Condition, Feature]

_CONTRIBUTES = 1e-12
"""A fuzzy rule contributes a little everywhere; only from this contribution on can it be the deciding rule."""

_LINE_BREAK = "__SQLGLOT__LB__"

_TOTAL, _HIGHEST = column("total", LARGEST), column("highest", LARGEST)
"""Of several classes, the sum of their probabilities, and the largest one divided by its threshold."""

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
    shared = _shared_conditions(program)
    steps: list[Step] = [
        (INPUTS, {dialect.input(feature).name: cleaned(feature, dialect) for feature in features}),
        *calculation_steps(program, dialect, tables),
        (CONDITIONS, {name: degree(*condition, dialect) for condition, name in shared.items()}),
        (
            RULES,
            {_contributed(i).name: _contribution(r, program, dialect, shared) for i, r in enumerate(program.rules)},
        ),
        (OUTPUTS, _probabilities(program, dialect)),
        (LARGEST, _largest_ones(program, dialect)),
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
    target = program.schema.target
    names = (*table, *child_texts(program), target.name, *target.labels, *used, *asked_columns(program), *values)
    return [text for text in names if isinstance(text, str)]


def _probabilities(program: LogicProgram, dialect: Dialect) -> dict[str, exp.Expression]:
    """Write for each output its probability `1 - (1 - o) prod_i (1 - a_i r_i)` and the largest contribution."""
    result: dict[str, exp.Expression] = {}
    for k, (bias, rules) in enumerate(zip(program.biases, rules_by_output(program), strict=True)):
        absent = [dialect.double(1.0 - bias), *(complement(_contributed(i), dialect) for i in rules)]
        result[_output(k).name] = complement(product(absent, dialect), dialect)
        if rules:
            nothing = dialect.double(_CONTRIBUTES)
            result[_contributed_most(k).name] = _greatest([nothing, *map(_contributed, rules)], dialect)
    return result


def _largest_ones(program: LogicProgram, dialect: Dialect) -> dict[str, exp.Expression]:
    """Write for each output the rule that contributes most, and of several classes the sum and the largest of all."""
    by_output = rules_by_output(program)
    result = {_decided_by(k).name: _deciding(k, rules, dialect) for k, rules in enumerate(by_output)}
    if program.schema.target.kind == "multiclass":
        outputs = range(len(by_output))
        result[_TOTAL.name] = _sum([_output(k) for k in outputs])
        result[_HIGHEST.name] = _greatest([_measured(program, k, dialect) for k in outputs], dialect)
    return result


def _results(program: LogicProgram, names: ResultNames, dialect: Dialect) -> dict[str, exp.Expression]:
    """Write the columns of the answer: probabilities, decisions and the rules that decide."""
    target = program.schema.target
    outputs: list[exp.Expression] = [_output(k) for k in range(len(program.biases))]
    shares = [_share(o, len(outputs), dialect) for o in outputs] if target.kind == "multiclass" else outputs
    answer = dict(zip(names.probabilities, shares, strict=True))
    possible = (0, 1) if target.kind == "multilabel" else target.labels
    decisions = literals(possible, possible, f"Target {target.name!r}", dialect)
    if target.kind == "multiclass":
        measured = [_measured(program, k, dialect) for k in range(len(outputs))]
        answer[names.decisions[0]] = _first_highest(measured, decisions)
        answer[names.rules[0]] = _first_highest(measured, [_decided_by(k) for k in range(len(outputs))])
        return answer
    no, yes = decisions
    for k, (decision, rule) in enumerate(zip(names.decisions, names.rules, strict=True)):
        answer[decision] = _case([(_holds(program, k, dialect), yes.copy())], no.copy())
        answer[rule] = _case([(_holds(program, k, dialect), _decided_by(k))])
    return answer


def _conditions(rule: Rule, program: LogicProgram) -> list[_Asked]:
    """Return the plain conditions of a rule, on features with short names."""
    named = stand_ins(program)
    return [(c, named.get(feature.name, feature)) for c, feature in plain_conditions(rule, program)]


def _shared_conditions(program: LogicProgram) -> dict[_Asked, str]:
    """Name the fuzzy conditions that several rules ask for: each is computed once for a row."""
    asked = Counter(pair for rule in program.rules for pair in _conditions(rule, program) if not is_crisp(*pair))
    return {pair: f"condition_{n}" for n, pair in enumerate((p for p, times in asked.items() if times > 1), 1)}


def _contribution(rule: Rule, program: LogicProgram, dialect: Dialect, shared: Mapping[_Asked, str]) -> exp.Expression:
    """Write what a rule contributes: its weight times its membership, 0 where it does not fire."""
    tests, degrees = [], list[exp.Expression]()
    for pair in _conditions(rule, program):
        if is_crisp(*pair):
            tests.append(is_true(*pair, dialect))
        else:
            degrees.append(column(shared[pair], CONDITIONS) if pair in shared else degree(*pair, dialect))
    full = dialect.double(negligible_as_zero(rule.weight))
    part = product([full, product(degrees, dialect)], dialect) if degrees else full
    return _case([(all_of(tests), part)], dialect.number(0.0)) if tests else part


def _deciding(k: int, rules: Sequence[int], dialect: Dialect) -> exp.Expression:
    """Write the number of the rule that contributes most, the first in a tie; NULL if none contributes."""
    if not rules:
        return cast(exp.Null(), "INT")
    result = exp.Case(this=_contributed_most(k)).when(dialect.double(_CONTRIBUTES), exp.Null(), copy=False)
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


def _first_highest(outputs: Sequence[exp.Expression], results: Sequence[exp.Expression]) -> exp.Expression:
    """Write the result of the largest output, the first in a tie."""
    result = exp.Case(this=_HIGHEST.copy())
    for output, each in zip(outputs[:-1], results[:-1], strict=True):
        result = result.when(output.copy(), each, copy=False)
    return result.else_(results[-1], copy=False)


def _share(output: exp.Expression, n_outputs: int, dialect: Dialect) -> exp.Expression:
    """Write a probability divided by the sum of all; equal shares if all are zero."""
    some = exp.GT(this=_TOTAL.copy(), expression=dialect.number(0.0))
    share = exp.Div(this=output.copy(), expression=_TOTAL.copy(), typed=True)
    return _case([(some, share)], dialect.double(1.0 / n_outputs))


def _sum(expressions: Sequence[exp.Expression]) -> exp.Expression:
    """Add from left to right, many numbers in groups of groups."""
    if len(expressions) > GROUP:
        return _sum([exp.Paren(this=_sum(part)) for part in grouped(expressions)])
    total = expressions[0].copy()
    for each in expressions[1:]:
        total = exp.Add(this=total, expression=each.copy())
    return total


def _greatest(expressions: Sequence[exp.Expression], dialect: Dialect) -> exp.Expression:
    """Write the largest of several numbers; one alone stays as it is, since MAX of one is an aggregate in SQLite."""
    if len(expressions) == 1:
        return expressions[0]
    if len(expressions) > _MOST_ARGUMENTS:
        parts = range(0, len(expressions), _MOST_ARGUMENTS)
        groups = [_greatest(expressions[start : start + _MOST_ARGUMENTS], dialect) for start in parts]
        return _greatest(groups, dialect)
    # None of them is NULL; only so does sqlglot write no test for it.
    return exp.Greatest(this=expressions[0], expressions=list(expressions[1:]), ignore_nulls=dialect.is_typed)


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


def _contributed_most(k: int) -> exp.Column:
    return column(f"most_{k + 1}", OUTPUTS)


def _decided_by(k: int) -> exp.Column:
    return column(f"rule_of_{k + 1}", LARGEST)
