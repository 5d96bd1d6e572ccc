"""Short names of rules beside axes."""

from __future__ import annotations

from nln.plots.style import shown
from nln.rules import LogicProgram
from nln.rules.language.text import conditions_text


def rule_names(program: LogicProgram, width: int = 44) -> list[str]:
    """Beginning of the conditions, label (where there are several) and number of each rule.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> rule_names(LogicProgram.parse("IF x < 3 THEN class = yes", schema=schema))
    ['x < 3   rule 1']
    """
    several = len(program.schema.target.outputs) > 1
    names = []
    for number, rule in enumerate(program.rules, 1):
        label = f" → {shown(rule.label, 16)}" if several else ""
        # The number stands last: names are set flush with the axis on their right.
        names.append(f"{shown(conditions_text(rule, program.schema), width - len(label))}{label}   rule {number}")
    return names
