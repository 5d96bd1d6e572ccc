import numpy as np
import pytest

from nln import plots
from tests.plots.programs import new_ax
from tests.plots.test_all_figures import rendered


def test_there_is_one_area_for_each_interval_and_one_line_for_each_dichotomy():
    ax = plots.plot_intervals([1.0, 2.0, 3.0, 4.0], [12.0] * 4)
    assert (len(ax.collections), len(ax.lines)) == (5, 4)
    rendered(ax.figure)


def test_learned_weights_make_other_intervals():
    neighbours = np.array([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])
    given, learned = (plots.plot_intervals([1.0, 2.0], [9.0, 9.0], w, ax=new_ax()) for w in (None, neighbours))
    for one, other in zip(given.collections, learned.collections, strict=True):
        np.testing.assert_allclose(one.get_paths()[0].vertices, other.get_paths()[0].vertices, atol=1e-12)


@pytest.mark.parametrize("given", [([], []), ([1.0], [1.0, 2.0])])
def test_numbers_that_do_not_belong_together_are_refused(given):
    with pytest.raises(ValueError, match="equally many numbers"):
        plots.plot_intervals(*given)
