"""The error of a text that is not a program. It stands apart from the parser, so naming it does not load lark."""

from __future__ import annotations

_SHOWN = 60
"""Characters of a long line shown on each side of the caret."""


class RuleSyntaxError(ValueError):
    """A text that is not a program over the given schema.

    Attributes
    ----------
    problem : str
        What is wrong.
    line, column : int
        Where, counted from 1.

    Examples
    --------
    >>> print(RuleSyntaxError("Expected a number.", "IF   x < y", 1, 10))
    Line 1, column 10: Expected a number.
      IF   x < y
               ^
    """

    def __init__(self, problem: str, text: str, line: int, column: int) -> None:
        super().__init__(f"Line {line}, column {column}: {problem}\n{_excerpt(text, line, column)}")
        self.problem = problem
        self.line = line
        self.column = column


def _excerpt(text: str, line: int, column: int) -> str:
    lines = text.split("\n")
    whole = lines[line - 1] if 0 < line <= len(lines) else ""
    start = max(0, column - 1 - _SHOWN)
    shown = "".join(c if c.isprintable() else " " for c in whole[start : column - 1 + _SHOWN])
    return f"  {shown}\n  {' ' * (column - 1 - start)}^"
