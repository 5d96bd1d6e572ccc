"""Figures about learning: the path of prices and the history."""

from __future__ import annotations

import numpy as np
import pytest

from nln import NLNClassifier
from nln.network.training import History
from nln.plots import plot_history, plot_path
from nln.rules.path import PathPoint
from tests.plots.programs import new_ax


@pytest.fixture(scope="module")
def model():
    return NLNClassifier(random_state=0, starts=2).fit([[1], [2], [3], [4]] * 9, [0, 0, 1, 1] * 9)


def test_the_path_of_a_model_is_drawn_with_its_price_marked(model):
    ax = plot_path(model)
    assert ax.lines[0].get_xdata().tolist() == [point.n_rules for point in model.path_]
    assert ax.lines[0].get_ydata().tolist() == [point.validation_loss for point in model.path_]
    assert len(ax.texts) == len(model.path_)
    chosen = min(model.path_, key=lambda point: abs(np.log(point.price / model.price_)))
    assert ax.lines[1].get_xdata() == [chosen.n_rules]


def test_a_path_alone_has_no_mark_unless_a_price_is_given(model):
    given = new_ax()
    assert plot_path(model.path_, ax=given) is given
    assert len(given.lines) == 1
    programs = [model.at(n_rules=1000), model.at(n_rules=4)]
    marked = plot_path([PathPoint(0.1, 0.2, programs[0]), PathPoint(0.2, 0.3, programs[1])], price=0.21)
    assert marked.lines[1].get_xdata() == [programs[1].n_rules]
    assert marked.get_title(loc="left") == f"Price 0.21: {programs[1].n_rules} rules of size {programs[1].size:.1f}"


def test_committees_are_hollow(model):
    program = model.at(n_rules=1000)
    points = [PathPoint(0.1, 0.2, program, members=5), PathPoint(0.1, 0.2, program), PathPoint(0.2, 0.3, program)]
    line, hollow = plot_path(points).lines
    assert len(line.get_xdata()) == 3
    assert hollow.get_ydata().tolist() == [0.2]
    assert hollow.get_markerfacecolor() == "white"


def test_the_history_of_a_model_has_two_lines_and_a_dot_a_start(model):
    losses, resets = plot_history(model)
    assert len(losses.lines) == 3 * len(model.history_)
    longest = max(map(len, model.history_))
    assert len(resets.patches) == longest
    assert sum(bar.get_height() for bar in resets.patches) == sum(sum(h.column("resets")) for h in model.history_)


def test_the_history_is_drawn_into_the_axes_given():
    record = {"loss": 0.3, "validation_loss": 0.4, "resets": 2.0}
    axes = [new_ax(), new_ax()]
    assert plot_history([History([record], 0)], axes=axes) == axes


def test_nothing_learned_is_refused():
    with pytest.raises(ValueError, match="The path is empty"):
        plot_path([])
    with pytest.raises(ValueError, match="The history is empty"):
        plot_history([])
