"""LaTeX compiles, and no name acts as a command."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

from hypothesis import given, settings

from nln.export import to_latex
from nln.export.latex import escaped
from nln.rules import Feature, LogicProgram, Rule, Schema, Target, ValueCondition
from tests import tools
from tests.export.strategies import NASTY, cases


@settings(max_examples=50, deadline=None)
@given(cases())
def test_latex_has_balanced_braces_and_only_its_own_commands(case: tuple[LogicProgram, Any]) -> None:
    source = to_latex(case[0])
    commands = set(re.findall(r"\\([A-Za-z]+|.)", source))
    known = "begin end item textbf textbackslash textasciicircum textasciitilde textless textgreater textbar"
    more = "textquotedbl textquotesingle textasciigrave ensuremath pm leq geq neq"
    assert commands <= {*known.split(), *more.split(), *"{}$&#%_"}
    plain = re.sub(r"\\[{}$&#%_]", "", source)
    assert plain.count("{") == plain.count("}") and plain.count("$") % 2 == 0
    assert not re.search(r"[#%&^~_|\"`]", re.sub(r"\\[A-Za-z]+", "", plain))
    assert all(c.isascii() or (c.isalpha() and "À" <= c <= "ž") for c in source)


def test_latex_shows_operators_as_signs_only_outside_quotes() -> None:
    assert escaped('"a>=b" >= 3') == r"\textquotedbl{}a\textgreater{}=b\textquotedbl{} $\geq$ 3"
    assert escaped("😀") == "[U+1F600]"
    assert escaped("😀", unicode=True) == "😀"


def test_latex_compiles(tmp_path: Path) -> None:
    program_path = tools.program("pdflatex")
    features = tuple(Feature(name, "categorical", (name, "other")) for name in NASTY)
    rules = tuple(Rule((ValueCondition(name, (name,)),), "yes", 0.5) for name in NASTY)
    program = LogicProgram(Schema(features, Target("a_b", "binary", ("no", "yes"))), rules, (0.0,), (0.5,))
    start = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{textcomp}\\begin{document}\n"
    (tmp_path / "rules.tex").write_text(start + to_latex(program) + "\n\\end{document}\n", encoding="utf-8")
    command = [program_path, "-interaction=nonstopmode", "-halt-on-error", "rules.tex"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert answer.returncode == 0, answer.stdout[-2000:]
