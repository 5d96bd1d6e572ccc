"""Figures for a domain: boards and wirings."""

from __future__ import annotations

import io

import pytest
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle

from nln.plots import plot_boards, plot_wiring
from nln.plots.boards import TIC_TAC_TOE
from nln.plots.wiring import wiring
from nln.rules import Feature, LogicProgram, Schema, Target
from tests.plots.programs import binary, multilabel, new_ax, texts, ugly


def tic_tac_toe(text):
    squares = [name for line in TIC_TAC_TOE for name in line]
    features = tuple(Feature(name, "categorical", ("b", "o", "x")) for name in squares)
    return LogicProgram.parse(text, schema=Schema(features, Target("class", "binary", ("no", "yes"))))


def kinds(ax, kind):
    return [patch for patch in ax.patches if isinstance(patch, kind)]


def test_each_rule_is_a_board_with_what_it_asks():
    program = tic_tac_toe(
        "IF top-left-square = x AND middle-middle-square = o THEN class = yes (0.9)"
        "IF top-left-square != o AND top-right-square in {b, x} THEN class = yes (0.8)"
    )
    ax = plot_boards(program)
    assert len(kinds(ax, Rectangle)) == 2 * 9
    assert len(kinds(ax, Circle)) == 2  # a nought asked for, and one struck out
    assert len(ax.lines) == 2 + 1  # a cross, a stroke
    assert texts(ax) == ["rule 1 · 0.9", "class = yes", "rule 2 · 0.8", "class = yes", "b\nx"]


def test_boards_are_drawn_into_the_axes_given():
    ax = new_ax()
    assert plot_boards(tic_tac_toe("IF top-left-square = x THEN class = yes"), ax=ax) is ax


def test_boards_take_other_squares_and_refuse_what_is_none():
    with pytest.raises(ValueError, match="The rules ask about 'x', which is none of the squares"):
        plot_boards(binary().program)
    ax = plot_boards(multilabel().program, squares=[["p", "q"], ["r"]], columns=2)
    assert len(kinds(ax, Rectangle)) == 4 * 3
    program = ugly().program
    assert plot_boards(program, squares=[program.schema.names]).texts


def test_a_wiring_says_who_acts_on_whom():
    assert wiring(multilabel().program) == {
        ("q", "p"): "activates",
        ("r", "p"): "inhibits",
        ("p", "q"): "inhibits",
        ("r", "r"): "both",
        ("p", "r"): "activates",
    }


def test_a_wiring_has_a_circle_a_gene_and_an_arrow_an_effect():
    ax = new_ax()
    assert plot_wiring(multilabel().program, ax=ax) is ax
    assert len(kinds(ax, Circle)) == 3
    assert len(kinds(ax, FancyArrowPatch)) == 5
    assert texts(ax) == ["p", "q", "r"]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["activates", "inhibits", "both"]
    ax.figure.savefig(io.BytesIO(), dpi=40)


def test_a_gene_and_its_next_value_are_one_node():
    genes = ("a", "b", "c_next")
    features = tuple(Feature(gene, "binary", (0, 1)) for gene in genes)
    schema = Schema(features, Target("next", "multilabel", ("a_next", "b_next", "c_next")))
    program = LogicProgram.parse("IF b = 1 THEN a_next IF a = 0 THEN b_next IF a = 1 THEN c_next", schema=schema)
    assert wiring(program) == {("b", "a"): "activates", ("a", "b"): "inhibits", ("a", "c_next"): "activates"}
    assert texts(plot_wiring(program)) == ["a", "b", "c_next"]


def test_a_wiring_needs_labels_that_are_features():
    with pytest.raises(
        ValueError, match="labels are names of features, with or without '_next' at the end; the target is binary"
    ):
        plot_wiring(binary().program)
