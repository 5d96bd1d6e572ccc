"""Work on several threads, and word of how far it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

from nln.network.callbacks import Callback

Item = TypeVar("Item")
Result = TypeVar("Result")


def announce(callbacks: Sequence[Callback], stage: str) -> None:
    """Tell the callbacks that a stage begins."""
    for callback in callbacks:
        callback.on_stage(stage)


def run_threads(run: Callable[[Item], Result], items: Sequence[Item], n_jobs: int, stop: Event) -> list[Result]:
    """Run over threads; if one fails or the user interrupts, the others stop at their next epoch."""
    if n_jobs <= 1 or len(items) <= 1:
        return [run(item) for item in items]
    with ThreadPoolExecutor(min(n_jobs, len(items))) as threads:
        try:
            return list(threads.map(run, items))
        except BaseException:
            stop.set()
            threads.shutdown(wait=False, cancel_futures=True)
            raise
