from __future__ import annotations

import numpy as np
import pytest

from nln.plots import plot_rule, plot_rules
from nln.plots.condition_panel import MOST_VALUES, Behind, axis_range, value_bars
from nln.rules import (
    Boundary,
    Feature,
    Interval,
    IntervalCondition,
    Schema,
    Target,
    ValueCondition,
    membership,
    read_columns,
)
from nln.rules.language.words import percent
from tests.plots.programs import binary, multilabel, new_ax, texts, ugly


def test_a_card_has_a_panel_for_each_condition():
    program = binary().program
    for number, rule in enumerate(program.rules, 1):
        assert len(plot_rule(program, number).child_axes) == len(rule.conditions)


def test_the_head_tells_number_conclusion_coverage_and_weight():
    case = binary()
    counted = case.program.with_coverage(case.columns, case.y).rules[1].coverage
    found = texts(plot_rule(case.program, 2, case.columns, case.y))
    assert found[:2] == ["rule 2", "THEN class = yes"]
    assert found[2] == (
        f"{counted.rows} rows, {percent(counted.hits / counted.rows)} yes; "
        f"{counted.hits} of 4 yes in 8 rows; weight 0.8"
    )


def test_without_counts_nothing_is_said_of_coverage():
    assert not any("rows" in text for text in texts(plot_rule(binary().program, 1)))


def test_the_curve_is_the_membership_of_the_condition():
    program = binary().program
    panel = plot_rule(program, 1).child_axes[0]
    x, y = panel.lines[0].get_data()
    np.testing.assert_array_equal(y, membership(program.rules[0].conditions[0], np.asarray(x), program.schema["x"]))
    assert y.min() + 1e-12 > 0 and y.max() > 0.9


def test_a_crisp_boundary_falls_upright():
    panel = plot_rule(binary().program, 3).child_axes[-1]
    x, y = panel.lines[0].get_data()
    steps = np.flatnonzero(np.diff(y))
    assert len(steps) == 2
    np.testing.assert_allclose(np.diff(x)[steps], 0, atol=1e-12)


def test_missing_values_are_told_with_their_probability():
    case = binary()
    assert "12 % missing\n→ 0.25" in texts(plot_rule(case.program, 1, case.columns))
    assert "missing\n→ 0.25" in texts(plot_rule(case.program, 1))


def test_rows_of_the_label_stand_apart_from_the_others(frame):
    case = binary()
    panel = plot_rule(case.program, 2, frame(case.columns), case.y).child_axes[0]
    plain = plot_rule(case.program, 2, frame(case.columns)).child_axes[0]
    assert len(panel.patches) == 2 * len(plain.patches)
    assert [t.get_text() for t in panel.get_xticklabels()] == ["false", "true"]


def test_many_values_share_bars_and_no_row_is_lost():
    feature = Feature("c", "categorical", tuple(f"v{i}" for i in range(40)))
    rows = [f"v{i % 40}" for i in range(200)] + [None] * 7
    column = read_columns({"c": rows}, Schema((feature,), Target("y", "binary", (0, 1))))["c"]
    for negated in (False, True):
        condition = ValueCondition("c", tuple(f"v{i}" for i in range(9)), negated=negated, missing=0.5)
        bars = value_bars(condition, feature, Behind(column))
        assert len(bars) == MOST_VALUES + 3  # others that satisfy it, others that fail, missing
        assert sum(bar.count(column) for bar in bars) == len(rows)
        assert bars[-1].membership == 0.5


def test_a_rule_without_conditions_holds_always():
    case = binary()
    program = type(case.program)(case.program.schema, (type(case.program.rules[0])((), "yes", 0.5),), (0.1,), (0.5,))
    assert texts(plot_rule(program, 1))[-1] == "always"


def test_a_rule_is_given_as_a_number_or_as_itself():
    program = binary().program
    assert texts(plot_rule(program, program.rules[1]))[0] == "rule 2"
    with pytest.raises(ValueError, match="There is no rule 4; the program has 3, numbered from 1"):
        plot_rule(program, 4)
    with pytest.raises(ValueError, match="not one of the program's"):
        plot_rule(program, multilabel().program.rules[0])


def test_cards_of_all_rules_in_a_grid_or_in_the_axes_given():
    case = binary()
    cards = plot_rules(case.program, case.columns, case.y)
    assert [texts(card)[0] for card in cards] == ["rule 1", "rule 2", "rule 3"]
    axes = [new_ax(), new_ax()]
    assert plot_rules(case.program, rules=[3, 1], axes=axes) == axes
    assert [texts(card)[0] for card in axes] == ["rule 3", "rule 1"]
    grid = np.array([[new_ax(), new_ax()], [new_ax(), new_ax()]], dtype=object)
    assert plot_rules(case.program, axes=grid) == [grid[0, 0], grid[0, 1], grid[1, 0]]
    with pytest.raises(ValueError, match="3 rules need 3 axes, but only 2 were given"):
        plot_rules(case.program, axes=axes)
    with pytest.raises(ValueError, match="There is no rule to draw"):
        plot_rules(case.program, rules=[])


def test_long_conditions_are_shortened():
    for card in plot_rules(ugly().program):
        assert all(len(line) <= 100 for text in texts(card) for line in text.split("\n"))


def test_the_axis_of_a_condition_reaches_beyond_its_boundaries():
    assert axis_range(IntervalCondition("x", (Interval(Boundary(3.0), Boundary(5.0)),)), None) == (2.0, 6.0)
