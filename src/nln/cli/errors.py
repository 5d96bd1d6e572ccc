"""The error of a command that cannot take what it was given."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from contextlib import contextmanager


class InputError(Exception):
    """Arguments or files that a command cannot take. The message says what to do next."""

    code = 2


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
    from the user. Errors that nobody raised on purpose, deep in NumPy or by a call of ours that cannot work, are bugs
    and stay what they are.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        if not _is_on_purpose(error):
            raise
        raise InputError(str(error)) from None


def _is_on_purpose(error: Exception) -> bool:
    """Tell whether a `raise` of this package, or of scikit-learn's checks, is where an error comes from."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return True
    module = trace.tb_frame.f_globals.get("__name__", "").partition(".")[0]
    is_raised = trace.tb_frame.f_code.co_code[trace.tb_lasti] == dis.opmap["RAISE_VARARGS"]
    return module == "sklearn" or (module == "nln" and is_raised)
