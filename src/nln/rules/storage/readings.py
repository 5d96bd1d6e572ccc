"""The JSON form of readings: how the cells of columns become the numbers or values of a feature."""

from __future__ import annotations

from typing import Any, cast

from nln.rules.dates import DATE_ORDERS, PARTS, DateReading
from nln.rules.readings import DECIMALS, Decimal, NumberReading, PrefixReading, Reading
from nln.rules.storage.reading import Node


def reading_to_dict(reading: Reading) -> dict[str, Any]:
    """Turn a reading into plain data; default values are left out."""
    if isinstance(reading, NumberReading):
        point = {} if reading.decimal == "." else {"decimal": reading.decimal}
        return {"kind": "number", **({"unit": reading.unit} if reading.unit else {}), **point}
    if isinstance(reading, PrefixReading):
        return {"kind": "prefix", "column": reading.column, "length": reading.length}
    result: dict[str, Any] = {"kind": "date", "column": reading.column, "part": reading.part}
    for name in ("since", "since_column", "order", "since_order"):
        if getattr(reading, name):
            result[name] = getattr(reading, name)
    return result


def read_reading(node: Node) -> Reading:
    """Read what `reading_to_dict` wrote; every error names the place."""
    keys = ("unit", "decimal", "column", "part", "since", "since_column", "order", "since_order", "length")
    kind = node.fields(("kind",), keys)["kind"].choice(("number", "date", "prefix"))
    if kind == "number":
        fields = node.fields(("kind",), keys[:2])
        unit = fields["unit"].text() if "unit" in fields else ""
        decimal = cast(Decimal, fields["decimal"].choice(DECIMALS)) if "decimal" in fields else "."
        return NumberReading(unit, decimal)
    if kind == "prefix":
        fields = node.fields(("kind", "column", "length"))
        column, length = fields["column"].text(), fields["length"].count()
        with node.located():
            return PrefixReading(column, length)
    fields = node.fields(("kind", "column", "part"), keys[4:-1])
    texts: dict[str, Any] = {name: field.text() for name, field in fields.items() if name != "kind"}
    fields["part"].choice(PARTS)
    for name in {"order", "since_order"} & set(fields):
        fields[name].choice(DATE_ORDERS)
    with node.located():
        return DateReading(**texts)
