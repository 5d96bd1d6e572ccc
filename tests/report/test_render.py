from __future__ import annotations

import json
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from nln.report import SECTIONS, render, summarize
from nln.report.render import page_script, script_json
from nln.rules.language.text import numbers_text
from tests.report import programs


class Page(HTMLParser):
    """The elements of a page, and the text of each script."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self.inside = [], [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")
            self.inside = True

    def handle_endtag(self, tag):
        if tag == "script":
            self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1] += data


def page_of(example, frame, **options):
    return render(summarize(example.program, example.columns(frame), example.truth, **options))


@given(
    st.recursive(
        st.text() | st.none() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_data_in_a_script_element_stay_data(value):
    text = script_json(value)
    assert json.loads(text) == value
    assert text.isascii() and not set(text) & set("<>&")


def test_names_that_look_like_code_stay_text(frame):
    example = programs.hostile()
    text = page_of(example, frame, title=programs.HOSTILE[1], include_rows=True)
    page = Page(text)
    tags = [tag for tag, _ in page.elements]
    assert len(page.scripts) == 2 and "img" not in tags and "b" not in tags
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    data = json.loads(page.scripts[0])
    assert [feature["name"] for feature in data["features"]] == list(example.program.schema.names)
    assert data["features"][0]["values"] == list(programs.HOSTILE)
    assert "{{ 7 * 7 }}" in text


def test_the_page_names_no_address_and_allows_no_request(frame):
    page = Page(page_of(programs.binary(), frame, include_rows=True))
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert attributes.get("href", "#").startswith("#") and "src" not in attributes
    (policy,) = [a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ") and "script-src 'sha256-" in policy
    assert "http://" not in page_script().replace("http://www.w3.org/2000/svg", "") and "https://" not in page_script()


def test_without_a_script_the_rules_can_be_read(frame):
    example = programs.binary()
    text = page_of(example, frame)
    inside = text[text.index("<noscript>") : text.index("</noscript>")]
    assert inside.count("<li>IF") == example.program.n_rules
    rule = example.program.count_coverage(example.columns(frame), example.truth).rules[0]
    numbers = numbers_text(rule, example.program.schema.target)
    assert f"albumin != 0 AND hemoglobin &lt; 12.9 ± 0.3 THEN class = ckd ({numbers})" in inside


def test_sections_stand_in_order(frame):
    example = programs.binary()
    page = render(summarize(example.program, example.columns(frame), example.truth))
    names = [section.name for section in SECTIONS if section.name not in ("dial", "audit")]
    places = [page.index(f'<section id="{name}"') for name in names]
    assert places == sorted(places) and '<section id="dial"' not in page
