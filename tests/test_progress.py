"""What is shown while learning: bars on a terminal, lines elsewhere."""

from __future__ import annotations

import io

from rich.console import Console

from nln import NLNClassifier, TrainingOptions, datasets
from nln.network.callbacks import Callback
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
    lines = console.file.getvalue().splitlines()
    stages = ["choosing the price", "trying calculations", "pooling the rules", "writing the rules"]
    assert lines == ["training 2 networks", *stages]
