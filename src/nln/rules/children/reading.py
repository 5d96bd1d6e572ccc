"""The reader of child tables: finds the rows that conditions count, and the keys that they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from nln.rules.cells import Categories, Cells, Column
from nln.rules.children.bags import Bags, Grouping, group, make_bags
from nln.rules.children.child import Child
from nln.rules.children.table import FROM_LAST, ChildTable
from nln.rules.decoding import decode
from nln.rules.derived.child_count import ChildCount
from nln.rules.opening import OpenTable, open_table, read_feature, sources
from nln.rules.schema import Feature, Schema

Tables: TypeAlias = Mapping[str, Any]
"""Child tables by their names: each a `Child` or the table alone."""

_DATES = re.compile(r"\d{4}-\d{2}-\d{2}")


def is_child_count(feature: Feature) -> bool:
    """Tell whether a feature counts rows of a child table."""
    return isinstance(feature.derived, ChildCount)


def needed_keys(schema: Schema, names: Iterable[str]) -> dict[str, str | None]:
    """Return for each child table that some features count the column that its key repeats."""
    derived = (schema[name].derived for name in names)
    tables = sorted({count.table for count in derived if isinstance(count, ChildCount)})
    return {name: schema.table(name).parent_key for name in tables}


def read_bags(
    schema: Schema, names: Iterable[str], parents: Mapping[str, Cells | None], n_rows: int, tables: Tables
) -> dict[str, Bags]:
    """Read the rows of the child tables that some features count.

    Parameters
    ----------
    schema : Schema
        The features and child tables.
    names : iterable of str
        Names of features.
    parents : mapping of str to Cells or None
        For each child table the keys of the rows; None for numbers of rows.
    n_rows : int
        Number of rows.
    tables : mapping of str to Child or table
        The child tables by their names.
    """
    asked: dict[str, set[str]] = {name: set() for name in parents}
    for name in names:
        count = schema[name].derived
        if isinstance(count, ChildCount):
            asked[count.table] |= {condition.feature for condition in count.conditions}
    found = {}
    for name, features in asked.items():
        if name not in tables:
            raise ValueError(
                f"The rules count rows of {name!r}: give this table too, as tables={{{name!r}: ...}}, with the column "
                f"{schema.table(name).key!r}. What takes no tables= cannot judge rules that count rows of other tables."
            )
        found[name] = _read_bags(schema.table(name), features, parents[name], n_rows, tables[name])
    return found


def _read_bags(child: ChildTable, names: set[str], parents: Cells | None, n_rows: int, given: Any) -> Bags:
    rows = given.table if isinstance(given, Child) else given
    features = [feature for feature in child.features if feature.name in names - child.made]
    needed = [child.key, *(column for feature in features for column in feature.columns)]
    is_ordered = bool(names & child.made)
    needed += [child.order] if is_ordered and child.order else []
    table = open_table(rows, needed)
    keys = {str(key): key for key in table.keys}
    _check_columns(child, [*needed[:1], *(c for f in features for c in sources(f, table.keys))], keys)
    grouping = group(parents, n_rows, decode(child.key, table.column(keys[child.key])), child.name)
    columns = {feature.name: read_feature(feature, table, keys) for feature in features}
    if is_ordered:
        columns[FROM_LAST] = from_last(child, table, grouping)
    return make_bags(grouping, columns)


def _check_columns(child: ChildTable, needed: Iterable[str], keys: Mapping[str, Any]) -> None:
    absent = [name for name in dict.fromkeys(needed) if name not in keys]
    if absent:
        raise ValueError(f"The table {child.name!r} lacks columns that are needed: {', '.join(map(repr, absent))}.")


def from_last(child: ChildTable, table: OpenTable | Mapping[str, Any], grouping: Grouping) -> Column:
    """Count the children of each bag from the last one, which is 1; equal places in the order share the later number.

    A child without a place in the order has none.
    """
    assert child.order is not None
    raw = table.column(child.order) if isinstance(table, OpenTable) else table[child.order]
    order = _places(child, decode(child.order, raw))
    result = np.full(len(order), np.nan)
    known = np.flatnonzero(~np.isnan(order) & (grouping.of_children >= 0))
    bags, places = grouping.of_children[known], order[known]
    sequence = np.lexsort([-places, bags])
    bags, places = bags[sequence], places[sequence]
    number = np.arange(len(bags)) - np.searchsorted(bags, bags) + 1
    # Of equal places all get the last number: how many children are at least as late.
    is_last = np.append((bags[1:] != bags[:-1]) | (places[1:] != places[:-1]), True)[: len(bags)]
    ends = np.flatnonzero(is_last)
    result[known[sequence]] = number[ends[np.searchsorted(ends, np.arange(len(bags)))]] if len(bags) else 0
    return result


def _places(child: ChildTable, cells: Cells) -> np.ndarray:
    if not isinstance(cells, Categories):
        return np.where(cells.missing, np.nan, cells.values.astype(np.float64))
    texts = [str(value) for value in cells.values]
    if strange := next((text for text in texts if not _DATES.match(text)), None):
        raise ValueError(
            f"The order of {child.name!r} is {child.order!r}, which holds {strange!r}. An order is a column of numbers "
            "or of dates as in 2024-01-31."
        )
    ranks = np.append(np.argsort(np.argsort(texts)).astype(np.float64), np.nan)
    return np.asarray(ranks[cells.codes])
