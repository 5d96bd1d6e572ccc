"""Numbers in the README and in docs are those of the stored results."""

from __future__ import annotations

import json

import pytest

from benchmarks import quote
from benchmarks.quote import QUOTES, ROOT, QuoteError, pages, quoted


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_quote_the_stored_results(page):
    text = page.read_text(encoding="utf-8")
    assert quoted(text) == text


def test_every_quote_has_one_place():
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages())
    for name in QUOTES:
        assert text.count(f"<!-- begin: {name} -->") == text.count(f"<!-- end: {name} -->") == 1


VALUES = {"a: x (%)": 98.7654, "rules": "IF a | b\nTHEN c"}


@pytest.fixture
def results(tmp_path, monkeypatch):
    part = {"table": [{"method": "a", "x": 1.2345, "y": 2}, {"method": "b", "x": 9.0}], "values": VALUES}
    (tmp_path / "some.json").write_text(json.dumps({"parts": {"a part": part}}))
    monkeypatch.setattr(quote, "RESULTS", tmp_path)


def place(name, text):
    return f"before <!-- begin: {name} -->{text}<!-- end: {name} --> after"


@pytest.mark.usefixtures("results")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("value some / a part / a: x (%)", "98.8"),
        ("text some / a part / rules", "\n```\nIF a | b\nTHEN c\n```\n"),
        ("table some / a part", "\n| method | x | y |\n| --- | --- | --- |\n| a | 1.23 | 2 |\n| b | 9 |  |\n"),
        ("table some / a part / method; y", "\n| method | y |\n| --- | --- |\n| a | 2 |\n| b |  |\n"),
    ],
)
def test_a_place_is_filled_and_then_stays(name, text):
    assert quoted(place(name, "old")) == place(name, text)
    assert quoted(place(name, text)) == place(name, text)


@pytest.mark.usefixtures("results")
def test_two_places_of_one_page_are_filled_each():
    name = "value some / a part / a: x (%)"
    assert quoted(place(name, "1") + "\n" + place(name, "2")) == place(name, "98.8") + "\n" + place(name, "98.8")


@pytest.mark.usefixtures("results")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", "no quote 'nothing'"),
        ("table some / another", "no stored result of some / another"),
        ("table none / a part", "no stored result of none / a part"),
        ("table some / a part / z", "no column 'z'"),
        ("value some / a part / z", "no value 'z'; it has a: x"),
        ("value some / a part", "should read BENCHMARK / PART"),
    ],
)
def test_a_place_that_cannot_be_filled_is_named(name, message):
    with pytest.raises(QuoteError, match=message):
        quoted(place(name, ""))


@pytest.mark.parametrize(
    "text", ["<!-- begin: tabular -->", "<!-- end: tabular -->", "<!-- begin: a --><!-- end: b -->"]
)
def test_a_marker_without_partner_is_refused(text):
    with pytest.raises(QuoteError, match="has no partner"):
        quoted(text)
