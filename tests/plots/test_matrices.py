from __future__ import annotations

import numpy as np
import pytest

from nln.plots import plot_comparison, plot_confusion, plot_overlap
from nln.plots.data import covered
from nln.plots.matrices import _percent
from nln.rules import LogicProgram
from tests.plots.programs import binary, multiclass, multilabel, texts


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


def test_percentages_never_hide_that_some_rows_are_left():
    assert [_percent(share) for share in (0.982, 0.004, 0.0, 0.9999)] == ["98", "<1", "0", ">99"]
