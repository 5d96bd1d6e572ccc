"""Where the parts of a table are, and who works on them."""

from __future__ import annotations

import mmap
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nln.large.part import Coder, Part, Tally, deal_part, gather, summarise_part, tally_part
from nln.learning.draft import descent_rows
from nln.learning.parted.bucket import Bucket
from nln.learning.parted.rows import AllRows, LocalRows
from nln.rules import LogicProgram, Schema
from nln.tables.encoding import Codes, EncodedRows
from nln.tables.summary import Summary, merge_summaries

_HELD = 1.5
"""Rows of summaries that may wait to be merged, in sizes of a sample."""


class Engine(ABC):
    """The parts of one table."""

    @abstractmethod
    def summarise(self, size: int) -> Summary:
        """Summarise the table, with a sample of at most `size` distinct rows."""

    def typed(self, summary: Summary) -> Summary:
        """Find the types of columns that had none when they were summarised."""
        return summary

    @abstractmethod
    def collect(self) -> Part:
        """Bring the whole table, which is small, here."""

    @abstractmethod
    def deal(self, coder: Coder, n_buckets: int) -> AllRows:
        """Turn the table into codes in buckets."""

    @abstractmethod
    def tally(self, coder: Coder, programs: Sequence[LogicProgram]) -> list[Tally]:
        """Count what programs cover and decide in the table."""


def make_bucket(pieces: Sequence[EncodedRows]) -> Bucket:
    """Put the pieces of a bucket together, in the form that descents take."""
    rows = gather(pieces)
    return Bucket(descent_rows(rows), rows.counts)


def _paged(array: Codes) -> Codes:
    """Copy an array to pages of its own, which go back to the system when it is dropped.

    What many small arrays give back stays with the process, and the table would be in memory twice when its pieces are
    put together.
    """
    if sys.platform == "win32" or not array.size:
        return array
    room = mmap.mmap(-1, array.nbytes, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    found = np.frombuffer(room, array.dtype).reshape(array.shape)
    found[...] = array
    return found


def no_rows() -> ValueError:
    """Say that no part has rows."""
    return ValueError("Found array with 0 sample(s): no part of the table has a row that counts. Give at least one.")


class LocalEngine(Engine):
    """Parts that are read one after the other in this process; only codes stay in memory.

    `parts` begins anew whenever it is called, and `collect` reads everything.
    """

    def __init__(self, parts: Callable[[], Iterable[Part]], collect: Callable[[], Part], n_jobs: int = 1) -> None:
        self.parts, self._collect, self.n_jobs = parts, collect, n_jobs

    def summarise(self, size: int) -> Summary:
        """Summarise part after part."""
        held: list[Summary] = []
        for part in self.parts():
            summary = summarise_part(part, size, held[0].bound if held else None)
            if summary is not None:
                held.append(summary)
            if sum(len(summary.hashes) for summary in held) > _HELD * size:
                held = [merge_summaries(held)]
        if not any(summary.n_rows for summary in held):
            raise no_rows()
        return merge_summaries(held)

    def parts_by(self, schema: Schema) -> Iterable[Part]:
        """Read the parts once there is a schema."""
        return self.parts()

    def collect(self) -> Part:
        """Read everything."""
        return self._collect()

    def deal(self, coder: Coder, n_buckets: int) -> AllRows:
        """Encode part after part."""
        dealt: list[list[EncodedRows]] = [[] for _ in range(n_buckets)]
        for part in self.parts_by(coder.schema):
            for own, piece in zip(dealt, deal_part(part, coder, n_buckets), strict=True):
                own.append(replace(piece, codes=_paged(piece.codes)))
        buckets = []
        for b in range(n_buckets):
            buckets.append(make_bucket(dealt[b]))
            dealt[b] = []  # the pieces of a bucket are not needed beside it
        return LocalRows(buckets, self.n_jobs, thrifty=True)

    def tally(self, coder: Coder, programs: Sequence[LogicProgram]) -> list[Tally]:
        """Count in part after part."""
        return add_tallies(tally_part(part, coder, programs) for part in self.parts_by(coder.schema))


def add_tallies(found: Iterable[list[Tally] | None]) -> list[Tally]:
    """Add up what the parts have counted, by program."""
    total: Any = None
    for tallies in found:
        if tallies is not None:
            total = tallies if total is None else [one + two for one, two in zip(total, tallies, strict=True)]
    if total is None:
        raise no_rows()
    return list(total)
