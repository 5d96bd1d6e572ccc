"""Formats for readers say what the rule language says, and no name acts as a mark."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from nln.export import EXPORTERS, export, to_json, to_latex, to_markdown, to_text
from nln.export.latex import escaped as latex_escaped
from nln.export.markdown import escaped
from nln.export.pieces import closing_text, condition_texts
from nln.rules import Feature, LogicProgram, Rule, Schema, Target, ValueCondition
from nln.rules.language.text import conclusion_text
from tests import tools
from tests.export.strategies import NASTY, cases

Case = tuple[LogicProgram, list[dict[str, Any]]]


@settings(max_examples=50, deadline=None)
@given(cases())
def test_text_and_json_read_back(case: Case) -> None:
    program, _ = case
    assert LogicProgram.parse(to_text(program), schema=program.schema) == program
    assert LogicProgram.from_dict(json.loads(to_json(program, indent=None))) == program


def cells_of(markdown: str) -> list[list[str]]:
    """Render a table and return the text of its cells."""
    module = tools.package("markdown_it")
    page = module.MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    return [[re.sub(r"</?strong>", "", c) for c in re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row)] for row in rows]


@settings(max_examples=50, deadline=None)
@given(cases())
def test_markdown_shows_the_text_of_the_rules(case: Case) -> None:
    program, _ = case
    lines = cells_of(to_markdown(program))[1:]
    for rule, cells in zip(program.rules, lines, strict=True):
        assert html.unescape(cells[1]) == " AND ".join(condition_texts(rule, program))
        assert html.unescape(cells[2]) == conclusion_text(program.schema.target, rule.label)


@pytest.mark.parametrize("text", NASTY)
def test_markdown_escapes_show_the_text_itself(text: str) -> None:
    module = tools.package("markdown_it")
    said = json.dumps(text)
    page = module.MarkdownIt("commonmark", {"html": True}).render(escaped(said))
    assert html.unescape(page) == f"<p>{said}</p>\n"


@settings(max_examples=50, deadline=None)
@given(cases())
def test_latex_has_balanced_braces_and_only_its_own_commands(case: Case) -> None:
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
    assert latex_escaped('"a>=b" >= 3') == r"\textquotedbl{}a\textgreater{}=b\textquotedbl{} $\geq$ 3"
    assert latex_escaped("😀") == "[U+1F600]"
    assert latex_escaped("😀", unicode=True) == "😀"


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


def test_every_format_is_found_by_name_and_takes_every_kind_of_target() -> None:
    x = Feature("x", "continuous")
    for target in (
        Target("y", "binary", ("no", "yes")),
        Target("y", "multiclass", (1, 2.5, 3)),
        Target("y", "multilabel", (True, "b")),
    ):
        outputs = len(target.outputs)
        thresholds = () if target.kind == "multiclass" else (0.5,) * outputs
        program = LogicProgram(Schema((x,), target), (), (0.25,) * outputs, thresholds)
        for name, function in EXPORTERS.items():
            assert program.export(name) == export(program, name) == function(program) != ""


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    program = LogicProgram(Schema((), Target("y", "binary", (0, 1))), (), (0.0,), (0.5,))
    with pytest.raises(ValueError, match="no format 'cobol'; known: 'text', 'markdown'"):
        program.export("cobol")
    assert closing_text(program) == "OTHERWISE y = 0    (P(y = 1) = 0; y = 1 from 0.5)"


def test_exports_load_no_optional_package() -> None:
    code = "import sys, nln.export; print({'sqlglot', 'duckdb', 'clingo', 'pandas', 'lark'} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"
