"""Bags: the rows of a child table, grouped by the rows of the other table that they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import Cells, Column, Numbers
from nln.rules.condition import Condition
from nln.rules.evaluate import membership
from nln.rules.schema import Feature, Value

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Bags:
    """The children of some rows.

    Rows with the same key share a bag, as they do in the join of a database. Children come bag by bag.
    """

    of_rows: Integers  # (rows,) number of the bag of each row; -1 for none
    of_children: Integers  # (children,) number of the bag of each child, ascending
    places: Integers  # (children,) number of each child's row in the child table
    columns: Mapping[str, Column]  # (children,) by feature

    @property
    def n_rows(self) -> int:
        """Number of rows that may have children."""
        return len(self.of_rows)

    def take(self, rows: NDArray[Any]) -> Bags:
        """Return the bags of some rows, in the order given."""
        return replace(self, of_rows=self.of_rows[rows])

    def held(self, conditions: Iterable[Condition], features: Mapping[str, Feature]) -> NDArray[np.bool_]:
        """Tell which children satisfy all of some crisp conditions."""
        held = np.ones(len(self.of_children), np.bool_)
        for condition in conditions:
            held &= membership(condition, self.columns[condition.feature], features[condition.feature]) > 0.5
        return held

    def count(self, conditions: Iterable[Condition], features: Mapping[str, Feature]) -> NDArray[np.float64]:
        """Count the children of each row that satisfy all of some crisp conditions."""
        conditions = tuple(conditions)
        counted = self.of_children[self.held(conditions, features)] if conditions else self.of_children
        n_bags = int(max(self.of_rows.max(initial=-1), self.of_children.max(initial=-1))) + 1
        # The last place is that of rows without a bag.
        return np.append(np.bincount(counted, minlength=n_bags), 0)[self.of_rows].astype(np.float64)

    def signatures(self) -> NDArray[np.uint64]:
        """Give each row a number that its children's cells decide, whatever their order."""
        mixed = np.full(len(self.of_children), 0x9E3779B97F4A7C15, np.uint64)
        for column in self.columns.values():
            bits = np.ascontiguousarray(column.astype(np.float64) + 0.0).view(np.uint64)
            mixed = (mixed ^ bits ^ (bits >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed ^= mixed >> np.uint64(32)
        n_bags = int(max(self.of_rows.max(initial=-1), self.of_children.max(initial=-1))) + 1
        sums = np.zeros(n_bags + 1, np.uint64)
        np.add.at(sums, self.of_children, mixed)
        return np.asarray(sums[self.of_rows])

    def children(self, row: int) -> Integers:
        """Return the places of a row's children among all."""
        first, last = np.searchsorted(self.of_children, [self.of_rows[row], self.of_rows[row] + 1])
        return np.arange(first, last) if self.of_rows[row] >= 0 else np.arange(0)


class Grouping(NamedTuple):
    """Which rows and children belong together."""

    of_rows: Integers  # (rows,) number of the bag of each row; -1 for none
    of_children: Integers  # (children,) number of the bag of each child; -1 for none


def group(parents: Cells | None, n_rows: int, children: Cells, name: str = "") -> Grouping:
    """Group by equal keys; without keys of the rows, those of the children are numbers of rows.

    A missing key belongs to nothing. Keys are equal as in Python: 1, 1.0 and True are the same. Text never equals a
    number, so that keys of which one side is text and the other numbers are refused; `name` is that of the table.
    """
    own, values = _numbered(children)
    _check_types(values, [0] if parents is None else _numbered(parents)[1], name)
    if parents is None:
        known: dict[Value, int] = {row: row for row in range(n_rows)}
        of_rows = np.arange(n_rows)
    else:
        of_rows, keys = _numbered(parents)
        known = {key: place for place, key in enumerate(keys)}
    bag = np.array([*(known.get(value, -1) for value in values), -1], np.int64)
    return Grouping(of_rows, bag[own])


def _check_types(children: list[Value], parents: list[Value], name: str) -> None:
    has_text = [{isinstance(value, str) for value in values} for values in (children, parents)]
    if all(has_text) and not (has_text[0] & has_text[1]):
        kinds = ["text" if True in kind else "numbers" for kind in has_text]
        raise ValueError(
            f"The keys of {name!r} are {kinds[0]}, but those of the rows they belong to are {kinds[1]}, so that none "
            "are equal. Give both the same type."
        )


def make_bags(grouping: Grouping, columns: Mapping[str, Column], rows: Integers | None = None) -> Bags:
    """Bring the children bag by bag, without those that belong to no row; `rows` tells which child each entry is."""
    order = np.argsort(grouping.of_children, kind="stable")
    order = order[int((grouping.of_children < 0).sum()) :]
    return Bags(
        grouping.of_rows,
        grouping.of_children[order],
        order if rows is None else rows[order],
        {name: column[order] for name, column in columns.items()},
    )


def _numbered(cells: Cells) -> tuple[Integers, list[Value]]:
    """Number the different values of a column; -1 is missing."""
    if not isinstance(cells, Numbers):
        return cells.codes.astype(np.int64), list(cells.values)
    numbers = np.full(len(cells), -1, np.int64)
    known = ~cells.missing
    values, numbers[known] = np.unique(cells.values[known], return_inverse=True)
    return numbers, values.tolist()
