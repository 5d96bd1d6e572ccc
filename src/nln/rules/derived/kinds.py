"""All kinds of derived columns, and the columns of a table that they are calculated from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from nln.rules.cells import Column
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.count import Count
from nln.rules.derived.same import Same
from nln.rules.schema import Schema

Derived: TypeAlias = Arithmetic | Same | Count


def with_derived(columns: Mapping[str, Column], schema: Schema, names: Iterable[str]) -> dict[str, Column]:
    """Add the derived columns among `names`, and those that they need, each calculated once.

    Parameters
    ----------
    columns : mapping of str to array
        The plain columns that they are calculated from, as `read_columns` gives them.
    schema : Schema
        The features.
    names : iterable of str
        Names of features; plain ones among them must be in `columns`.
    """
    found = dict(columns)

    def add(name: str) -> None:
        derived = schema[name].derived
        if name in found or derived is None:
            return
        for parent in derived.features:
            add(parent)
        found[name] = derived.evaluate(found, schema.by_name)

    for name in names:
        add(name)
    return found
