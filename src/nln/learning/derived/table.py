"""The rows of the table as they are, before equal codes are merged: what calculations are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nln.learning.draft import DescentRows, descent_rows
from nln.learning.task import LearningTask
from nln.rules.cells import Column
from nln.rules.children.bags import Bags
from nln.rules.derived.kinds import with_derived
from nln.rules.schema import Schema
from nln.tables.encoding import Codes, Encoding, Floats, Integers, merge_rows, row_hashes


@dataclass(frozen=True)
class TableRows:
    """A table as it was read; `ordered` brings the rows into an order that does not depend on the table's.

    Columns and their codes stay as they were read: they take much memory, and few of them are needed in that order.
    """

    schema: Schema
    columns: Mapping[str, Column]  # as read
    codes: Codes  # (rows, features), as read
    targets: Floats  # (rows, outputs)
    weights: Floats
    groups: Integers | None = None
    bags: Mapping[str, Bags] = field(default_factory=dict)  # the children of the rows, by child table
    order: Integers | None = None  # where each row was read, if the rows are in another order
    calculated: tuple[Codes, ...] = ()  # codes of further features

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.weights)

    def ordered(self) -> TableRows:
        """Return the rows in an order that their content alone decides."""
        keys = [self.columns[f.name] for f in self.schema.features if f.name in self.columns]
        groups = [] if self.groups is None else [self.groups]
        children = [bags.signatures() for bags in self.bags.values()]
        order = sort_rows(self.codes, [*children, *keys, *groups, self.weights, *self.targets.T])
        return replace(
            self,
            order=order,
            targets=self.targets[order],
            weights=self.weights[order],
            groups=None if self.groups is None else self.groups[order],
            bags={name: bags.take(order) for name, bags in self.bags.items()},
        )

    def column(self, name: str, rows: Integers | None = None) -> Column:
        """Column of a feature of some rows, or of all; if the table has none, it is calculated."""
        if name in self.columns:
            return _taken(self.columns[name], self._read(rows))
        derived = self.schema[name].derived
        assert derived is not None
        parents = {parent: self.column(parent) for parent in derived.features}
        return _taken(with_derived(parents, self.schema, [name], self.bags)[name], rows)

    def codes_of(self, rows: Integers | None = None) -> Codes:
        """Codes of some rows, or of all, (rows, features)."""
        own = _taken(self.codes, self._read(rows))
        return np.hstack([own, *(_taken(codes, rows) for codes in self.calculated)]) if self.calculated else own

    def _read(self, rows: Integers | None) -> Integers | None:
        """Where rows were read; None if all rows are as they were."""
        return rows if self.order is None else _taken(self.order, rows)

    def encoded(self, encoding: Encoding, rows: Integers | None = None, weights: Floats | None = None) -> DescentRows:
        """Merge some rows, or all, as the descent takes them; the codes must be of the encoding."""
        codes = self.codes_of(rows)
        assert codes.shape[1] == len(encoding.slots)
        weights = self.weights if weights is None else weights
        return descent_rows(merge_rows(codes, _taken(self.targets, rows), _taken(weights, rows)))

    def counted(self) -> DescentRows:
        """Merge all rows, weighed by how often they were seen."""
        return descent_rows(merge_rows(self.codes_of(), self.targets, np.ones(self.n_rows)))


def _taken(values: npt.NDArray[Any], rows: Integers | None) -> npt.NDArray[Any]:
    return values if rows is None else values[rows]


def sort_rows(codes: Codes, keys: Sequence[npt.NDArray[Any]]) -> Integers:
    """Order rows as `np.lexsort([*keys, *codes.T])` does, in one sort for all codes; keys only break ties.

    A long table of many columns has few ties, and each key is a sort of all rows.
    """
    texts = _as_texts(codes[:, ::-1])
    order = np.argsort(texts, kind="stable")
    is_next = np.concatenate([[False], texts[order[1:]] == texts[order[:-1]]])
    tied = np.flatnonzero(is_next | np.concatenate([is_next[1:], [False]]))
    rows, run = order[tied], np.cumsum(~is_next)[tied]
    order[tied] = rows[np.lexsort([*(key[rows] for key in keys), run])]
    return order


def _as_texts(codes: Codes) -> npt.NDArray[np.bytes_]:
    """Each row of codes as one text, which sorts as the row does; without columns all rows are alike."""
    if codes.shape[1] == 0:
        return np.zeros(len(codes), "S1")
    big_endian = np.ascontiguousarray(codes, codes.dtype.newbyteorder(">"))
    return big_endian.view(f"S{big_endian.strides[0]}").ravel()


class Folds(NamedTuple):
    """Fold of each row, and what the row weighs in it."""

    numbers: Integers  # (rows,)
    weights: Floats  # (rows,)


def folds_of(table: TableRows, task: LearningTask) -> Folds:
    """Fold of each row of a table: that of its group, or those of the pieces of its merged row in turn.

    Equal rows were cut into pieces of equal weight, which whole rows cannot always share out: twelve rows go to five
    folds as 3, 3, 2, 2 and 2. They weigh in each fold what the piece weighed, so that rules with calculations are
    scored on the same left-out rows as those without. Rows find their pieces by their hashes of 64 bits.
    """
    if table.groups is not None and task.groups is not None:
        groups, first = np.unique(task.groups, return_index=True)
        return Folds(task.folds[first[np.searchsorted(groups, table.groups)]], table.weights)
    of_pieces = row_hashes(task.pieces.codes.T, task.pieces.targets.T)
    of_rows = row_hashes(table.codes_of(), table.targets)
    by_piece, by_row = np.argsort(of_pieces, kind="stable"), np.argsort(of_rows, kind="stable")
    of_pieces, of_rows = of_pieces[by_piece], of_rows[by_row]
    first = np.searchsorted(of_pieces, of_rows)
    count = np.searchsorted(of_pieces, of_rows, side="right") - first
    turn = np.arange(len(of_rows)) - np.searchsorted(of_rows, of_rows)  # of a row, among those that are equal
    piece = np.empty(len(of_rows), np.int64)
    piece[by_row] = by_piece[first + turn % count]
    together = np.bincount(piece, table.weights, minlength=len(task.folds))
    scale = task.pieces.weights / np.where(together > 0, together, 1.0)
    return Folds(task.folds[piece], table.weights * scale[piece])
