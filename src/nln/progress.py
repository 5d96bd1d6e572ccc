"""A progress bar for `fit`, drawn by rich: one bar for the epochs of all starts, then the names of later stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nln.network.callbacks import Callback

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
        self._epochs = epochs
        self._progress = Progress(console=self.console or Console(stderr=True))
        self._task = self._progress.add_task("training", total=starts * epochs)
        self._done: dict[int, int] = {}
        self._progress.start()

    def on_epoch_end(self, start: int, epoch: int, record: dict[str, float]) -> None:
        """Advance by one epoch."""
        self._done[start] = epoch + 1
        self._progress.update(self._task, completed=sum(self._done.values()))

    def on_start_end(self, start: int) -> None:
        """Count the epochs that early stopping saved."""
        self._done[start] = self._epochs
        self._progress.update(self._task, completed=sum(self._done.values()))

    def on_stage(self, name: str) -> None:
        """Show the name of the stage."""
        self._progress.update(self._task, description=name)

    def on_fit_end(self) -> None:
        """Fill the bar and leave it on the screen."""
        self._progress.update(self._task, description="learned")
        self._progress.stop()
