from __future__ import annotations

import numpy as np
import pytest
from matplotlib.text import Text

from nln.plots import plot_coverage
from nln.plots.data import covered
from nln.rules import Feature, LogicProgram, Schema, Target
from tests.plots.programs import binary, legend, multiclass, multilabel, ugly


def widths(ax):
    return np.array([bar.get_width() for bar in ax.patches])


def test_coverage_bars_count_each_class_and_the_rows_of_no_rule(frame):
    case = multiclass()
    ax = plot_coverage(case.program, frame(case.columns), case.y)
    mask = covered(case.program, case.columns)
    counts = widths(ax).reshape(3, case.program.n_rules + 1)
    for k, label in enumerate("abc"):
        has = np.array(case.y) == label
        assert counts[k, :-1].tolist() == (mask & has[:, None]).sum(axis=0).tolist()
        assert counts[k, -1] == (has & ~mask.any(axis=1)).sum()
    assert legend(ax) == ["a", "b", "c"]
    assert [t.get_text() for t in ax.get_yticklabels()][::4] == ["x < 3 → a   rule 1", "no rule"]


def test_coverage_of_two_classes_begins_with_that_of_the_rules():
    assert legend(plot_coverage(binary().program, binary().columns, binary().y)) == ["yes", "no"]


def test_coverage_of_labels_parts_rows_by_the_label_of_the_rule():
    case = multilabel()
    ax = plot_coverage(case.program, case.columns, case.y)
    counts = widths(ax).reshape(2, 4)
    assert counts.sum(axis=0).tolist() == covered(case.program, case.columns).sum(axis=0).tolist()
    assert counts[1].tolist() == [0, 0, 0, 0]  # y is what the rules say
    assert legend(ax) == ["with the label", "without"]


def test_names_with_an_underscore_stay_in_the_legend():
    case = ugly()
    assert "_hidden" in legend(plot_coverage(case.program, case.columns, case.y))


def test_formulas_in_names_stay_text():
    case = ugly()
    ax = plot_coverage(case.program, case.columns, case.y)
    formulas = [text for text in ax.findobj(Text) if "$x_1$" in text.get_text()]
    assert len({text.get_text() for text in formulas}) == 2  # the name of a rule, and a class
    assert not any(text.get_parse_math() for text in formulas)


def test_rows_can_be_counted_by_other_classes():
    schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    program = LogicProgram.parse("IF x < 3 THEN class = yes", schema=schema)
    y = ["yes", "yes", "no", "no"]
    ax = plot_coverage(program, {"x": [1, 2, 4, 5]}, y, by=["a", "b", "b", "b"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["b", "a"]  # the most frequent first
    assert [bar.get_width() for bar in ax.patches] == [1, 2, 1, 0]
    ax = plot_coverage(program, {"x": [1, 2, 4, 5]}, y, by=["a", "b", "b", "b"], shares=True)
    assert [bar.get_width() for bar in ax.patches] == [0.5, 1.0, 0.5, 0.0]
    assert [text.get_text() for text in ax.texts] == ["2", "2"]
    with pytest.raises(ValueError, match="one class for each of the 4 rows"):
        plot_coverage(program, {"x": [1, 2, 4, 5]}, y, by=["a"])
