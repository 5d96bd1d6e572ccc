"""Calculations that a person gives a name: `bmi` for `weight / height / height`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lark import Token

from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.kinds import Derived
from nln.rules.derived.make import count_of, derived_feature
from nln.rules.derived.same import Same
from nln.rules.language.conditions import read_child_count, read_condition
from nln.rules.language.expressions import read_expression
from nln.rules.language.grammar import parse_tree
from nln.rules.language.tokens import TokenReader, first_token
from nln.rules.schema import Schema


def define(definitions: Mapping[str, str], schema: Schema) -> Schema:
    """Return the schema with calculated features, which later definitions may use."""
    for name, text in definitions.items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise TypeError(f"A calculation is defined by a name and a text, not by {name!r} and {text!r}.")
        if name in schema.by_name:
            raise ValueError(f"The calculation {name!r} has the name of a column. Give it another name.")
        reader = TokenReader(text, schema)
        derived = _read(parse_tree(text, "definition"), reader)
        schema = reader.full_schema().with_features([derived_feature(derived, name)])
    return schema


def _read(node: Any, reader: TokenReader) -> Derived:
    if not isinstance(node, Token) and node.data == "same":
        tokens = [first_token(child) for child in node.children]
        with reader.pointing_at(tokens[0]):
            one, other = (reader.feature(token).name for token in tokens)
            same = Same((one, other))
            same.check(reader.features)
            return same
    if not isinstance(node, Token) and node.data == "count":
        conditions = [read_condition(member, reader) for member in node.children[0].children]
        with reader.pointing_at(first_token(node)):
            return count_of(conditions, reader.features)
    if not isinstance(node, Token) and node.data == "child_count":
        return read_child_count(node.children[0], reader)
    expression = read_expression(node, reader)
    if expression == Arithmetic.column(expression.mentions[0]):
        raise reader.error(first_token(node), "A single column has a name already. Calculate something from columns.")
    return expression
