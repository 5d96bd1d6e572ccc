"""Parts of a table that are partitions of Dask collections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd

from nln.dask.cluster import Cluster
from nln.dask.rows import DaskRows
from nln.large.engine import Engine, add_tallies, make_bucket, no_rows
from nln.large.part import Coder, Part, Tally, deal_part, summarise_part, tally_part
from nln.learning.parted.rows import AllRows
from nln.rules import LogicProgram
from nln.tables.summary import Summary, merge_summaries

_FAN = 8
"""Summaries that are merged at a time."""


def is_dask(X: Any) -> bool:
    """Whether something is a collection of Dask that has rows."""
    return isinstance(X, dd.DataFrame | dd.Series | da.Array)


def partitions(collection: Any, argument: str) -> list[Any]:
    """Return the partitions of a collection, not computed yet."""
    if isinstance(collection, da.Array):
        if collection.ndim == 2:
            collection = collection.rechunk({1: -1})
        return list(collection.to_delayed().ravel())
    if isinstance(collection, dd.DataFrame | dd.Series):
        return list(collection.to_delayed())
    raise TypeError(
        f"{argument} must be a DataFrame, a Series or an Array of Dask, not {type(collection).__name__}. Use "
        "NLNClassifier for tables in memory, or dask.dataframe.from_pandas."
    )


class DaskEngine(Engine):
    """Partitions that workers of a cluster read and encode."""

    def __init__(self, cluster: Cluster, X: Any, y: Any, weights: Any = None) -> None:
        self.cluster, self.collections, self.rows = cluster, (X, y, weights), list[DaskRows]()
        given = {"X": X, "y": y} | ({} if weights is None else {"sample_weight": weights})
        parts = {name: partitions(collection, name) for name, collection in given.items()}
        counts = {name: len(found) for name, found in parts.items()}
        if len(set(counts.values())) > 1:
            said = ", ".join(f"{name} {n}" for name, n in counts.items())
            raise ValueError(
                f"X, y and sample_weight must be cut alike, but their partitions are: {said}. Repartition them."
            )
        make = dask.delayed(Part)
        aligned = zip(*parts.values(), strict=True)
        self.parts = [make(*own, **{"number": n}) for n, own in enumerate(aligned)]

    def summarise(self, size: int) -> Summary:
        """Summarise every partition where it is, and merge the summaries as a tree."""
        work, merge = dask.delayed(summarise_part), dask.delayed(_merge)
        found = [work(part, size) for part in self.parts]
        while len(found) > 1:
            found = [merge(found[first : first + _FAN]) for first in range(0, len(found), _FAN)]
        summary: Summary | None = self._compute(found)[0]
        if summary is None or not summary.n_rows:
            raise no_rows()
        return summary

    def collect(self) -> Part:
        """Bring the whole table here."""
        futures = [self.cluster.client.compute(one) for one in self.collections if one is not None]
        return Part(*self.cluster.results(futures))

    def deal(self, coder: Coder, n_buckets: int) -> AllRows:
        """Encode every partition where it is, and let every bucket gather its pieces."""
        shared, work, gather = dask.delayed(coder), dask.delayed(deal_part, nout=n_buckets), dask.delayed(make_bucket)
        dealt = [work(part, shared, n_buckets) for part in self.parts]
        buckets = self.cluster.client.compute([gather([pieces[b] for pieces in dealt]) for b in range(n_buckets)])
        self.cluster.wait(buckets)
        self.rows.append(DaskRows(self.cluster, buckets))
        return self.rows[-1]

    def tally(self, coder: Coder, programs: Sequence[LogicProgram]) -> list[Tally]:
        """Count in every partition where it is."""
        shared, asked, work = (
            dask.delayed(coder),
            dask.delayed(list(programs), traverse=False),
            dask.delayed(tally_part),
        )
        return add_tallies(self._compute([work(part, shared, asked) for part in self.parts]))

    def close(self) -> None:
        """Let the workers forget the fit."""
        for rows in self.rows:
            rows.close()

    def _compute(self, delayed: Sequence[Any]) -> list[Any]:
        return self.cluster.results(self.cluster.client.compute(list(delayed)))


def _merge(summaries: Sequence[Summary | None]) -> Summary | None:
    full = [summary for summary in summaries if summary is not None]
    return merge_summaries(full) if full else None
