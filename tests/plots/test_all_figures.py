"""What holds for every figure: it draws into the axes given or makes some, for all kinds of targets and any names."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from nln import NLNClassifier, plots
from tests.plots.programs import CASES, new_ax

OF_PROGRAM = {
    "plot_network": lambda case, X, **ax: plots.plot_network(case.program, **ax),
    "plot_rule": lambda case, X, **ax: plots.plot_rule(case.program, 1, X, case.y, **ax),
    "plot_coverage": lambda case, X, **ax: plots.plot_coverage(case.program, X, case.y, **ax),
    "plot_overlap": lambda case, X, **ax: plots.plot_overlap(case.program, X, **ax),
    "plot_roc": lambda case, X, **ax: plots.plot_roc(case.program, X, case.y, **ax),
    "plot_precision_recall": lambda case, X, **ax: plots.plot_precision_recall(case.program, X, case.y, **ax),
    "plot_calibration": lambda case, X, **ax: plots.plot_calibration(case.program, X, case.y, **ax),
    "plot_scores": lambda case, X, **ax: plots.plot_scores(case.program, X, case.y, **ax),
    "plot_confusion": lambda case, X, **ax: plots.plot_confusion(case.program, X, case.y, **ax),
    "plot_comparison": lambda case, X, **ax: plots.plot_comparison(case.program, case.program, X, **ax),
}


def rendered(figure):
    """Draw the pixels; a warning, as of a missing glyph, would be an error."""
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=40)
    assert buffer.tell() > 0


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("name", OF_PROGRAM)
def test_a_figure_of_its_own_is_made_and_drawn(name, kind):
    case = CASES[kind]()
    rendered(OF_PROGRAM[name](case, case.columns).figure)


@pytest.mark.parametrize("name", OF_PROGRAM)
def test_the_axes_given_are_drawn_into_and_returned(name, frame):
    case, ax = CASES["binary"](), new_ax()
    others = list(ax.figure.axes)
    assert OF_PROGRAM[name](case, frame(case.columns), ax=ax) is ax
    assert ax.figure.axes == others
    assert ax.has_data() or ax.patches or ax.child_axes
    rendered(ax.figure)


@pytest.mark.parametrize("name", OF_PROGRAM)
def test_a_program_without_rules_is_drawn_or_refused_with_a_reason(name):
    case = CASES["binary"]()
    empty = type(case)(type(case.program)(case.program.schema, (), (0.1,), (0.5,)), case.columns, case.y)
    if name == "plot_rule":
        with pytest.raises(ValueError, match="There is no rule 1; the program has 0"):
            OF_PROGRAM[name](empty, empty.columns)
    else:
        rendered(OF_PROGRAM[name](empty, empty.columns).figure)


@pytest.mark.parametrize("name", ["plot_coverage", "plot_overlap", "plot_scores", "plot_confusion"])
def test_a_model_fitted_without_names_reads_its_own_tables(name):
    table = [[1.0, 5.0], [2.0, 6.0], [3.0, 5.0], [4.0, 6.0]] * 9
    model = NLNClassifier(random_state=0, starts=1).fit(table, [0, 0, 1, 1] * 9)
    arguments = (table,) if name == "plot_overlap" else (table, [0, 0, 1, 1] * 9)
    rendered(getattr(plots, name)(model, *arguments).figure)


def test_something_else_than_a_program_is_refused():
    with pytest.raises(TypeError, match=r"takes a LogicProgram or a fitted model .* not list"):
        plots.plot_network([])


def test_neither_pyplot_nor_scikit_learn_are_imported():
    code = "import sys, nln.plots; sys.exit('matplotlib.pyplot' in sys.modules or 'sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_matplotlib_the_error_names_the_extra():
    code = "import sys; sys.modules['matplotlib'] = None; import nln.plots"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ImportError: Figures need matplotlib: pip install 'nln[plots]'." in done.stderr


def test_every_public_figure_is_listed():
    assert sorted(plots.__all__) == plots.__all__
    for name in plots.__all__:
        assert callable(getattr(plots, name))
