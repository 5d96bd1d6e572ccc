"""What a scoring query computes: contributions of rules, probabilities, decisions and the rules that decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from nln.export.names import ResultNames
from nln.export.plain import plain_conditions, rules_by_output
from nln.export.sql.conditions import all_of, complement, degree, is_true, negligible_as_zero, product
from nln.export.sql.dialects import Dialect, cast, column
from nln.export.sql.values import literals
from nln.rules.condition import is_crisp

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram
    from nln.rules.rule import Rule

RULES, OUTPUTS = "rules", "outputs"
"""Aliases of the steps that compute contributions and probabilities."""

_CONTRIBUTES = 1e-12
"""A fuzzy rule contributes a little everywhere; from this on it can be the one that decides."""

_MOST_ARGUMENTS = 100
"""SQLite's functions take at most 127 arguments."""


def contributions(program: LogicProgram, dialect: Dialect) -> dict[str, exp.Expression]:
    """Write per rule what it contributes: its probability times its membership, 0 where it does not fire."""
    return {_rule_name(i): _contribution(rule, program, dialect) for i, rule in enumerate(program.rules)}


def probabilities(program: LogicProgram, dialect: Dialect) -> dict[str, exp.Expression]:
    """Write per output its probability `1 - (1 - o) prod_i (1 - a_i r_i)` and the rule that contributes most to it."""
    result: dict[str, exp.Expression] = {}
    for k, (bias, rules) in enumerate(zip(program.biases, rules_by_output(program), strict=True)):
        absent = [dialect.double(1.0 - bias), *(complement(_contributed(i), dialect) for i in rules)]
        result[_output_name(k)] = complement(product(absent, dialect), dialect)
        result[_deciding_name(k)] = _deciding(rules, dialect)
    return result


def results(program: LogicProgram, names: ResultNames, dialect: Dialect) -> dict[str, exp.Expression]:
    """Write the columns of the answer: probabilities, decisions and the rules that decide."""
    kind = program.schema.target.kind
    outputs = [_output(k) for k in range(len(program.biases))]
    shares = _shares(outputs, dialect) if kind == "multiclass" else outputs
    answer = dict(zip(names.probabilities, shares, strict=True))
    if kind == "multilabel":
        for k, (decision, rule) in enumerate(zip(names.decisions, names.rules, strict=True)):
            answer[decision] = _case([(_holds(program, k, dialect), _integer(1))], _integer(0))
            answer[rule] = _case([(_holds(program, k, dialect), _decided_by(k))])
        return answer
    winners, numbers = _labels(program, dialect), [_decided_by(k) for k in range(len(outputs))]
    if kind == "binary":
        answer[names.decisions[0]] = _case([(_holds(program, 0, dialect), winners[1])], winners[0])
        answer[names.rules[0]] = _case([(_holds(program, 0, dialect), numbers[0])])
    else:
        measured = [_measured(program, k, dialect) for k in range(len(outputs))]
        answer[names.decisions[0]] = _largest(measured, winners)
        answer[names.rules[0]] = _largest(measured, numbers)
    return answer


def _contribution(rule: Rule, program: LogicProgram, dialect: Dialect) -> exp.Expression:
    conditions = [(c, program.schema[c.feature]) for c in plain_conditions(rule, program)]
    tests = [is_true(c, feature, dialect) for c, feature in conditions if is_crisp(c, feature)]
    degrees = [degree(c, feature, dialect) for c, feature in conditions if not is_crisp(c, feature)]
    full = dialect.double(negligible_as_zero(rule.probability))
    part = product([full, product(degrees, dialect)], dialect) if degrees else full
    return _case([(all_of(tests), part)], dialect.number(0.0)) if tests else part


def _deciding(rules: Sequence[int], dialect: Dialect) -> exp.Expression:
    """Write the number of the rule that contributes most, the first one of equals; NULL if none contributes."""
    if not rules:
        return cast(exp.Null(), "INT")
    nothing = dialect.double(_CONTRIBUTES)
    result = exp.Case(this=_greatest([nothing, *map(_contributed, rules)]))
    result = result.when(nothing.copy(), exp.Null(), copy=False)
    for i in rules:
        result = result.when(_contributed(i), _integer(i + 1), copy=False)
    return result


def _labels(program: LogicProgram, dialect: Dialect) -> list[exp.Expression]:
    target = program.schema.target
    return literals(target.labels, target.labels, f"Target {target.name!r}", dialect)


def _holds(program: LogicProgram, k: int, dialect: Dialect) -> exp.Expression:
    return exp.GTE(this=_output(k), expression=dialect.number(program.thresholds[k]))


def _measured(program: LogicProgram, k: int, dialect: Dialect) -> exp.Expression:
    """Write the probability of one of several classes, in proportion to its threshold."""
    if not program.thresholds:
        return _output(k)
    return exp.Div(this=_output(k), expression=dialect.double(program.thresholds[k]), typed=True)


def _largest(outputs: Sequence[exp.Expression], results: Sequence[exp.Expression]) -> exp.Expression:
    """Write what belongs to the largest output, the first one of equals: it is at least all that come after it."""
    tests = [
        exp.GTE(this=output.copy(), expression=_greatest([other.copy() for other in outputs[k + 1 :]]))
        for k, output in enumerate(outputs[:-1])
    ]
    return _case(list(zip(tests, results[:-1], strict=True)), results[-1])


def _shares(outputs: Sequence[exp.Expression], dialect: Dialect) -> list[exp.Expression]:
    """Write the probabilities divided by their sum; equal shares if all are zero."""
    total = outputs[0].copy()
    for output in outputs[1:]:
        total = exp.Add(this=total, expression=output.copy())
    equal = dialect.double(1.0 / len(outputs))
    some = exp.GT(this=total, expression=dialect.number(0.0))
    return [
        _case(
            [(some.copy(), exp.Div(this=output.copy(), expression=exp.Paren(this=total.copy()), typed=True))],
            equal.copy(),
        )
        for output in outputs
    ]


def _greatest(expressions: Sequence[exp.Expression]) -> exp.Expression:
    """Write the largest of several numbers; of one, the number itself, for MAX of one is an aggregate in SQLite."""
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


def _integer(value: int) -> exp.Expression:
    return exp.Literal.number(value)


def _rule_name(i: int) -> str:
    return f"rule_{i + 1}"


def _output_name(k: int) -> str:
    return f"p_{k + 1}"


def _deciding_name(k: int) -> str:
    return f"rule_of_{k + 1}"


def _contributed(i: int) -> exp.Expression:
    return column(_rule_name(i), RULES)


def _output(k: int) -> exp.Expression:
    return column(_output_name(k), OUTPUTS)


def _decided_by(k: int) -> exp.Expression:
    return column(_deciding_name(k), OUTPUTS)
