"""From the syntax tree of an expression to a column: a feature of the table, or one that is calculated."""

from __future__ import annotations

from typing import Any, cast

from lark import Token

from nln.rules.condition import Interval
from nln.rules.derived.arithmetic import Arithmetic, Operator
from nln.rules.derived.make import ask
from nln.rules.derived.regions import mirrored
from nln.rules.language.tokens import TokenReader, first_token
from nln.rules.schema import Feature

_OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}


def read_expression(node: Any, reader: TokenReader) -> Arithmetic:
    """Read an expression over columns of numbers."""
    if isinstance(node, Token):
        if node.type == "NUMBER":
            raise reader.error(
                node, "Expressions join columns, not numbers. Leave the number to the other side: `x / y < 3`."
            )
        feature = reader.feature(node)
        if isinstance(feature.derived, Arithmetic):
            return feature.derived
        with reader.pointing_at(node):
            column = Arithmetic.column(feature.name)
            column.check(reader.features)
            return column
    left, right = (read_expression(child, reader) for child in node.children)
    with reader.pointing_at(first_token(node)):
        return left.join(cast(Operator, _OPERATORS[node.data]), right)


def place(
    expression: Arithmetic, intervals: tuple[Interval, ...], token: Token, reader: TokenReader
) -> tuple[Feature, tuple[Interval, ...]]:
    """Return the feature of an expression and the region of it that a region of the expression is."""
    column, sign = expression.canonical()
    if column == Arithmetic.column(column.mentions[0]):  # x * y / y is x
        return reader.features[column.mentions[0]], intervals if sign > 0 else mirrored(intervals)
    feature, condition = ask(expression, intervals, reader.features.values())
    return reader.derived(feature, token), condition.intervals
