from __future__ import annotations

import numpy as np
import pytest

from nln.plots import plot_calibration, plot_precision_recall, plot_roc
from tests.plots.programs import binary, legend, multiclass, multilabel


@pytest.mark.parametrize("plot", [plot_roc, plot_precision_recall, plot_calibration])
def test_there_is_a_curve_for_each_label_that_some_rows_have_and_some_lack(plot):
    assert len(legend(plot(binary().program, binary().columns, binary().y))) == 1
    case = multiclass()
    assert [name[0] for name in legend(plot(case.program, case.columns, case.y))] == ["a", "b", "c"]
    labels = multilabel()
    some = labels.y.copy()
    some[:, 1] = 1
    assert [name[0] for name in legend(plot(labels.program, labels.columns, some))] == ["p", "r"]
    with pytest.raises(ValueError, match="a curve needs rows with and without it"):
        plot(labels.program, labels.columns, np.ones_like(some))


def test_the_dot_of_a_roc_curve_is_at_the_threshold():
    case = binary()
    dot = plot_roc(case.program, case.columns, case.y).lines[-1]
    decided, true = case.program.predict(case.columns) == "yes", np.array(case.y) == "yes"
    assert dot.get_xdata()[0] == decided[~true].mean()
    assert dot.get_ydata()[0] == decided[true].mean()
