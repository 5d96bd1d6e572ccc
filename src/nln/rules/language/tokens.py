"""The smallest parts of a program's text: names, values and numbers, each checked where it stands."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from lark import Token

from nln.rules.children.table import ChildTable
from nln.rules.language.errors import RuleSyntaxError
from nln.rules.language.words import number, spelled
from nln.rules.schema import Feature, Schema, Value

_OPERATOR = re.compile(r"[-/]")  # those that may stand inside a name


@dataclass(frozen=True, slots=True)
class TokenReader:
    """Reads the tokens of a text against a schema; every error shows the place in the text."""

    text: str
    schema: Schema
    found: dict[str, Feature] = field(default_factory=dict)
    """Features of calculations that the text asks about and the schema does not have."""

    def full_schema(self) -> Schema:
        """Return the schema with the calculations that the text asks about."""
        return self.schema.with_features(self.found.values())

    @property
    def features(self) -> Mapping[str, Feature]:
        """All features by their names, those of calculations included."""
        return ChainMap(self.found, self.schema.by_name)  # type: ignore[arg-type]  # nobody writes to it

    def derived(self, feature: Feature, token: Token) -> Feature:
        """Find the feature of the same calculation that rules write without a name, or else one with a name.

        If there is none, check the new one and remember it.
        """
        if feature.derived is not None:
            same = [each for each in self.features.values() if each.derived == feature.derived]
            feature = min(same, key=lambda each: each.is_named, default=feature)
        with self.pointing_at(token):
            if self.features.get(feature.name, feature) != feature:
                raise ValueError(
                    f"The table has a column named {feature.name!r}, as this calculation would be. Rename the column, "
                    "or give the calculation a name."
                )
            if feature.derived is not None:
                is_of_child = getattr(feature.derived, "table", None) is not None
                feature.derived.check(self.schema.features_for(feature.derived) if is_of_child else self.features)
        if feature.name not in self.schema.by_name:
            self.found[feature.name] = feature
        return feature

    def table(self, token: Token) -> ChildTable:
        """Find the child table of a name."""
        name = str(self.value(token))
        found = next((table for table in self.schema.tables if table.name == name), None)
        if found is None:
            names = tuple(table.name for table in self.schema.tables)
            raise self._unknown(token, name, "There is no child table", names)
        return found

    def inside(self, table: ChildTable) -> TokenReader:
        """Return a reader of conditions on the rows of a child table."""
        return TokenReader(self.text, Schema(table.features, self.schema.target))

    def error(self, token: Token, problem: str) -> RuleSyntaxError:
        """Make an error that points at a token."""
        return RuleSyntaxError(problem, self.text, token.line or 1, token.column or 1)

    @contextmanager
    def pointing_at(self, token: Token) -> Iterator[None]:
        """Turn a ValueError about what was built from a token into an error that points at it."""
        try:
            yield
        except RuleSyntaxError:
            raise
        except ValueError as error:
            raise self.error(token, str(error)) from None

    def value(self, token: Token) -> Value:
        """Read a value with the type that its spelling gives it."""
        if not isinstance(token, Token):
            raise self.error(first_token(token), "Write a value here: only numbers can be calculated.")
        if token.type == "STRING":
            try:
                return str(json.loads(token, strict=False))
            except json.JSONDecodeError as error:
                raise self.error(
                    token,
                    f'This quoted text has a wrong escape: {error.msg}. A backslash is written \\\\, a quote \\".',
                ) from None
        if token.type in ("TRUE", "FALSE"):
            return token.type == "TRUE"
        if token.type == "NUMBER":
            try:
                return int(token)
            except ValueError:  # a fraction, an exponent, or more digits than Python converts
                return self.number(token)
        return str(token)

    def number(self, token: Token) -> float:
        """Read a finite number."""
        if token.type != "NUMBER":
            raise self.error(token, f"`{token}` is not a number. Write a number here, such as 3 or 0.5.")
        result = float(token)
        if not math.isfinite(result):
            raise self.error(token, "This number is too large. The largest number is about 1.8e308.")
        return result

    def probability(self, token: Token, what: str = "probability") -> float:
        """Read a number in [0, 1]."""
        result = self.number(token)
        if not 0.0 <= result <= 1.0:
            raise self.error(token, f"A {what} must lie in [0, 1], not {number(result)}.")
        return result

    def count(self, token: Token) -> int:
        """Read a whole number."""
        result = self.value(token)
        if not isinstance(result, int):
            raise self.error(token, f"Rows and starts are counted in whole numbers, not {token}.")
        return result

    def feature(self, token: Token) -> Feature:
        """Find the feature of a name."""
        name = self.value(token)
        if not isinstance(name, str):
            raise self.error(
                token,
                f"`{token}` is not the name of a feature. Conditions read `x < 3`, `x >= 3`, `1 <= x < 3`, `x = red`; "
                f"put a name like this in double quotes.",
            )
        feature = self.schema.by_name.get(name)
        if feature is None:
            problem = "There is no feature"
            pieces = _OPERATOR.split(name)
            if len(pieces) > 1 and all(piece in self.schema.by_name for piece in pieces):
                spaced = _OPERATOR.sub(r" \g<0> ", name)
                raise self.error(token, f"{problem} {spelled(name)}. Put spaces around operators: `{spaced}`.")
            raise self._unknown(token, name, problem, self.schema.names)
        return feature

    def category(self, token: Token, feature: Feature) -> Value:
        """Find a value among those of a feature."""
        if not feature.values:
            raise self.error(
                token,
                f"The values of {spelled(feature.name)} are not known: model files leave out those of features that no "
                "rule asks about. List them in the schema.",
            )
        return self._known(token, f"{spelled(feature.name)} has no value", feature.values)

    def label(self, token: Token) -> Value:
        """Find a label among those of the target."""
        return self._known(token, "There is no label", self.schema.target.labels)

    def _known(self, token: Token, problem: str, values: tuple[Value, ...]) -> Value:
        value = self.value(token)
        if value not in values:
            raise self._unknown(token, value, problem, values)
        return values[values.index(value)]

    def _unknown(self, token: Token, value: Value, problem: str, known: tuple[Value, ...]) -> RuleSyntaxError:
        """Make the error for an unknown name, with the nearest known one or the first ten."""
        spellings = {str(name).casefold(): spelled(name) for name in known}
        near = difflib.get_close_matches(str(value).casefold(), spellings, n=1)
        if near:
            hint = f"Did you mean {spellings[near[0]]}?"
        else:
            shown = ", ".join(list(spellings.values())[:10])
            hint = f"Known: {shown}{', ...' if len(spellings) > 10 else ''}." if shown else "There are none."
        return self.error(token, f"{problem} {spelled(value)}. {hint}")


def first_token(node: Any) -> Token:
    """Return the first token below a node of a syntax tree."""
    while not isinstance(node, Token):
        node = next(child for child in node.children if child is not None)
    return node
