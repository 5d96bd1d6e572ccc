"""The error of a command that cannot take what it was given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class InputError(Exception):
    """Arguments or files that a command cannot take. The message says what to do next; the exit code is 2."""


class StoppedError(Exception):
    """The user or the system stopped the command; `code` is the exit code that shells expect."""

    def __init__(self, code: int) -> None:
        super().__init__("Stopped.")
        self.code = code


class Terminated(KeyboardInterrupt):
    """The system asks the process to end: files that are being written are removed on the way out."""


@contextmanager
def refusals_as_input_errors() -> Iterator[None]:
    """Report what the package refuses inside the block as an `InputError`.

    The package raises ValueError or TypeError for tables and parameters that it cannot take, and in a command both come
    from the user. An error of our own inside the block would be reported in the same way, without a traceback: keep the
    block around calls that check or read what the user gave.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        raise InputError(str(error)) from None
