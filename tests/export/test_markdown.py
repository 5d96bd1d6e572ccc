"""Markdown shows the text of the rules, and no name acts as a mark."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
from hypothesis import given, settings

from nln.export import to_markdown
from nln.export.markdown import escaped
from nln.rules import LogicProgram
from nln.rules.language.text import conclusion_text, conditions_text
from tests import tools
from tests.export.strategies import NASTY, cases


def cells_of(markdown: str) -> list[list[str]]:
    """Render a table and return the text of its cells."""
    module = tools.package("markdown_it")
    page = module.MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    return [[re.sub(r"</?strong>", "", c) for c in re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row)] for row in rows]


@settings(max_examples=50, deadline=None)
@given(cases())
def test_markdown_shows_the_text_of_the_rules(case: tuple[LogicProgram, Any]) -> None:
    program, _ = case
    lines = cells_of(to_markdown(program))[1:]
    for rule, cells in zip(program.rules, lines, strict=True):
        assert html.unescape(cells[1]) == conditions_text(rule, program.schema)
        assert html.unescape(cells[2]) == conclusion_text(program.schema.target, rule.label)


@pytest.mark.parametrize("text", NASTY)
def test_markdown_escapes_show_the_text_itself(text: str) -> None:
    module = tools.package("markdown_it")
    said = json.dumps(text)
    page = module.MarkdownIt("commonmark", {"html": True}).render(escaped(said))
    assert html.unescape(page) == f"<p>{said}</p>\n"
