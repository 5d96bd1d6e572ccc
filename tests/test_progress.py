import io

from rich.console import Console

from nln import NLNClassifier, TrainingOptions, datasets
from nln.progress import ProgressBar


def test_bar_is_full_at_the_end_and_says_so():
    X, y = datasets.load_monks(1)
    screen = Console(file=io.StringIO(), force_terminal=True, width=80)
    NLNClassifier(starts=2, training=TrainingOptions(epochs=5), callbacks=[ProgressBar(screen)]).fit(X, y)
    shown = screen.file.getvalue()
    assert "learned" in shown
    assert "100%" in shown
