"""Child tables to learn from: their features, and their rows grouped by the rows that they belong to."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from nln.rules.cells import Array, Column
from nln.rules.children.bags import Bags, Grouping, group
from nln.rules.children.child import Child
from nln.rules.children.reading import assemble
from nln.rules.children.table import ChildTable
from nln.rules.derived.make import child_count_of, derived_feature
from nln.rules.schema import Feature
from nln.tables.frames import Table, read_table
from nln.tables.identifiers import find_identifiers
from nln.tables.infer import infer_features


@dataclass(frozen=True)
class Children:
    """The child tables of a fit."""

    tables: tuple[ChildTable, ...] = ()
    bags: Mapping[str, Bags] = field(default_factory=dict)

    def take(self, rows: Array) -> Children:
        """Keep the children of some rows."""
        return Children(self.tables, {name: bags.take(rows) for name, bags in self.bags.items()})

    @property
    def keys(self) -> set[str]:
        """The columns of the other table that keys repeat: they are no features."""
        return {table.parent_key for table in self.tables if table.parent_key}

    def counts(self, *, any_will_do: bool = False) -> tuple[tuple[Feature, ...], dict[str, Column]]:
        """Give how many children each row has, for each table where that differs; or one table if `any_will_do`."""
        columns: dict[Feature, Column] = {}
        for table in self.tables:
            column = self.bags[table.name].count((), {})
            low, high = float(column.min()), float(column.max())
            if low < high or (any_will_do and not columns):
                columns[derived_feature(child_count_of((), table), range=(low, high))] = column
        return tuple(columns), {feature.name: column for feature, column in columns.items()}


def read_children(tables: Any, parents: Table) -> Children:
    """Read the child tables that `fit` was given, and group their rows."""
    if tables is None:
        return Children((), {})
    if not isinstance(tables, Mapping):
        raise TypeError(f"tables maps names to Child(table, key=...), not {type(tables).__name__}.")
    found, bags = [], {}
    for name, child in tables.items():
        if not isinstance(child, Child):
            raise TypeError(
                f"tables[{name!r}] is of type {type(child).__name__}. Say which column holds the key: "
                f"Child(table, key=...)."
            )
        table, bags[name] = _read_child(name, child, parents)
        found.append(table)
    return Children(tuple(found), bags)


def _read_child(name: str, child: Child, parents: Table) -> tuple[ChildTable, Bags]:
    rows = read_table(child.table, argument=f"tables[{name!r}]")
    described = ChildTable(name, child.key, (), child.parent_key, child.order, child.before)
    for column, table, whose in (
        (child.key, rows, f"The table {name!r}"),
        (child.order, rows, f"The table {name!r}"),
        (described.parent_key, parents, "X"),
        (child.before, parents, "X"),
    ):
        if column and column not in table.names:
            raise ValueError(
                f"{whose} has no column {column!r}, which tables[{name!r}] names; it has {', '.join(table.names[:10])}."
            )
    keys = parents.cells(described.parent_key) if described.parent_key else None
    grouping = group(keys, parents.n_rows, rows.cells(child.key), name)
    _check_keys(name, described, grouping)
    features, columns = _features(described, child, rows)
    made = tuple(Feature(each, "continuous", whole=True) for each in sorted(described.made))
    order = rows.cells(child.order) if child.order else None
    bags = assemble(described, grouping, columns, order, parents.cells(child.before) if child.before else None)
    if child.before and not len(bags.of_children):
        raise ValueError(f"No row of {name!r} lies at or before {child.before!r} of its row of X, by {child.order!r}.")
    return replace(described, features=(*made, *features)), bags


def _features(table: ChildTable, child: Child, rows: Table) -> tuple[tuple[Feature, ...], dict[str, Column]]:
    names = [column for column in rows.names if column != child.key]
    if taken := sorted(table.made.intersection(names)):
        raise ValueError(f"The table {table.name!r} has a column {taken[0]!r}, which its order would give. Rename it.")
    if not names:
        return (), {}
    features, columns = infer_features(rows.select(names), child.feature_types)
    asked = set(names) if isinstance(child.feature_types, str) else set(child.feature_types or ())
    set_aside = find_identifiers(features, columns, asked)
    kept = tuple(f for f in features if f.name not in set_aside and f.kind != "probability" and f.derived is None)
    return kept, {f.name: columns[f.name] for f in kept}


def _check_keys(name: str, table: ChildTable, grouping: Grouping) -> None:
    lost = int((grouping.of_children < 0).sum())
    where = f"the column {table.parent_key!r} of X" if table.parent_key else "the numbers of the rows of X"
    if lost == len(grouping.of_children):
        raise ValueError(f"No row of {name!r} belongs to a row of X: none of its keys in {table.key!r} is in {where}.")
    if lost:
        warnings.warn(
            f"{lost} of {len(grouping.of_children)} rows of {name!r} belong to no row of X, since their keys in "
            f"{table.key!r} are not in {where}. They are not used.",
            UserWarning,
            stacklevel=4,
        )
