"""Parts of a program's text, as the formats for readers arrange them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nln.rules.language.text import condition_text, program_text

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram
    from nln.rules.rule import Rule


def condition_texts(rule: Rule, program: LogicProgram) -> list[str]:
    """Write each condition of a rule; `always` for a rule without any.

    Examples
    --------
    >>> from nln.rules import LogicProgram, Rule, Schema, Target
    >>> rule = Rule((), "yes")
    >>> condition_texts(rule, LogicProgram(Schema((), Target("y", "binary", ("no", "yes"))), (rule,), (0,), (0.5,)))
    ['always']
    """
    return [condition_text(c, program.schema[c.feature]) for c in rule.conditions] or ["always"]


def closing_text(program: LogicProgram) -> str:
    """Write the OTHERWISE sentence with biases and thresholds on one line.

    Examples
    --------
    >>> from nln.rules import LogicProgram, Schema, Target
    >>> closing_text(LogicProgram(Schema((), Target("y", "binary", ("no", "yes"))), (), (0.1,), (0.5,)))
    'OTHERWISE y = no    (P(y = yes) = 0.1; y = yes from 0.5)'
    """
    # Names never hold a raw line break: the rule language writes it as an escape.
    return re.sub(r"\n +", " ", program_text(program).rpartition("\n\n")[2])


def covered_text(rule: Rule) -> tuple[str, str]:
    """Write how many rows of its label and of all rows a rule covers; empty texts if that was not counted.

    Examples
    --------
    >>> from nln.rules import Coverage, Rule
    >>> covered_text(Rule((), "yes", 1.0, Coverage(rows=231, of_rows=400, hits=190, of_hits=250)))
    ('190 of 250', '231 of 400')
    """
    counts = rule.coverage
    return ("", "") if counts is None else (f"{counts.hits} of {counts.of_hits}", f"{counts.rows} of {counts.of_rows}")
