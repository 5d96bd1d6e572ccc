"""What a command is doing while it takes its time: the name of the stage beside a spinner, on standard error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nln.cli.outputs import errors_console

if TYPE_CHECKING:
    from nln.tables.files.table_file import Chunk


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
    from rich.text import Text

    with errors_console().status(Text(name)):
        yield


def counting_rows(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Show how many rows have been done while chunks go by; nothing where standard error is no terminal.

    Parameters
    ----------
    chunks : iterable of Chunk
        They are passed on.

    Examples
    --------
    >>> list(counting_rows([]))
    []
    """
    from rich.text import Text

    done = 0
    with errors_console().status(Text("reading")) as status:
        for chunk in chunks:
            yield chunk
            done += len(chunk.rows)
            status.update(Text(f"{done:,} rows"))
