"""All rows of a table in buckets: what every engine gives, and the one that keeps them in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nln.learning.descent.layout import SlotLayout
from nln.learning.draft import Draft
from nln.learning.options import LearningSettings
from nln.learning.packed import pack
from nln.learning.parted.bucket import NO_RULE, Answer, Bucket, Desk, Operation, Request
from nln.learning.prior import Prior
from nln.learning.selection.least_rows import surprising_rows
from nln.learning.selection.runner import Runner
from nln.tables.encoding import EncodedRows, Encoding, Floats, Integers

ROWS_PER_BUCKET, MOST_BUCKETS = 2**19, 256
"""Rows of the table that a bucket holds about, and most buckets: the table alone decides how many there are."""

_numbers = count()


class BucketTotals(NamedTuple):
    """What the rows of one bucket sum to."""

    n_rows: int
    weight: float
    label_weights: Floats  # (outputs,)
    n_seen: int
    label_counts: Floats  # (outputs,)
    kinds: dict[bytes, int]  # distinct rows of each combination of targets


def totals_of(bucket: Bucket) -> BucketTotals:
    """Sum up a bucket."""
    rows, counts = bucket.rows, bucket.counts.astype(np.float64)
    kinds, found = np.unique(rows.targets.T.astype(np.uint8), axis=0, return_counts=True)
    by_kind = {kind.tobytes(): int(times) for kind, times in zip(kinds, found, strict=True)}
    weights, seen = (np.array([(y * each).sum() for y in rows.targets]) for each in (rows.weights, counts))  # no BLAS
    return BucketTotals(rows.n_rows, float(rows.weights.sum()), weights, int(counts.sum()), seen, by_kind)


def rows_of_kinds(bucket: Bucket, wanted: dict[bytes, Integers]) -> EncodedRows:
    """Take rows by their places among those of the same combination of targets."""
    targets = np.ascontiguousarray(bucket.rows.targets.T.astype(np.uint8))
    keys = targets.view(f"V{targets.shape[1]}").ravel() if len(targets) else np.empty(0, "V1")
    places = [np.flatnonzero(keys == np.void(kind))[chosen] for kind, chosen in wanted.items()]
    rows = np.sort(np.concatenate(places)) if places else np.empty(0, np.int64)
    codes = np.ascontiguousarray(bucket.rows.codes[:, rows].T)
    return EncodedRows(codes, bucket.rows.targets[:, rows].T, bucket.rows.weights[rows], bucket.counts[rows])


class AllRows(ABC):
    """The rows of a table in buckets, which an engine keeps on this machine or on others."""

    @abstractmethod
    def run(self, request: Request, only: Sequence[int]) -> list[Answer | None]:
        """Let buckets answer a request; None for those that have lost what they knew."""

    @abstractmethod
    def describe(self) -> list[BucketTotals]:
        """Sum up each bucket."""

    @abstractmethod
    def take(self, wanted: Sequence[dict[bytes, Integers]]) -> list[EncodedRows]:
        """Take rows of each bucket by their places among those of the same combination of targets."""

    @cached_property
    def totals(self) -> tuple[BucketTotals, ...]:
        """What each bucket sums to."""
        return tuple(self.describe())

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return sum(totals.n_rows for totals in self.totals)

    @property
    def weight(self) -> float:
        """Weight of all rows."""
        return float(np.sum([totals.weight for totals in self.totals]))

    @property
    def label_weights(self) -> Floats:
        """Weight of the rows of each label, (outputs,)."""
        return np.asarray(np.sum([totals.label_weights for totals in self.totals], axis=0))

    def sample(self, size: int) -> EncodedRows:
        """Choose distinct rows by their place alone, rare combinations of targets before frequent ones.

        Every combination gets an equal share of the sample, and what a rare one leaves goes to the others. The rows of
        a combination that is not taken whole stand for the rest of it, so that the weights have the table's shares.
        """
        wanted, stands_for = self.plan_sample(size)
        return join_sample(self.take(wanted), stands_for)

    def runner(
        self, encoding: Encoding, settings: LearningSettings, prior: Prior, rngs: Sequence[np.random.Generator]
    ) -> Runner | None:
        """Who runs the starts on the last sample; None means threads of this process."""
        return None

    def plan_sample(self, size: int) -> tuple[list[dict[bytes, Integers]], dict[bytes, float]]:
        """Choose the rows of a sample in each bucket, and how many rows one of each combination stands for."""
        kinds = sorted({kind for totals in self.totals for kind in totals.kinds})
        each = {kind: sum(totals.kinds.get(kind, 0) for totals in self.totals) for kind in kinds}
        room = fair_shares(np.array([each[kind] for kind in kinds]), size)
        wanted: list[dict[bytes, Integers]] = [{} for _ in self.totals]
        for kind, taken in zip(kinds, room.tolist(), strict=True):
            places = np.linspace(0, each[kind] - 1, taken).round().astype(np.int64)
            ends = np.cumsum([totals.kinds.get(kind, 0) for totals in self.totals])
            cuts = np.searchsorted(places, ends)
            for b, part in enumerate(np.split(places, cuts[:-1])):
                if len(part):
                    wanted[b][kind] = part - (ends[b - 1] if b else 0)
        return wanted, {kind: each[kind] / max(taken, 1) for kind, taken in zip(kinds, room.tolist(), strict=True)}

    def least_rows(self, asked: int | None, unexplained: float) -> PartedLeastRows:
        """Find how many rows the rules of each output must cover, as `find_least_rows` does."""
        total = float(sum(totals.n_seen for totals in self.totals))
        shares: Floats = np.sum([totals.label_counts for totals in self.totals], axis=0) / total
        least = (
            surprising_rows(unexplained * shares * (1.0 - shares), total)
            if asked is None
            else np.full_like(shares, asked)
        )
        return PartedLeastRows(self, least.astype(np.int64), total)


def join_sample(parts: Sequence[EncodedRows], stands_for: dict[bytes, float]) -> EncodedRows:
    """Put the rows that were taken of the buckets together, each with the weight of those that it stands for."""
    codes, targets, weights, counts = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("codes", "targets", "weights", "counts")
    )
    weights = weights * np.array([stands_for[row.tobytes()] for row in targets.astype(np.uint8)])
    return EncodedRows(codes, targets, weights * (len(weights) / weights.sum()), counts)


def fair_shares(counts: Integers, size: int) -> Integers:
    """Divide room for `size` rows among kinds of so many rows: equally, but no kind gets more than it has."""
    room, left = np.zeros(len(counts), np.int64), min(size, int(counts.sum()))
    while left > 0:
        hungry = np.flatnonzero(room < counts)
        share = max(left // len(hungry), 1)
        for kind in hungry[:left]:
            more = min(share, int(counts[kind] - room[kind]), left)
            room[kind] += more
            left -= more
    return room


@dataclass(frozen=True)
class PartedLeastRows:
    """How many rows of a table in buckets the rules of each output must cover."""

    rows: AllRows
    least: Integers  # (outputs,)
    total: float  # rows of the table

    @property
    def shares(self) -> Floats:
        """The same as shares of all rows."""
        shares: Floats = self.least / self.total
        return shares

    def met(self, layout: SlotLayout, draft: Draft) -> npt.NDArray[np.bool_]:
        """Which rules of a draft cover enough rows; fixed rules always do."""
        talk, position = Conversation(self.rows), Position(layout, draft, np.ones(draft.n_rules, bool))
        talk.begin(position)
        enough = talk.ask("coverage", position=position)[:, 1] >= self.least[draft.output]
        enough[: draft.n_fixed] = True
        return np.asarray(enough)


class Position(NamedTuple):
    """Where a descent is: all that a bucket needs to begin from."""

    layout: SlotLayout
    draft: Draft
    alive: npt.NDArray[np.bool_]  # rules that are in their outputs
    lifted: int = NO_RULE


class Conversation:
    """One descent and its buckets: operations wait until an answer is needed, and go out together."""

    def __init__(self, rows: AllRows) -> None:
        self.rows, self.name, self.version = rows, f"descent {next(_numbers)}", 0
        self.waiting: list[Operation] = []
        self.everyone = range(len(rows.totals))

    def begin(self, position: Position) -> None:
        """Let all buckets begin from somewhere."""
        self.waiting = [_begin(position)]

    def tell(self, operation: str, *arguments: object) -> None:
        """Let all buckets do something, sooner or later."""
        self.waiting.append((operation, *arguments))

    def ask(self, operation: str, *arguments: object, position: Position) -> Floats:
        """Add up the answers of all buckets, in their order."""
        total = None
        for answer in self.ask_each(operation, *arguments, position=position):
            total = np.array(answer, np.float64) if total is None else total + answer
        assert total is not None
        return total

    def ask_each(self, operation: str, *arguments: object, position: Position) -> list[Any]:
        """Return the answers of all buckets.

        Buckets that have lost what they knew begin anew from the position in which the descent is now.
        """
        asked: Operation = (operation, *arguments)
        answers = self.rows.run(Request(self.name, self.version, [*self.waiting, asked]), self.everyone)
        lost = [b for b, answer in zip(self.everyone, answers, strict=True) if answer is None]
        if lost:
            again = self.rows.run(Request(self.name, self.version, [_begin(position), asked]), lost)
            for b, answer in zip(lost, again, strict=True):
                answers[b] = answer
        self.version += 1
        self.waiting = []
        if any(answer is None for answer in answers):
            raise RuntimeError("Buckets of rows lose their state faster than it can be computed. Fit again.")
        return answers


def _begin(position: Position) -> Operation:
    layout, draft, alive, lifted = position
    return "begin", layout, pack(draft._replace(spans=None)), alive.copy(), lifted  # no sum depends on spans


class LocalRows(AllRows):
    """Rows in the memory of this machine."""

    def __init__(self, buckets: Sequence[Bucket], n_jobs: int = 1, *, thrifty: bool = False) -> None:
        self.buckets, self.desk = list(buckets), Desk(thrifty=thrifty)
        self.threads = ThreadPoolExecutor(n_jobs) if n_jobs > 1 and len(buckets) > 1 else None

    def run(self, request: Request, only: Sequence[int]) -> list[Answer | None]:
        """Let buckets answer a request, several at a time."""
        work = map if self.threads is None else self.threads.map
        return list(work(lambda b: self.desk.answer(str(b), self.buckets[b], request), only))

    def describe(self) -> list[BucketTotals]:
        """Sum up each bucket."""
        return [totals_of(bucket) for bucket in self.buckets]

    def take(self, wanted: Sequence[dict[bytes, Integers]]) -> list[EncodedRows]:
        """Take rows of each bucket."""
        return [rows_of_kinds(bucket, chosen) for bucket, chosen in zip(self.buckets, wanted, strict=True)]


def n_buckets_for(n_rows: int) -> int:
    """Number of buckets for a table of so many rows."""
    return int(np.clip(-(-n_rows // ROWS_PER_BUCKET), 1, MOST_BUCKETS))
