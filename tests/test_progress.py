"""What is shown while learning: bars on a terminal, lines elsewhere, and that loops are compiled."""

from __future__ import annotations

import io

import numba
import pytest
from rich.console import Console

from nln import NLNClassifier, TrainingOptions, datasets
from nln.compiled import FUNCTIONS, watching_compilation
from nln.network.callbacks import COMPILING, Callback, CompilationNotice
from nln.progress import ProgressBar


def screen(**options):
    return Console(file=io.StringIO(), width=80, **options)


def learn(*callbacks):
    X, y = datasets.load_monks(1)
    return NLNClassifier(starts=2, training=TrainingOptions(epochs=5), callbacks=callbacks).fit(X, y)


def test_bar_is_full_at_the_end_and_says_so():
    console = screen(force_terminal=True)
    learn(ProgressBar(console))
    shown = console.file.getvalue()
    assert "learned" in shown
    assert "100%" in shown


def test_no_bar_is_full_while_there_is_work_to_do():
    class Full(Callback):
        """Looks at the bars whenever another stage has begun."""

        def __init__(self):
            self.found = []

        def on_stage(self, name):
            self.found += [task.finished for task in bar._progress.tasks]

    bar, full = ProgressBar(screen(force_terminal=True)), Full()
    learn(bar, full)
    assert len(full.found) >= 3 and not any(full.found)


def test_where_no_bar_can_be_drawn_each_stage_is_a_line():
    console = screen(force_terminal=False)
    learn(ProgressBar(console))
    lines = [line for line in console.file.getvalue().splitlines() if line != COMPILING]
    assert lines == ["training 2 networks", "choosing the price", "pooling the rules", "writing the rules"]


def function_of(module):
    """A function that was never compiled, in a module of this name."""

    def add_one(x):
        return x + 1

    add_one.__module__ = module
    return numba.njit(add_one)


def test_what_is_compiled_is_told_and_what_others_compile_is_not():
    told = []
    with watching_compilation(told.append):
        assert function_of("nln.here")(1) == 2
        assert function_of("elsewhere")(1) == 2
    function_of("nln.here")(1)
    assert told == [0, 1]


@pytest.mark.parametrize("terminal", [True, False])
def test_compiling_is_announced_once_and_its_bar_is_never_full(terminal):
    console = screen(force_terminal=terminal)
    bar = ProgressBar(console)
    bar.on_fit_begin(2, 5)
    for done in (0, 1, 2 * FUNCTIONS):
        bar.on_compile(done)
    assert not any(task.finished for task in bar._progress.tasks)
    bar.on_fit_end()
    if not terminal:
        assert console.file.getvalue() == f"training 2 networks\n{COMPILING}\n"


def test_somebody_who_waits_at_a_terminal_is_told_without_a_bar(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    notice = CompilationNotice()
    notice.on_compile(0)
    notice.on_compile(1)
    assert capsys.readouterr().err == f"nln: {COMPILING}\n"
