"""All kinds of derived columns, and the columns of a table that they are calculated from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from nln.rules.cells import Column
from nln.rules.children.bags import Bags
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.child_count import ChildCount
from nln.rules.derived.count import Count
from nln.rules.derived.same import Same
from nln.rules.schema import Schema

Derived: TypeAlias = Arithmetic | Same | Count | ChildCount


def with_derived(
    columns: Mapping[str, Column], schema: Schema, names: Iterable[str], bags: Mapping[str, Bags] | None = None
) -> dict[str, Column]:
    """Add the derived columns among `names`, and those that they need, each calculated once.

    Parameters
    ----------
    columns : mapping of str to array
        The plain columns that they are calculated from, as `read_columns` gives them.
    schema : Schema
        The features.
    names : iterable of str
        Names of features; plain ones among them must be in `columns`.
    bags : mapping of str to Bags, default=None
        The rows of child tables by the names of the tables.
    """
    found = dict(columns)
    for name in names:
        _add(found, name, schema, bags or {})
    return found


def _add(found: dict[str, Column], name: str, schema: Schema, bags: Mapping[str, Bags]) -> None:
    """Add a column and those that it needs."""  # no closure: one that calls itself keeps all columns alive in a cycle
    derived = schema[name].derived
    if name in found or derived is None:
        return
    for parent in derived.features:
        _add(found, parent, schema, bags)
    if isinstance(derived, ChildCount) and derived.table in bags:
        found[name] = bags[derived.table].count(derived.conditions, schema.table(derived.table).by_name)
    else:
        found[name] = derived.evaluate(found, schema.by_name)
