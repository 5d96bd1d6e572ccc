from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import rc_context

from nln.plots.style import drawable, label_colours, new_grid, shown
from tests.tools import package


@given(st.text(), st.integers(4, 30))
def test_what_is_shown_is_short_and_printable(text, width):
    assert len(shown(text, width)) <= width
    assert shown(text, width).isprintable()


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_is_drawn_as_it_is(text):
    assert drawable(text) == text


def test_characters_that_the_font_lacks_become_squares():
    assert drawable("a🌷b\nc") == "a□b\nc"
    with rc_context({"font.family": ["cmr10"]}):
        assert drawable("a□") == "a?"


@pytest.mark.parametrize("n", [1, 2, 6, 7, 40])
def test_labels_have_colours_of_their_own(n):
    assert len(set(label_colours(n))) == n


def test_notebooks_show_figures_without_pyplot():
    figure = new_grid(1, 2, 2.0, 1.0)[0].figure
    bundle, _ = package("IPython.core.formatters").DisplayFormatter().format(figure)
    assert bundle["image/png"].startswith(b"\x89PNG")
