"""Programs in other languages, each with the probabilities of `LogicProgram.predict_proba`.

There is one function per format. `EXPORTERS` names them all; `export` and `LogicProgram.export` find them by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, overload

from nln.export.asp import asp_facts, to_asp
from nln.export.javascript import to_javascript
from nln.export.json import to_json
from nln.export.latex import to_latex
from nln.export.markdown import to_markdown
from nln.export.pmml import to_pmml
from nln.export.prolog import to_prolog
from nln.export.python import to_python
from nln.export.r import to_r
from nln.export.sql import to_sql
from nln.export.text import to_text
from nln.export.xlsx import to_xlsx
from nln.rules.program import LogicProgram
from nln.rules.validate import listed

__all__ = [
    "EXPORTERS",
    "asp_facts",
    "export",
    "to_asp",
    "to_javascript",
    "to_json",
    "to_latex",
    "to_markdown",
    "to_pmml",
    "to_prolog",
    "to_python",
    "to_r",
    "to_sql",
    "to_text",
    "to_xlsx",
]

EXPORTERS: dict[str, Callable[..., Any]] = {
    "text": to_text,
    "markdown": to_markdown,
    "latex": to_latex,
    "json": to_json,
    "sql": to_sql,
    "python": to_python,
    "javascript": to_javascript,
    "r": to_r,
    "prolog": to_prolog,
    "asp": to_asp,
    "pmml": to_pmml,
    "xlsx": to_xlsx,
}
"""From the name of each format to the function that writes it."""


@overload
def export(program: LogicProgram, name: Literal["xlsx"], **options: Any) -> bytes: ...
@overload
def export(program: LogicProgram, name: str, **options: Any) -> str: ...
def export(program: LogicProgram, name: str, **options: Any) -> Any:
    """Write a program in another language.

    Parameters
    ----------
    program : LogicProgram
        The program to write.
    name : str
        The format, a name in `EXPORTERS`.
    **options
        Options of that format's function.

    Returns
    -------
    str or bytes
        The program in that format: text, or the bytes of an Excel workbook.

    Examples
    --------
    >>> from nln.rules import LogicProgram, Schema, Target
    >>> program = LogicProgram(Schema((), Target("class", "binary", ("no", "yes"))), (), (0.25,), (0.5,))
    >>> export(program, "text")
    'OTHERWISE class = no    (P(class = yes) = 0.25; class = yes from 0.5)'
    """
    if name not in EXPORTERS:
        raise ValueError(f"There is no format {name!r}; known: {listed(tuple(EXPORTERS))}.")
    return EXPORTERS[name](program, **options)
