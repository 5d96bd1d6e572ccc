"""Expressions that stand alone, as a user names them: `weight / height / height`."""

from __future__ import annotations

from typing import Any

from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.language.expressions import read_expression
from nln.rules.language.grammar import parse_tree
from nln.rules.language.tokens import TokenReader
from nln.rules.schema import Feature, Schema, Target

_ANY_TARGET = Target("target", "binary", (0, 1))


def parse_expression(text: str, features: tuple[Feature, ...]) -> Arithmetic:
    """Read an expression over columns of numbers; a RuleSyntaxError shows what is wrong and where.

    Examples
    --------
    >>> parse_expression("(x - y) / x", (Feature("x", "continuous"), Feature("y", "continuous"))).text
    '(x - y) / x'
    """
    tree: Any = parse_tree(text, start="sum")
    return read_expression(tree, TokenReader(text, Schema(features, _ANY_TARGET)))
