"""What a command is doing while it takes its time: the name of the stage beside a spinner, on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nln.cli.outputs import errors_console


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Show a spinner until the block ends; nothing where standard error is no terminal.

    Parameters
    ----------
    name : str
        What is being done.

    Examples
    --------
    >>> with stage("merging"):
    ...     pass
    """
    from rich.text import Text  # noqa: PLC0415 - slow to load

    with errors_console().status(Text(name)):
        yield
