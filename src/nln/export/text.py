"""Programs as the text of the rule language."""

from __future__ import annotations

from nln.rules.program import LogicProgram


def to_text(program: LogicProgram) -> str:
    """Write the text form, which `LogicProgram.parse` reads back.

    Parameters
    ----------
    program : LogicProgram
        The program to write.

    Returns
    -------
    str
        The rules and the OTHERWISE sentence.

    Examples
    --------
    >>> from nln.rules import LogicProgram, Rule, Schema, Target
    >>> schema = Schema((), Target("class", "binary", ("no", "yes")))
    >>> print(to_text(LogicProgram(schema, (Rule((), "yes", 0.75),), biases=(0.0,), thresholds=(0.5,))))
    IF   always
    THEN class = yes        (weight 0.75)
    <BLANKLINE>
    OTHERWISE class = no    (P(class = yes) = 0; class = yes from 0.5)
    """
    return str(program)
