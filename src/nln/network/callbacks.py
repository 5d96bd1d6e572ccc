"""What training tells the outside: subclass `Callback` and override the hooks you need."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event


class Callback:
    """Hooks that learning calls. Each does nothing unless overridden. Starts run in threads, and so may hooks.

    Examples
    --------
    >>> class Count(Callback):
    ...     epochs = 0
    ...     def on_epoch_end(self, start, epoch, record):
    ...         self.epochs += 1
    """

    def on_fit_begin(self, starts: int, epochs: int) -> None:
        """Learning begins, with this many starts of at most this many epochs."""

    def on_epoch_end(self, start: int, epoch: int, record: dict[str, float]) -> None:
        """One epoch of a start has ended; `record` holds its loss, validation loss and resets."""

    def on_start_end(self, start: int) -> None:
        """One start has stopped training."""

    def on_stage(self, name: str) -> None:
        """A step after training begins, for example "choosing the price"."""

    def on_fit_end(self) -> None:
        """Learning has ended or was interrupted."""


def announce(callbacks: Sequence[Callback], stage: str) -> None:
    """Tell the callbacks that a stage begins."""
    for callback in callbacks:
        callback.on_stage(stage)


class Cancelled(Exception):
    """Training was told to stop from another thread."""


class StopOnEvent(Callback):
    """Stops all starts at the end of their epoch once the event is set."""

    def __init__(self, event: Event) -> None:
        self.event = event

    def on_epoch_end(self, start: int, epoch: int, record: dict[str, float]) -> None:
        """Raise `Cancelled` if the event is set."""
        if self.event.is_set():
            raise Cancelled
