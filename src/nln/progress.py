"""A progress bar for `fit`, drawn by rich: a bar for the epochs of all starts, then one for each later stage.

What has no known end gets a bar that moves back and forth, so no bar is full while there is work to do. Where no bars
can be drawn, in a file or a pipe, each stage is a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nln.network.callbacks import Callback
from nln.rules.language.words import counted

if TYPE_CHECKING:
    from rich.console import Console


class ProgressBar(Callback):
    """Show how far `fit` has got. It needs the package rich (`pip install rich`).

    Parameters
    ----------
    console : rich.console.Console, default=None
        Where to draw. None means standard error.

    Examples
    --------
    >>> from nln import NLNClassifier
    >>> model = NLNClassifier(callbacks=[ProgressBar()])
    """

    def __init__(self, console: Console | None = None) -> None:
        self.console = console

    def on_fit_begin(self, starts: int, epochs: int) -> None:
        """Draw the bar."""
        try:
            from rich.console import Console
            from rich.progress import Progress
        except ImportError as error:
            raise ImportError("The progress bar needs rich. Install it with: pip install rich") from error
        console = self.console or Console(stderr=True)
        self._epochs, self._done = epochs, dict[int, int]()
        self._draws = console.is_terminal or console.is_jupyter
        self._progress = Progress(console=console, disable=not self._draws)
        self._progress.start()
        self._begin(f"training {counted(starts, 'network')}", starts * epochs)

    def on_epoch_end(self, start: int, epoch: int, record: dict[str, float]) -> None:
        """Advance by one epoch."""
        self._done[start] = epoch + 1
        self._progress.update(self._task, completed=sum(self._done.values()))

    def on_start_end(self, start: int) -> None:
        """Count the epochs that early stopping saved."""
        self._done[start] = self._epochs
        self._progress.update(self._task, completed=sum(self._done.values()))

    def on_stage(self, name: str) -> None:
        """Begin a bar for the stage, which moves back and forth: nobody knows how long it takes."""
        self._progress.remove_task(self._task)
        self._begin(name, None)

    def on_fit_end(self) -> None:
        """Leave a full bar on the screen."""
        for task in list(self._progress.task_ids):
            self._progress.remove_task(task)
        self._progress.add_task("learned", total=1, completed=1)
        self._progress.stop()

    def _begin(self, name: str, total: int | None) -> None:
        self._task = self._progress.add_task(name, total=total)
        if not self._draws:
            self._progress.console.print(name, markup=False, highlight=False, soft_wrap=True)
