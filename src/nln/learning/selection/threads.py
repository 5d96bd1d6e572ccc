"""Work on several threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def run_threads(run: Callable[[Item], Result], items: Sequence[Item], n_jobs: int, stop: Event) -> list[Result]:
    """Run over threads; if one fails or the user interrupts, the others stop at the end of their epoch."""
    if n_jobs <= 1 or len(items) <= 1:
        return [run(item) for item in items]
    with ThreadPoolExecutor(min(n_jobs, len(items))) as threads:
        try:
            return list(threads.map(run, items))
        except BaseException:
            stop.set()
            threads.shutdown(wait=False, cancel_futures=True)
            raise
