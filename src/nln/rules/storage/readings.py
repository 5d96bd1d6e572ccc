"""The JSON form of readings: how the cells of a column become the numbers of a feature."""

from __future__ import annotations

from typing import Any, cast

from nln.rules.readings import DECIMALS, Decimal, NumberReading, Reading
from nln.rules.storage.reading import Node


def reading_to_dict(reading: Reading) -> dict[str, Any]:
    """Turn a reading into plain data; default values are left out."""
    result = {"kind": "number"}
    if reading.unit:
        result["unit"] = reading.unit
    if reading.decimal != ".":
        result["decimal"] = reading.decimal
    return result


def read_reading(node: Node) -> Reading:
    """Read what `reading_to_dict` wrote; every error names the place."""
    fields = node.fields(("kind",), ("unit", "decimal"))
    fields["kind"].choice(("number",))
    unit = fields["unit"].text() if "unit" in fields else ""
    decimal = cast(Decimal, fields["decimal"].choice(DECIMALS)) if "decimal" in fields else "."
    return NumberReading(unit, decimal)
