"""A table that comes in parts, summarised: a sample of its rows, and rows that show what a sample may miss.

Each part gives a `Summary`, and summaries are merged in any order. Rows are chosen by a hash of what their cells mean,
so that the summary of a table depends neither on how it was cut nor on who was first:

- the sample: the rows with the lowest hashes, each distinct row once, with the weight and the number of its copies;
- witnesses: of every column a row without a value, the rows of the lowest and the highest number, one between them, one
  that is no whole number, and a row for each value (of very many values, for those of the lowest hashes).

A reader that looks at sample and witnesses finds the kinds, values, ranges and gaps of the whole table. If the sample
has room for all rows, it is the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from nln.rules.cells import Categories, Cells, Numbers
from nln.rules.schema import Value
from nln.tables.encoding import Floats, Integers
from nln.tables.hashes import Hashes, row_hashes_of, value_hash
from nln.tables.joined import join_cells

MOST_VALUES = 1024
"""Values of a column that have a witness; more of them share the slot of rare values anyway."""


@dataclass(frozen=True, eq=False)
class Summary:
    """Some rows of a table, in the order of their hashes, and totals over all its rows."""

    names: tuple[str, ...]  # of the columns
    columns: tuple[Cells, ...]  # of the rows kept
    hashes: Hashes
    weights: Floats  # of all copies of a row
    counts: Integers  # copies
    sampled: npt.NDArray[np.bool_]  # others are witnesses only
    n_targets: int  # so many of the last columns are the target
    size: int  # most rows of the sample
    n_rows: int  # of the table
    weight: float
    labels: Counter[Value] = field(default_factory=Counter)  # rows of each class, those of weight 0 included
    label_weights: dict[Value, float] = field(default_factory=dict)

    @property
    def bound(self) -> np.uint64 | None:
        """Hash above which a row has no place in the sample; None if there is room for any."""
        return np.uint64(self.hashes[self.sampled].max()) if self.sampled.sum() >= self.size else None

    @property
    def is_whole(self) -> bool:
        """Whether the sample has all rows."""
        return bool(self.sampled.all()) and int(self.counts.sum()) == self.n_rows


def summarise(
    names: Sequence[str],
    columns: Sequence[Cells],
    weights: Floats,
    size: int,
    n_targets: int = 0,
    bound: np.uint64 | None = None,
) -> Summary:
    """Summarise a part of a table: decoded columns, of which the last ones may be the target.

    Rows of weight 0 are left out; only the classes count them. With the `bound` of a summary that this one will be
    merged with, rows that have no place beside the others are not taken.
    """
    counted = _count_labels(columns[-1], weights) if n_targets == 1 else (Counter[Value](), {})
    kept = np.flatnonzero(weights > 0)
    if len(kept) < len(weights):
        columns, weights = [column.take(kept) for column in columns], weights[kept]
    n_rows, hashes = len(weights), row_hashes_of(columns)
    totals = n_rows, float(weights.sum()), *counted
    return _select(
        tuple(names), columns.__getitem__, hashes, weights, np.ones(n_rows, np.int64), (n_targets, size, *totals), bound
    )


def merge_summaries(summaries: Sequence[Summary]) -> Summary:
    """Merge the summaries of parts of one table."""
    full = [summary for summary in summaries if summary.n_rows] or summaries[:1]
    hashes, weights, counts = (
        np.concatenate([getattr(summary, name) for summary in full]) for name in ("hashes", "weights", "counts")
    )
    labels, heavy = Counter[Value](), dict[Value, float]()
    for summary in summaries:
        labels.update(summary.labels)
        for label, weight in summary.label_weights.items():
            heavy[label] = heavy.get(label, 0.0) + weight
    sizes, sums = (full[0].n_targets, full[0].size), (sum(s.n_rows for s in full), sum(s.weight for s in full))

    def column(j: int) -> Cells:
        return join_cells([summary.columns[j] for summary in full])

    return _select(full[0].names, column, hashes, weights, counts, (*sizes, *sums, labels, heavy))


def _select(
    names: tuple[str, ...],
    column: Callable[[int], Cells],
    hashes: Hashes,
    weights: Floats,
    counts: Integers,
    totals: tuple[int, int, int, float, Counter[Value], dict[Value, float]],
    bound: np.uint64 | None = None,
) -> Summary:
    """Merge equal rows, and keep the sample and the witnesses, which do not count.

    `column` gives the columns by their numbers, so that no more than one is in memory at a time.
    """
    order = np.lexsort((weights, hashes))
    hashes = hashes[order]
    first = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])) if len(hashes) else np.empty(0, np.int64)
    if len(first):
        weights, counts = np.add.reduceat(weights[order], first), np.add.reduceat(counts[order], first)
    rows, hashes = order[first], hashes[first]
    kept = np.arange(len(rows)) < totals[1]
    if bound is not None:
        kept &= hashes <= bound
    sampled = kept.copy()
    if not kept.all():
        for j in range(len(names)):
            kept[_witnesses(column(j).take(rows))] = True
    found = tuple(column(j).take(rows[kept]) for j in range(len(names)))
    weights, counts = np.where(sampled, weights, 0.0)[kept], np.where(sampled, counts, 0)[kept]
    return Summary(names, found, hashes[kept], weights, counts, sampled[kept], *totals)


def _count_labels(labels: Cells, weights: Floats) -> tuple[Counter[Value], dict[Value, float]]:
    """Count the rows of each class, and add up their weights."""
    if isinstance(labels, Categories):
        values, codes = labels.values, labels.codes
    else:
        distinct, codes = np.unique(labels.values, return_inverse=True)
        values = tuple(distinct.tolist())
    rows, heavy = np.bincount(codes, minlength=len(values)), np.bincount(codes, weights, minlength=len(values))
    return Counter(dict(zip(values, rows.tolist(), strict=True))), dict(zip(values, heavy.tolist(), strict=True))


def _witnesses(column: Cells) -> Integers:
    """The first rows that show something about a column."""
    if isinstance(column, Categories):
        codes, first = np.unique(column.codes, return_index=True)
        if len(codes) > MOST_VALUES:
            known = codes >= 0
            hashes = np.array([value_hash(column.values[code]) for code in codes[known]], np.uint64)
            lowest = first[known][np.argsort(hashes, kind="stable")[:MOST_VALUES]]
            first = np.concatenate([first[~known], lowest, _ends(column, codes[known], first[known])])
        return np.asarray(first, np.int64)
    found = [np.flatnonzero(column.missing)[:1]]
    there = np.flatnonzero(~column.missing)
    if len(there):
        numbers = column.values[there]
        low, high = numbers.min(), numbers.max()
        between = (numbers > low) & (numbers < high)
        found += [there[numbers == low][:1], there[numbers == high][:1], there[between][:1]]
        if isinstance(column, Numbers) and column.kind == "float":
            found.append(there[numbers % 1 != 0][:1])
    return np.concatenate(found)


def _ends(column: Categories, codes: Integers, first: Integers) -> Integers:
    """Of dates, the rows of the earliest and of the latest one."""
    if column.order != "dates":
        return first[:0]
    texts = np.array([column.values[code] for code in codes])
    return first[[int(texts.argmin()), int(texts.argmax())]] if len(texts) else first[:0]
