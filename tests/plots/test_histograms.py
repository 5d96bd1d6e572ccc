from __future__ import annotations

from nln.plots import plot_scores
from tests.plots.programs import binary, legend, multiclass


def test_scores_have_a_threshold_where_one_decides():
    case = binary()
    ax = plot_scores(case.program, case.columns, case.y)
    assert legend(ax) == ["with the label", "without", "threshold"]
    assert list(ax.lines[-1].get_xdata()) == [0.5, 0.5]
    assert legend(plot_scores(multiclass().program, case.columns, multiclass().y)) == ["with the label", "without"]
