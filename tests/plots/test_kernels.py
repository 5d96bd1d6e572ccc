"""Conditions on windows are drawn as small pictures of their cells."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Circle, Rectangle

from nln import windows
from nln.plots import plot_rule, plot_rules
from nln.plots.kernels import find_kernel
from nln.plots.style import INK, PAPER
from nln.rules import ChildTable, Feature, LogicProgram, Schema, Target
from tests.plots.programs import patches, texts

BOARD = tuple(Feature(f"r{i}c{j}", "categorical", ("free", "o", "x")) for i in range(2) for j in range(3))
PIXELS = tuple(Feature(f"r{i}c{j}", "binary", (0, 1)) for i in range(2) for j in range(2))
TABLES = (
    ChildTable("places", "row", (Feature("top", "continuous", whole=True), *BOARD), parent_key=""),
    ChildTable("patches", "row", PIXELS, parent_key=""),
    ChildTable("spans", "row", tuple(Feature(f"t{i}", "continuous") for i in range(4)), parent_key=""),
    ChildTable("visits", "row", (Feature("dept", "categorical", ("ER", "eye")),), parent_key=""),
)
SCHEMA = Schema((Feature("age", "continuous"),), Target("won", "binary", ("no", "yes")), TABLES)


def rule(text):
    return LogicProgram.parse(f"IF {text} THEN won = yes (weight 0.9)", schema=SCHEMA)


def picture(text):
    card = plot_rule(rule(text), 1)
    return card, card.child_axes[0]


def faces(panel):
    return [to_hex(patch.get_facecolor()) for patch in patches(panel, Rectangle)]


def test_cells_that_are_asked_for_are_filled_and_others_empty():
    card, panel = picture("some places (r0c0 = x AND r1c2 != o AND top >= 2)")
    assert card.texts[-1].get_text() == "some places (top >= 2)"
    assert faces(panel) == ["#ffffff", *[PAPER.lower()] * 4, "#ffffff"]
    assert len(panel.lines) == 2 + 1  # a cross, a stroke
    (nought,) = patches(panel, Circle)
    assert nought.get_zorder() > max(patch.get_zorder() for patch in patches(panel, Rectangle))


def test_pixels_are_dark_where_they_must_be_set():
    card, panel = picture("no patches (r0c0 = 1 AND r0c1 != 1 AND r1c1 = 0)")
    assert card.texts[-1].get_text() == "no patches"
    assert faces(panel) == [INK, "#ffffff", PAPER.lower(), "#ffffff"]
    assert texts(panel) == ["1", "1", "0"]


def test_a_series_is_a_row_of_ranges():
    card, panel = picture("at least 2 spans (t0 >= 1.25 AND t1 < 0.5 AND -1 <= t3 < 2)")
    assert card.texts[-1].get_text() == "at least 2 spans"
    assert texts(panel) == ["≥ 1.25", "< 0.5", "-1 to\n< 2"]
    assert len(patches(panel, Rectangle)) == 4


def test_what_all_windows_hold_is_drawn_as_it_is_said():
    card, panel = picture("all places (r0c1 = x)")
    assert card.texts[-1].get_text() == "all places"
    assert len(panel.lines) == 2
    assert not texts(panel)


@pytest.mark.parametrize("text", ["age >= 3", "at least 2 spans", "some visits (dept = ER)", "some places (top >= 2)"])
def test_conditions_without_cells_have_no_picture(text):
    program = rule(text)
    assert find_kernel(program.rules[0].conditions[0], program.schema) is None


def test_a_card_is_as_high_as_its_pictures():
    program = LogicProgram(SCHEMA, (), (0.0,), (0.5,))
    tall = tuple(Feature(f"r{i}c0", "binary", (0, 1)) for i in range(9))
    schema = Schema((), program.schema.target, (ChildTable("columns", "row", tall, parent_key=""),))
    program = LogicProgram.parse("IF some columns (r8c0 = 1) THEN won = yes", schema=schema)
    card = plot_rules(program)[0]
    card.figure.canvas.draw()
    cells = card.child_axes[0].get_window_extent()
    assert cells.height >= 9 * 0.3 * card.figure.dpi * 0.8
    assert cells.y0 >= card.get_window_extent().y0 - 1


def test_the_names_are_those_of_windows():
    cells = windows(np.zeros((2, 3, 4), int), 2, 2).table
    assert [name for name in cells if name not in ("row", "top", "left")] == [feature.name for feature in PIXELS]
