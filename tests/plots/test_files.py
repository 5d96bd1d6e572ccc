from __future__ import annotations

from xml.etree import ElementTree

import pytest

from nln.plots import plot_coverage, plot_rules
from nln.plots.files import FORMATS, figure_bytes
from tests.plots.programs import binary, ugly


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
