from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import rc_context

from nln.plots import plot_coverage, plot_rules
from nln.plots.style import FORMATS, INK, drawable, figure_bytes, label_colours, new_grid, readable_on, shown
from tests.plots.programs import binary, ugly
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


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_figure_gives_the_same_bytes(name):
    case = binary()
    one, other = (figure_bytes(plot_coverage(case.program, case.columns, case.y), name) for _ in range(2))
    assert one == other


def test_several_axes_are_one_figure_and_text_stays_text():
    svg = figure_bytes(plot_rules(ugly().program), "svg").decode()
    texts = [element.text for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert any(texts)


def test_an_unknown_format_is_refused():
    with pytest.raises(ValueError, match="no format 'gif'; known: svg, pdf, png"):
        figure_bytes(plot_rules(binary().program), "gif")


def test_names_and_values_are_shown_on_one_line():
    assert [shown(value, 10) for value in ("a name of many words", "two\nlines", True, 2.0, "")] == [
        "a name of…",
        "two\\nlines",
        "true",
        "2",
        '""',
    ]


def test_text_is_dark_on_light_colours_and_white_on_dark_ones():
    assert (readable_on("#0072B2"), readable_on("#F0E442")) == ("white", INK)


def test_two_classes_are_blue_and_orange():
    assert label_colours(2) == ["#0072B2", "#E69F00"]
