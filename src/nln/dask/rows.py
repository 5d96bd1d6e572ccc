"""All rows of a table in buckets on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from uuid import uuid4

import numpy as np
from distributed import Future

from nln.dask.cluster import Cluster
from nln.dask.starts import DaskRunner
from nln.learning.options import LearningSettings
from nln.learning.parted.bucket import Answer, Bucket, Desk, Request
from nln.learning.parted.rows import AllRows, BucketTotals, join_sample, rows_of_kinds, totals_of
from nln.learning.prior import Prior
from nln.learning.selection.runner import Runner
from nln.tables.encoding import EncodedRows, Encoding, Integers

_DESK = Desk()
"""Of this worker: what descents have computed on its buckets."""


def answer_buckets(names: Sequence[str], request: Request, *buckets: Bucket) -> list[Answer | None]:
    """Let the buckets of one worker answer."""
    return [_DESK.answer(name, bucket, request) for name, bucket in zip(names, buckets, strict=True)]


def close_desk(fit: str) -> None:
    """Forget what a fit has computed."""
    _DESK.close(fit)


class DaskRows(AllRows):
    """Buckets that Dask keeps; it makes those of a lost worker again from the table."""

    def __init__(self, cluster: Cluster, buckets: Sequence[Future]) -> None:
        self.cluster, self.buckets, self.fit = cluster, list(buckets), uuid4().hex
        self.groups: list[tuple[str, list[int]]] = []
        self.rounds, self._tasks = 0, count()
        self.sampled: Future | None = None
        self.starts: DaskRunner | None = None

    def run(self, request: Request, only: Sequence[int]) -> list[Answer | None]:
        """Let buckets answer where they lie, those of a worker's thread in one task."""
        if not self.groups or len(only) < len(self.buckets):  # some are no longer where they were
            self.groups = self._group()
        asked, chosen, futures = set(only), [], []
        for home, members in self.groups:
            if mine := [b for b in members if b in asked]:
                chosen.append(mine)
                futures.append(self._submit(home, mine, request))
        answers: dict[int, Answer | None] = {}
        for mine, found in zip(chosen, self.cluster.results(futures), strict=True):
            answers |= dict(zip(mine, found, strict=True))
        self.rounds += 1
        return [answers[b] for b in only]

    def _submit(self, home: str, mine: Sequence[int], request: Request) -> Future:
        names, buckets = [f"{self.fit} {b}" for b in mine], [self.buckets[b] for b in mine]
        key = f"nln-sums-{self.fit}-{next(self._tasks)}"
        return self.cluster.submit(key, answer_buckets, names, request, *buckets, home=home)

    def _group(self) -> list[tuple[str, list[int]]]:
        """Group the buckets by the worker that holds them, as many groups for each as it has threads."""
        self.cluster.wait(self.buckets)
        homes, threads = self.cluster.homes(self.buckets), self.cluster.client.nthreads()
        groups: list[tuple[str, list[int]]] = []
        for home in sorted(set(homes)):
            members = [b for b, at in enumerate(homes) if at == home]
            n_groups = min(len(members), threads.get(home, 1))
            groups += [(home, members[g::n_groups]) for g in range(n_groups)]
        return groups

    def describe(self) -> list[BucketTotals]:
        """Sum up each bucket."""
        submit = self.cluster.client.submit
        return self.cluster.results([submit(totals_of, bucket, pure=False) for bucket in self.buckets])

    def take(self, wanted: Sequence[dict[bytes, Integers]]) -> list[EncodedRows]:
        """Take rows of each bucket."""
        return self.cluster.results(self._take(wanted))

    def _take(self, wanted: Sequence[dict[bytes, Integers]]) -> list[Future]:
        submit, pairs = self.cluster.client.submit, zip(self.buckets, wanted, strict=True)
        return [submit(rows_of_kinds, bucket, chosen, pure=False) for bucket, chosen in pairs]

    def sample(self, size: int) -> EncodedRows:
        """Put a sample together on a worker, where the starts find it."""
        wanted, stands_for = self.plan_sample(size)
        self.sampled = self.cluster.submit(f"nln-sample-{self.fit}", join_sample, self._take(wanted), stands_for)
        rows: EncodedRows = self.cluster.results([self.sampled])[0]
        return rows

    def runner(
        self, encoding: Encoding, settings: LearningSettings, prior: Prior, rngs: Sequence[np.random.Generator]
    ) -> Runner | None:
        """Let workers run the starts on the sample."""
        if self.sampled is not None:
            self.starts = DaskRunner(self.cluster, self.sampled, encoding, settings, prior, rngs)
        return self.starts

    def close(self) -> None:
        """Let the workers forget the fit."""
        if self.starts is not None:
            self.starts.close()
        self.cluster.client.run(close_desk, self.fit, on_error="ignore")
