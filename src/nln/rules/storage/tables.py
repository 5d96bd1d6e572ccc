"""The JSON form of child tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nln.rules.children.table import ChildTable
from nln.rules.schema import Feature, Schema
from nln.rules.storage.reading import Node


def tables_to_dict(schema: Schema, to_dict: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """Turn the child tables of a schema into plain data; nothing if there are none."""
    return {"tables": [_table_to_dict(table, to_dict) for table in schema.tables]} if schema.tables else {}


def _table_to_dict(table: ChildTable, to_dict: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {"name": table.name, "key": table.key}
    if table.parent_key != table.key:
        result["parent_key"] = table.parent_key
    if table.order is not None:
        result["order"] = table.order
    if table.before is not None:
        result["before"] = table.before
    return result | {"features": [to_dict(feature, used=False) for feature in table.features]}


def read_tables(node: Node, read_feature: Callable[[Node, Mapping[str, Feature]], Feature]) -> tuple[ChildTable, ...]:
    """Read what `tables_to_dict` wrote."""
    return tuple(_read_table(item, read_feature) for item in node.items())


def _read_table(node: Node, read_feature: Callable[[Node, Mapping[str, Feature]], Feature]) -> ChildTable:
    fields = node.fields(("name", "key", "features"), ("parent_key", "order", "before"))
    features = tuple(read_feature(item, {}) for item in fields["features"].items())
    said = {name: fields[name].text() for name in ("parent_key", "order", "before") if name in fields}
    name, key = fields["name"].text(), fields["key"].text()
    if not name or not key:
        raise node.error("has no name or no key.")
    with node.located():
        return ChildTable(name, key, features, **said)
