"""How far a benchmark has got: a bar on a terminal, otherwise a line now and then, on standard error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from benchmarks.settings import say

Item = TypeVar("Item")


def track(items: Sequence[Item], title: str) -> Iterator[Item]:
    """Hand out the items one by one and show how many are done."""
    try:
        from rich.console import Console
        from rich.progress import track as bar
    except ImportError:
        yield from _lines(items, title)
        return
    console = Console(stderr=True)
    yield from bar(items, title, console=console) if console.is_terminal else _lines(items, title)


def _lines(items: Sequence[Item], title: str) -> Iterator[Item]:
    """Report every tenth of the way."""
    for done, item in enumerate(items, 1):
        yield item
        if done == len(items) or done * 10 // len(items) > (done - 1) * 10 // len(items):
            say(f"{title}: {done} of {len(items)}")
