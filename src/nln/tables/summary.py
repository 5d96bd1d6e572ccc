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
from collections.abc import Sequence
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
    size: int  # most rows of the sample
    n_rows: int  # of the table
    weight: float
    heaviest: float
    labels: Counter[Value] = field(default_factory=Counter)  # rows of each class

    @property
    def is_whole(self) -> bool:
        """Whether the sample has all rows."""
        return bool(self.sampled.all()) and int(self.counts.sum()) == self.n_rows


def summarise(
    names: Sequence[str], columns: Sequence[Cells], weights: Floats, size: int, labels: Cells | None = None
) -> Summary:
    """Summarise a part of a table: decoded columns, and the classes if they are to be counted.

    Rows of weight 0 are left out; only the classes count them.
    """
    counted = Counter[Value]()
    if isinstance(labels, Categories):
        found = np.bincount(labels.codes[labels.codes >= 0], minlength=len(labels.values)).tolist()
        counted.update(dict(zip(labels.values, found, strict=True)))
    elif labels is not None:
        values, found = np.unique(labels.values, return_counts=True)
        counted.update(dict(zip(values.tolist(), found.tolist(), strict=True)))
    kept = np.flatnonzero(weights > 0)
    if len(kept) < len(weights):
        columns, weights = [column.take(kept) for column in columns], weights[kept]
    n_rows, hashes = len(weights), row_hashes_of(columns)
    totals = n_rows, float(weights.sum()), float(weights.max(initial=0.0)), counted
    return _select(tuple(names), columns, hashes, weights, np.ones(n_rows, np.int64), size, totals)


def merge_summaries(summaries: Sequence[Summary]) -> Summary:
    """Merge the summaries of parts of one table."""
    full = [summary for summary in summaries if summary.n_rows] or summaries[:1]
    columns = [join_cells(parts) for parts in zip(*(summary.columns for summary in full), strict=True)]
    hashes, weights, counts = (
        np.concatenate([getattr(summary, name) for summary in full]) for name in ("hashes", "weights", "counts")
    )
    labels = Counter[Value]()
    for summary in summaries:
        labels.update(summary.labels)
    totals = (
        sum(summary.n_rows for summary in full),
        sum(summary.weight for summary in full),
        max(summary.heaviest for summary in full),
        labels,
    )
    return _select(full[0].names, columns, hashes, weights, counts, full[0].size, totals)


def _select(
    names: tuple[str, ...],
    columns: Sequence[Cells],
    hashes: Hashes,
    weights: Floats,
    counts: Integers,
    size: int,
    totals: tuple[int, float, float, Counter[Value]],
) -> Summary:
    """Merge equal rows, and keep the sample and the witnesses."""
    order = np.lexsort((weights, hashes))
    hashes = hashes[order]
    first = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])) if len(hashes) else np.empty(0, np.int64)
    if len(first):
        weights, counts = np.add.reduceat(weights[order], first), np.add.reduceat(counts[order], first)
    rows = order[first]
    columns = [column.take(rows) for column in columns]
    kept = np.arange(len(rows)) < size
    sampled = kept.copy()
    if not kept.all():
        for column in columns:
            kept[_witnesses(column)] = True
    found = tuple(column.take(kept) for column in columns) if not kept.all() else tuple(columns)
    return Summary(
        names, found, hashes[first][kept], weights[kept], counts[kept], sampled[kept], size, *totals
    )


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
    known = np.flatnonzero(~column.missing)
    if len(known):
        numbers = column.values[known]
        low, high = numbers.min(), numbers.max()
        between = (numbers > low) & (numbers < high)
        found += [known[numbers == low][:1], known[numbers == high][:1], known[between][:1]]
        if isinstance(column, Numbers) and column.kind == "float":
            found.append(known[numbers % 1 != 0][:1])
    return np.concatenate(found)


def _ends(column: Categories, codes: Integers, first: Integers) -> Integers:
    """Of dates, the rows of the earliest and of the latest one."""
    if column.order != "dates":
        return first[:0]
    texts = np.array([column.values[code] for code in codes])
    return first[[int(texts.argmin()), int(texts.argmax())]] if len(texts) else first[:0]
