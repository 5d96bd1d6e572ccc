"""A cluster that is asked for results, and that may lose workers meanwhile."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from distributed import Client, Future, KilledWorker, wait

_LOOK = 2.0
"""Seconds between two looks at the workers while waiting."""


class Cluster:
    """A client of Dask that waits for results as long as there are workers, and no longer."""

    def __init__(self, client: Client, patience: float) -> None:
        self.client, self.patience = client, patience

    def results(self, futures: Sequence[Future]) -> list[Any]:
        """Wait for futures, and return their results in order."""
        self.wait(futures)
        try:
            return list(self.client.gather(list(futures)))
        except KilledWorker as error:
            raise RuntimeError(
                f"Workers of the cluster died one after the other while they worked on a part of the table: {error}. "
                "It may need more memory than they have: give workers more memory, or the table more partitions."
            ) from error

    def wait(self, futures: Sequence[Future]) -> None:
        """Wait until all futures are done; an error says that no worker has been there for too long."""
        alone_since: float | None = None
        while True:
            try:
                wait(list(futures), timeout=_LOOK)
                return
            except TimeoutError:
                alone_since = None if self.client.nthreads() else alone_since or time.monotonic()
            if alone_since is not None and time.monotonic() - alone_since > self.patience:
                raise RuntimeError(
                    f"The cluster has had no worker for {self.patience:g} seconds, so the fit cannot go on. Start "
                    "workers and fit again; a larger worker_timeout waits longer for them."
                )

    def homes(self, futures: Sequence[Future]) -> list[str]:
        """Address of a worker that holds each result; an empty one if there is none."""
        found = self.client.who_has(list(futures))
        return [min(found.get(future.key, ()), default="") for future in futures]
