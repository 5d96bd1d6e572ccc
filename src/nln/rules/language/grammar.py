"""From text to a syntax tree, and from lark's errors to ours, which show the line, a caret and what was expected."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken

from nln.rules.language.errors import RuleSyntaxError

_NAMES = {
    "WORD": "a name or value",
    "NUMBER": "a number",
    "_PROBABILITY": "`P(`",
    "_SEPARATOR": "`,` or `;`",
    "_WIDTH": "`±`",
    "EQUAL": "`=`",
    "__ANON_0": "`!=`",
    "COMPARE": "`<`, `<=`, `>`, `>=`",
    "HOW_MANY": "`at least 2 of {`",
    "HOW_MANY_ROWS": "`at least 2 visits`",
    "QUANTIFIER": "`some visits`",
    "PLUS": "an operator",
    "MINUS": "an operator",
    "STAR": "an operator",
    "SLASH": "an operator",
    "$END": "the end of the text",
}


def parse_tree(text: str, start: str = "start") -> Tree[Token]:
    """Parse a program's text, or another rule of the grammar, into a tree of the grammar's rules."""
    try:
        return _parser().parse(text, start=start)
    except UnexpectedInput as error:
        line, column = _place(error, text)
        raise RuleSyntaxError(_problem(error, text), text, line, column) from None


@cache
def _parser() -> Lark:
    grammar = files("nln.rules.language").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", maybe_placeholders=True, start=["start", "definition"])


def _place(error: UnexpectedInput, text: str) -> tuple[int, int]:
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        lines = text.rstrip().split("\n")
        return len(lines), len(lines[-1]) + 1
    return error.line, error.column


def _problem(error: UnexpectedInput, text: str) -> str:
    expected: Any
    if isinstance(error, UnexpectedToken):
        found = "The text ends here" if error.token.type == "$END" else f"`{error.token}` does not fit here"
        expected = error.accepts or error.expected
    else:
        found = _unreadable(text[error.pos_in_stream or 0 :])
        # The lexer would accept more than the parser; only the parser knows which step may come next.
        parser: Any = error.interactive_parser
        expected = parser.accepts()
    return f"{found}. Expected {_expected_text(set(expected))}."


def _unreadable(rest: str) -> str:
    if rest.startswith('"'):
        return "A quoted text does not end on this line: close it with a double quote"
    if rest[0].isalnum():
        return f"`{rest.split(maxsplit=1)[0][:30]}` is neither a number nor a plain word; put it in double quotes"
    return f"The character {rest[0]!r} does not fit here"


def _expected_text(expected: set[str]) -> str:
    if "WORD" in expected:
        expected -= {"STRING", "NUMBER", "TRUE", "FALSE", "LPAR", "HOW_MANY", "HOW_MANY_ROWS", "QUANTIFIER"}
    names = sorted({_NAMES.get(name) or _terminal_text(name) for name in expected})
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" or {names[-1]}"


def _terminal_text(name: str) -> str:
    """Show a keyword as it is written in programs, and a mark as it is defined."""
    if name.startswith("_") and not name.startswith("__"):
        word = name[1:]
        return word if word in ("IF", "AND", "THEN", "OTHERWISE") else f"`{word.lower()}`"
    return f"`{_parser().get_terminal(name).pattern.value}`"
