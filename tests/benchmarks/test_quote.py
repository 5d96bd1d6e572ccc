"""Numbers in the README are those of the stored results."""

from __future__ import annotations

from benchmarks.quote import QUOTES, ROOT, quoted


def test_readme_quotes_the_stored_results():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert quoted(text) == text


def test_readme_has_a_place_for_every_quote():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in QUOTES:
        assert text.count(f"<!-- begin: {name} -->") == text.count(f"<!-- end: {name} -->") == 1
