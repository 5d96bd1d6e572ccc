"""A cluster that is asked for results, and that may lose workers meanwhile."""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from distributed import Client, Future, KilledWorker, wait

_LOOK = 2.0
"""Seconds between two looks at the workers while waiting."""


class Cluster:
    """A client of Dask that waits for results as long as there are workers, and no longer."""

    def __init__(self, client: Client, patience: float) -> None:
        self.client, self.patience = client, patience

    def submit(self, key: str, work: Callable[..., Any], *arguments: Any, home: str = "") -> Future:
        """Let a worker do something, the one at home if it is there."""
        where: dict[str, Any] = {"workers": [home], "allow_other_workers": True} if home else {}
        return self.client.submit(work, *arguments, key=key, pure=False, **where)

    def results(
        self,
        futures: Sequence[Future],
        work: str = "worked on a part of the table",
        remedy: str = "the table more partitions",
    ) -> list[Any]:
        """Wait for futures, and return their results in order; an error says that there has been no worker for long."""
        asked, alone_since = self._ask(futures), None
        try:
            while True:
                try:
                    return list(asked.result(timeout=_LOOK))
                except TimeoutError:
                    if asked.done():  # a task has raised it
                        raise
                    alone_since = self._look(alone_since)
        except KilledWorker as error:
            raise RuntimeError(
                f"Workers of the cluster died one after the other while they {work}: {error}. It may need more memory "
                f"than they have: give workers more memory, or {remedy}."
            ) from error

    def _ask(self, futures: Sequence[Future]) -> concurrent.futures.Future[Any]:
        """Ask for results without waiting: a result that was lost on its way here is computed again."""

        async def gather() -> Any:
            return await self.client.gather(list(futures), asynchronous=True)

        return asyncio.run_coroutine_threadsafe(gather(), self.client.loop.asyncio_loop)

    def wait(self, futures: Sequence[Future]) -> None:
        """Wait until all futures are done; an error says that there has been no worker for long."""
        for _ in self.finished(futures):
            continue

    def finished(self, futures: Sequence[Future]) -> Iterator[int]:
        """Give the numbers of futures as they are done; an error says that there has been no worker for long."""
        left, alone_since = dict(enumerate(futures)), None
        while left:
            try:
                wait(list(left.values()), timeout=_LOOK, return_when="FIRST_COMPLETED")
                alone_since = None
            except TimeoutError:
                alone_since = self._look(alone_since)
            for number in [number for number, future in left.items() if future.done()]:
                del left[number]
                yield number

    def _look(self, alone_since: float | None) -> float | None:
        """Tell since when there has been no worker; for too long is an error."""
        if self.client.nthreads():
            return None
        alone_since = alone_since or time.monotonic()
        if time.monotonic() - alone_since > self.patience:
            raise RuntimeError(
                f"The cluster has had no worker for {self.patience:g} seconds, so the fit cannot go on. Start workers "
                "and fit again; a larger worker_timeout waits longer for them."
            )
        return alone_since

    def threads(self) -> list[str]:
        """Address of the worker of each thread, the first ones of all workers first."""
        threads = self.client.nthreads()
        turns = range(max(threads.values(), default=0))
        return [address for turn in turns for address in sorted(threads) if threads[address] > turn]

    def homes(self, futures: Sequence[Future]) -> list[str]:
        """Address of a worker that holds each result; an empty one if there is none."""
        found = self.client.who_has(list(futures))
        return [min(found.get(future.key, ()), default="") for future in futures]
