from __future__ import annotations

import pytest
from matplotlib.patches import Circle, Rectangle

from nln.plots import plot_boards
from nln.plots.boards import TIC_TAC_TOE
from nln.rules import Feature, LogicProgram, Schema, Target
from tests.plots.programs import binary, multilabel, new_ax, patches, texts, ugly


def tic_tac_toe(text):
    squares = [name for line in TIC_TAC_TOE for name in line]
    features = tuple(Feature(name, "categorical", ("b", "o", "x")) for name in squares)
    return LogicProgram.parse(text, schema=Schema(features, Target("class", "binary", ("no", "yes"))))


def test_each_rule_is_a_board_with_what_it_asks():
    program = tic_tac_toe(
        "IF top-left-square = x AND middle-middle-square = o THEN class = yes (0.9)"
        "IF top-left-square != o AND top-right-square in {b, x} THEN class = yes (0.8)"
    )
    ax = plot_boards(program)
    assert len(patches(ax, Rectangle)) == 2 * 9
    assert len(patches(ax, Circle)) == 2  # a nought asked for, and one struck out
    assert len(ax.lines) == 2 + 1  # a cross, a stroke
    assert texts(ax) == ["rule 1 · weight 0.9", "class = yes", "rule 2 · weight 0.8", "class = yes", "b\nx"]


def test_boards_are_drawn_into_the_axes_given():
    ax = new_ax()
    assert plot_boards(tic_tac_toe("IF top-left-square = x THEN class = yes"), ax=ax) is ax


def test_boards_take_other_squares_and_refuse_what_is_none():
    with pytest.raises(ValueError, match="The rules ask about 'x', which is not one of the squares"):
        plot_boards(binary().program)
    ax = plot_boards(multilabel().program, squares=[["p", "q"], ["r"]], columns=2)
    assert len(patches(ax, Rectangle)) == 4 * 3
    program = ugly().program
    assert plot_boards(program, squares=[program.schema.names]).texts
