"""Programs as a LaTeX list."""

from __future__ import annotations

import re

from nln.rules.language.text import closing_text, conclusion_text, condition_texts, numbers_text
from nln.rules.program import LogicProgram
from nln.rules.rule import Rule

_CHARACTERS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}",
    "-": "{-}", "±": r"\ensuremath{\pm}",
}  # fmt: skip
"""Two hyphens in a row would become a dash, so each one is put in braces."""

_OPERATORS = {
    "<=": r"$\leq$", ">=": r"$\geq$", "!=": r"$\neq$", "<": "$<$", ">": "$>$",
}  # fmt: skip

_QUOTED_OR_OPERATOR = re.compile(r'"(?:[^"\\]|\\.)*"|[<>!]=|[<>]|.', re.DOTALL)


def to_latex(program: LogicProgram, *, unicode: bool = False) -> str:
    r"""Write a numbered list of the rules and the OTHERWISE sentence below it.

    Parameters
    ----------
    program : LogicProgram
        The program to write.
    unicode : bool, default=False
        False: characters other than Latin letters are written as `[U+1F600]`, so that pdfLaTeX can set the text. True:
        they are kept, for XeLaTeX and LuaLaTeX with a font that has them.

    Returns
    -------
    str
        A fragment for the body of a document with `\usepackage[T1]{fontenc}` and `\usepackage{textcomp}`.

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x_1", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x_1 < 3 THEN class = yes (weight 0.75)", schema=schema)
    >>> print(to_latex(program))
    \begin{enumerate}
      \item \textbf{if} x\_1 $<$ 3 \textbf{then} class = yes (weight 0.75)
    \end{enumerate}
    OTHERWISE class = no (P(class = yes) = 0; class = yes from 0.5)
    """
    items = [f"  \\item {_sentence(rule, program, unicode)}" for rule in program.rules]
    listed = ["\\begin{enumerate}", *items, "\\end{enumerate}"] if items else []
    closing = re.sub(" +", " ", escaped(closing_text(program), unicode=unicode))
    return "\n".join([*listed, closing])


def escaped(text: str, *, unicode: bool = False) -> str:
    """Write text of the rule language: operators outside quotes as mathematical signs, all other text literally."""
    return "".join(
        _OPERATORS.get(piece) or "".join(_character(c, unicode) for c in piece)
        for piece in _QUOTED_OR_OPERATOR.findall(text)
    )


def _character(character: str, unicode: bool) -> str:
    if character in _CHARACTERS:
        return _CHARACTERS[character]
    # LaTeX's own fonts have nothing beyond Latin Extended-A, and lack some signs before it.
    is_known = character.isascii() or (character.isalpha() and "À" <= character <= "ž")
    return character if unicode or is_known else f"[U+{ord(character):04X}]"


def _sentence(rule: Rule, program: LogicProgram, unicode: bool) -> str:
    conditions = r" \textbf{and} ".join(escaped(t, unicode=unicode) for t in condition_texts(rule, program.schema))
    label = escaped(conclusion_text(program.schema.target, rule.label), unicode=unicode)
    numbers = escaped(numbers_text(rule, program.schema.target), unicode=unicode)
    return rf"\textbf{{if}} {conditions} \textbf{{then}} {label} ({numbers})"
