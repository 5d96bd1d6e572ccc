"""Cards of rules that calculate and count."""

from __future__ import annotations

import numpy as np

from nln.plots import plot_network, plot_rule
from nln.rules import Feature, LogicProgram, Schema, Target

FEATURES = (*(Feature(name, "continuous") for name in ("x", "y")), Feature("g", "categorical", ("p", "q")))
SCHEMA = Schema((*FEATURES, Feature("h", "categorical", ("p", "q"))), Target("class", "binary", ("no", "yes")))
TEXT = "IF y - x < 2 AND at least 2 of {x > 1; y > 1; g = p} AND g is h THEN class = yes (weight 0.9)"
PROGRAM = LogicProgram.parse(TEXT, schema=SCHEMA)
ROWS = {"x": [0.0, 4.0, 2.0], "y": [0.0, 1.0, 7.0], "g": ["p", "q", "p"], "h": ["p", "q", "q"]}


def test_an_expression_is_drawn_as_the_text_says_it():
    card = plot_rule(PROGRAM, 1, ROWS, ["no", "yes", "yes"])
    texts = [text.get_text() for text in card.texts]
    assert texts[3:] == ["y - x < 2", "at least 2 of 3 hold", "g is h"]
    panel = card.child_axes[0]
    x, held = panel.lines[-1].get_xdata(), panel.lines[-1].get_ydata()
    assert PROGRAM.schema["x - y"].derived is not None
    np.testing.assert_array_equal(held, x < 2)


def test_a_count_is_a_checklist_with_the_shares_of_rows():
    card = plot_rule(PROGRAM, 1, ROWS, ["no", "yes", "yes"])
    panel = card.child_axes[1]
    assert [text.get_text() for text in panel.texts] == ["g = p", "x > 1", "y > 1"]
    widths = [round(float(bar.get_width()) / 0.28, 6) for bar in panel.patches]
    assert widths == [0.5, 1.0, 1.0, 0.0, 0.5, 0.0]
    without = plot_rule(PROGRAM, 1).child_axes[1]
    assert len(without.texts) == 3 and not without.patches


def test_the_network_names_what_is_calculated():
    texts = [text.get_text() for text in plot_network(PROGRAM).texts]
    assert "x - y" in texts and "g is h" in texts
