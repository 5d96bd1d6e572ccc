"""The reader of child tables: finds the rows that conditions count, and the keys that they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from nln.rules.cells import Categories, Cells, Column, encode, read_times
from nln.rules.children.bags import Bags, Grouping, group, make_bags
from nln.rules.children.child import Child
from nln.rules.children.dated import children_until
from nln.rules.children.table import DAYS_BEFORE, FROM_LAST, ChildTable
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


def countable(schema: Schema, names: Iterable[str], needed: Iterable[str], tables: Tables) -> set[str]:
    """Return the counts among `names` that ask nothing of the given tables beyond what `needed` counts ask of them."""
    asked = _asked_features(schema, needed)
    counts = {name: schema[name].derived for name in names}
    return {
        name
        for name, count in counts.items()
        if isinstance(count, ChildCount)
        and count.table in tables
        and {condition.feature for condition in count.conditions} <= asked.get(count.table, set())
    }


def linked_columns(schema: Schema, names: Iterable[str]) -> list[str]:
    """Return the columns that tell which rows of child tables belong to a row, for those that some features count."""
    return list(dict.fromkeys(link for name in needed_keys(schema, names) for link in schema.table(name).links))


def needed_keys(schema: Schema, names: Iterable[str]) -> dict[str, str | None]:
    """Return for each child table that some features count the column that its key repeats."""
    derived = (schema[name].derived for name in names)
    tables = sorted({count.table for count in derived if isinstance(count, ChildCount)})
    return {name: schema.table(name).parent_key for name in tables}


def read_counts(feature: Feature, table: OpenTable) -> Column:
    """Read counts that are given as a column of the table itself."""
    column = encode(replace(feature, derived=None), decode(feature.name, table.column(feature.name)))
    wrong = np.flatnonzero(~(column >= 0) | (np.floor(column) != column))
    if len(wrong):
        shown = "missing" if np.isnan(column[wrong[0]]) else repr(float(column[wrong[0]]))
        raise ValueError(
            f"The column {feature.name!r} is {shown} in row {wrong[0]}. It counts rows: give whole numbers "
            "from 0 on, or leave the column out to have them counted."
        )
    return column


class Owners(NamedTuple):
    """What tells which children belong to the rows of a table."""

    keys: Cells | None  # None for the numbers of the rows
    dates: Cells | None = None  # that children must not be later than, if there are any


def read_bags(
    schema: Schema, names: Iterable[str], parents: Mapping[str, Owners], n_rows: int, tables: Tables
) -> dict[str, Bags]:
    """Read the rows of the child tables that some features count.

    Parameters
    ----------
    schema : Schema
        The features and child tables.
    names : iterable of str
        Names of features.
    parents : mapping of str to Owners
        For each child table the keys of the rows, and their dates.
    n_rows : int
        Number of rows.
    tables : mapping of str to Child or table
        The child tables by their names.
    """
    found = {}
    for name, features in sorted(_asked_features(schema, names).items()):
        if name not in tables:
            raise ValueError(
                f"The rules count rows of {name!r}: give this table too, as tables={{{name!r}: ...}}, with the column "
                f"{schema.table(name).key!r}."
            )
        found[name] = _read_bags(schema.table(name), features, parents[name], n_rows, tables[name])
    return found


def _asked_features(schema: Schema, names: Iterable[str]) -> dict[str, set[str]]:
    """Return for each child table that some features count those of its features that they ask about."""
    asked: dict[str, set[str]] = {}
    for name in names:
        count = schema[name].derived
        if isinstance(count, ChildCount):
            asked.setdefault(count.table, set()).update(condition.feature for condition in count.conditions)
    return asked


def _read_bags(child: ChildTable, names: set[str], parents: Owners, n_rows: int, given: Any) -> Bags:
    rows = given.table if isinstance(given, Child) else given
    features = [feature for feature in child.features if feature.name in names - child.made]
    needed = [child.key, *(column for feature in features for column in feature.columns)]
    order = child.order if child.before or FROM_LAST in names else None
    needed += [order] if order else []
    table = open_table(rows, needed)
    keys = {str(key): key for key in table.keys}
    own = [child.key, *([order] if order else []), *(c for f in features for c in sources(f, table.keys))]
    _check_columns(child, own, keys)
    grouping = group(parents.keys, n_rows, decode(child.key, table.column(keys[child.key])), child.name)
    columns = {feature.name: read_feature(feature, table, keys) for feature in features}
    return assemble(
        child, grouping, columns, decode(order, table.column(keys[order])) if order else None, parents.dates
    )


def assemble(
    child: ChildTable, grouping: Grouping, columns: dict[str, Column], order: Cells | None, dates: Cells | None
) -> Bags:
    """Bring children into bags, with the columns that their order and the dates of the rows give."""
    if order is None:
        return make_bags(grouping, columns)
    assert child.order is not None
    if child.before is None or dates is None:
        return make_bags(grouping, {**columns, FROM_LAST: from_last(_places(child, order), grouping)})
    times = read_times(child.order, order, "")
    dated = children_until(grouping, read_times(child.before, dates, ""), times)
    found = {name: column[dated.rows] for name, column in columns.items()}
    places = times[dated.rows].astype(np.int64).astype(np.float64)
    found |= {FROM_LAST: from_last(places, dated.grouping), DAYS_BEFORE: dated.days}
    return make_bags(dated.grouping, found, dated.rows)


def _check_columns(child: ChildTable, needed: Iterable[str], keys: Mapping[str, Any]) -> None:
    absent = [name for name in dict.fromkeys(needed) if name not in keys]
    if absent:
        raise ValueError(f"The table {child.name!r} lacks columns that are needed: {', '.join(map(repr, absent))}.")


def from_last(order: np.ndarray, grouping: Grouping) -> Column:
    """Count the children of each bag from the last one, which is 1; equal places in the order share the later number.

    A child without a place in the order has none.
    """
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
