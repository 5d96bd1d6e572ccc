"""Programs as a Markdown table."""

from __future__ import annotations

import re

from nln.rules.language.text import closing_text, conclusion_text, condition_texts
from nln.rules.language.words import number, percent
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
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.75)", schema=schema)
    >>> print(to_markdown(program))
    | rule | IF | THEN | rows | precision | of its label | weight |
    |---:|---|---|---:|---:|---:|---:|
    | 1 | x < 3 | class = yes |  |  |  | 0.75 |
    <BLANKLINE>
    OTHERWISE class = no    (P(class = yes) = 0; class = yes from 0.5)
    """
    lines = [
        "| rule | IF | THEN | rows | precision | of its label | weight |",
        "|---:|---|---|---:|---:|---:|---:|",
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
    return f"| {place} | {conditions} | {label} | {' | '.join(_counts(rule))} | {number(rule.weight)} |"


def _counts(rule: Rule) -> tuple[str, str, str]:
    """Write the rows covered, the share of them with the rule's label, and the share of the label's rows in counts."""
    found = rule.coverage
    if found is None:
        return "", "", ""
    precision = percent(found.hits / found.rows) if found.rows else ""
    return f"{found.rows} of {found.of_rows}", precision, f"{found.hits} of {found.of_hits}"
