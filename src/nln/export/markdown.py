"""Programs as a Markdown table."""

from __future__ import annotations

import re

from nln.export.wording import closing_text, covered_text
from nln.rules.language.text import conclusion_text, condition_texts
from nln.rules.language.words import number
from nln.rules.program import LogicProgram
from nln.rules.rule import Rule

# Characters that begin a link, emphasis, code, HTML, an entity, a formula or a cell; `<` only before a tag name.
_MARKS = re.compile(r"[\\`*_\[\]|~&$#@]|<(?=[A-Za-z/!?])")


def to_markdown(program: LogicProgram) -> str:
    """Write a table of the rules and the OTHERWISE sentence below it.

    Parameters
    ----------
    program : LogicProgram
        The program to write.

    Returns
    -------
    str
        GitHub-flavoured Markdown; no name or value can act as a mark or as HTML.

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (0.75)", schema=schema)
    >>> print(to_markdown(program))
    | rule | IF | THEN | probability | covers of its label | covers of all rows |
    |---:|---|---|---:|---:|---:|
    | 1 | x < 3 | class = yes | 0.75 |  |  |
    <BLANKLINE>
    OTHERWISE class = no    (P(class = yes) = 0; class = yes from 0.5)
    """
    lines = [
        "| rule | IF | THEN | probability | covers of its label | covers of all rows |",
        "|---:|---|---|---:|---:|---:|",
        *(_line(i, rule, program) for i, rule in enumerate(program.rules, 1)),
        "",
        escaped(closing_text(program)),
    ]
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Put a backslash before each character that Markdown would take for a mark."""
    return _MARKS.sub(lambda match: "\\" + match[0], text)


def _line(place: int, rule: Rule, program: LogicProgram) -> str:
    conditions = " **AND** ".join(escaped(text) for text in condition_texts(rule, program.schema))
    label = escaped(conclusion_text(program.schema.target, rule.label))
    return f"| {place} | {conditions} | {label} | {number(rule.probability)} | {' | '.join(covered_text(rule))} |"
