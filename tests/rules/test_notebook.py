"""What notebooks show: small HTML that no name can break out of."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings

from nln.rules import Feature, LogicProgram, Rule, Schema, Target, ValueCondition
from nln.rules.notebook import MOST_RULES, element, table
from tests.rules.kidney import PROGRAM, SICK
from tests.rules.strategies import programs_and_rows

HOSTILE = [
    "</td></table><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<b>&amp;",
    "' onclick='x",
    "<!--",
]
TAGS = {"div", "span", "table", "thead", "tbody", "tr", "th", "td", "b", "br", "ul", "li"}


class Outline(HTMLParser):
    """Check that every tag is one of ours, closed in its turn, with a style at most; collect the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag, attributes):
        assert tag in TAGS
        assert {name for name, _ in attributes} <= {"style"}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        raise AssertionError("a comment")

    handle_decl = handle_pi = unknown_decl = handle_comment


def text_of(html):
    outline = Outline()
    outline.feed(html)
    outline.close()
    assert not outline.open
    assert "url(" not in html and "http" not in html
    return outline.text


def test_a_program_shows_rows_and_precision_before_the_weight():
    text = text_of(PROGRAM._repr_html_())
    assert text.startswith("3 rules for class = ckd")
    assert "1albumin != 0AND hemoglobin < 12.9 ± 0.3class = ckd23182 %190 of 2500.97" in text
    assert text.endswith("OTHERWISE class = notckd    (P(class = ckd) = 0.02; class = ckd from 0.5)")


def test_an_explanation_shows_the_decision_its_probability_and_why():
    html = PROGRAM.explain(SICK)._repr_html_()
    text = text_of(html)
    assert text.startswith("Decided class = ckdP(class = ckd) = ")
    assert "decided from 0.5" in text and "rule 1 (share " in text
    assert "left:calc(50.0% - 1px)" in html  # the line at the threshold
    healthy = PROGRAM.explain({"albumin": 0, "hemoglobin": 15, "serum_creatinine": 1, "appetite": "good"})
    assert "No rule fired." in text_of(healthy._repr_html_())


@pytest.mark.parametrize("kind", ["binary", "multiclass", "multilabel"])
def test_hostile_names_values_and_labels_stay_text(kind):
    feature = Feature(HOSTILE[0], "categorical", (HOSTILE[1], HOSTILE[2]))
    target = Target(HOSTILE[0] + "y", kind, tuple(HOSTILE[-2:]) if kind == "binary" else tuple(HOSTILE[2:]))
    asked = ValueCondition(feature.name, (HOSTILE[1],))
    rules = (Rule((), target.outputs[-1], 0.9), Rule((asked,), target.outputs[0], 0.5))
    numbers = (0.1,) * len(target.outputs)
    program = LogicProgram(Schema((feature,), target), rules, numbers, numbers)
    assert "<!--" in text_of(program._repr_html_())
    for value in (HOSTILE[1], HOSTILE[0], None):
        assert "Decided" in text_of(program.explain({feature.name: value})._repr_html_())


@settings(deadline=None, max_examples=60)
@given(programs_and_rows())
def test_every_program_and_explanation_is_well_formed(case):
    program, rows = case
    assert text_of(program._repr_html_()).startswith(f"{program.n_rules} rule")
    for explanation in program.explain(rows):
        assert text_of(explanation._repr_html_()).startswith("Decided ")


def test_long_programs_are_cut():
    program = LogicProgram(PROGRAM.schema, PROGRAM.rules * 20, (0.02,), (0.5,))
    text = text_of(program._repr_html_())
    assert f"{60 - MOST_RULES} more rules; print the program to see all." in text


def test_only_html_is_not_escaped():
    assert element("b", "<i>", element("i", "&")) == "<b>&lt;i&gt;<i>&amp;</i></b>"
    assert element("b", "x", style='a"b') == '<b style="a&quot;b">x</b>'
    assert text_of(table(("<h>",), [("<c>",)], right=())) == "<h><c>"


def test_it_needs_numpy_only():
    code = "import sys, nln.rules.notebook; print({'sklearn', 'jinja2', 'pandas', 'lark'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
