"""Figures about rows: coverage, overlap, scores, curves, confusion, comparison."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.text import Text

from nln.plots import (
    plot_calibration,
    plot_comparison,
    plot_confusion,
    plot_coverage,
    plot_overlap,
    plot_precision_recall,
    plot_roc,
    plot_scores,
)
from nln.plots.data import covered, scored
from nln.rules import LogicProgram
from tests.plots.programs import binary, multiclass, multilabel, texts, ugly


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


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


def test_overlap_is_the_share_of_common_rows():
    case = binary()
    mask = covered(case.program, case.columns)
    found = np.array(texts(plot_overlap(case.program, case.columns))).reshape(3, 3)
    for i in range(3):
        assert found[i, i] == str(mask[:, i].sum())
        for j in set(range(3)) - {i}:
            share = (mask[:, i] & mask[:, j]).sum() / max(mask[:, i].sum(), 1)
            assert found[i, j] == f"{100 * share:.0f}"


def test_comparison_frames_the_best_pairs():
    case = multiclass()
    mixed = LogicProgram(case.program.schema, case.program.rules[::-1], case.program.biases, ())
    ax = plot_comparison(case.program, mixed, case.columns)
    corners = {(round(p.get_y() + 0.46), round(p.get_x() + 0.46)) for p in ax.patches}
    assert corners == {(0, 3), (1, 2), (2, 1), (3, 0)}
    assert np.array(texts(ax)).reshape(4, 4)[0].tolist() == ["", "", "", "100"]
    assert "decisions: 100 %" in ax.get_title(loc="left")


@pytest.mark.parametrize("plot", [plot_roc, plot_precision_recall, plot_calibration])
def test_there_is_a_curve_for_each_label_that_some_rows_have_and_some_lack(plot):
    assert len(legend(plot(binary().program, binary().columns, binary().y))) == 1
    case = multiclass()
    assert [name[0] for name in legend(plot(case.program, case.columns, case.y))] == ["a", "b", "c"]
    labels = multilabel()
    some = labels.y.copy()
    some[:, 1] = 1
    assert [name[0] for name in legend(plot(labels.program, labels.columns, some))] == ["p", "r"]
    with pytest.raises(ValueError, match="a curve needs rows of both sorts"):
        plot(labels.program, labels.columns, np.ones_like(some))


def test_the_dot_of_a_roc_curve_is_at_the_threshold():
    case = binary()
    dot = plot_roc(case.program, case.columns, case.y).lines[-1]
    decided, true = case.program.predict(case.columns) == "yes", np.array(case.y) == "yes"
    assert dot.get_xdata()[0] == decided[~true].mean()
    assert dot.get_ydata()[0] == decided[true].mean()


def test_scores_of_a_label_are_its_probabilities_with_its_truth():
    case = multiclass()
    items = scored(case.program, case.columns, case.y)
    np.testing.assert_array_equal(
        np.column_stack([item.probability for item in items]), case.program.predict_proba(case.columns)
    )
    assert [item.truth.sum() for item in items] == [3, 3, 2]
    assert [item.threshold for item in items] == [None] * 3


def test_scores_have_a_threshold_where_one_decides():
    case = binary()
    ax = plot_scores(case.program, case.columns, case.y)
    assert legend(ax) == ["with the label", "without", "threshold"]
    assert list(ax.lines[-1].get_xdata()) == [0.5, 0.5]
    assert legend(plot_scores(multiclass().program, case.columns, multiclass().y)) == ["with the label", "without"]


def test_confusion_counts_decisions():
    case = binary()
    decided, true = case.program.predict(case.columns), np.array(case.y)
    expected = [((true == t) & (decided == d)).sum() for t in ("no", "yes") for d in ("no", "yes")]
    assert texts(plot_confusion(case.program, case.columns, case.y)) == [str(count) for count in expected]


def test_confusion_of_labels_has_a_line_for_each():
    case = multilabel()
    wrong = case.y.copy()
    wrong[0, 0] = 1 - wrong[0, 0]
    found = np.array(texts(plot_confusion(case.program, case.columns, wrong))).astype(int).reshape(3, 4)
    assert found.sum(axis=1).tolist() == [8, 8, 8]
    assert (found[:, 1] + found[:, 2]).tolist() == [1, 0, 0]


def test_unknown_labels_are_refused_by_name():
    case = binary()
    with pytest.raises(ValueError, match="y holds 'perhaps' at row 0"):
        plot_confusion(case.program, case.columns, ["perhaps"] * 8)
