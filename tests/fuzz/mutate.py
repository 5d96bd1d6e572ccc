"""Small damage to text, bytes and plain data, drawn from a random source."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

NASTY: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**53, 2**64, 10**400, 0.0, -0.0, 0.5, 1e308, 5e-324, "", " ",
    "a", "true", "1", "\x00",
    "\x1b[31m", "\u202e", "é" * 50, "'; DROP TABLE t; --", "<script>", "__SQLGLOT__LB__", [], {}, [[]], {"a": 1},
)  # fmt: skip
"""Values that readers tend to mistake for something else."""

WORDS = (
    "IF", "AND", "THEN", "OTHERWISE", "always", "in", "not", "or", "missing", "true", "false", "1",
    "-1", "1e999", "nan",
    "{", "}", "(", ")", '"', "\\", "<", ">=", "=", "!=", "±", ",", ";", "P(", "from", "weight",
    "at least 2 of", "is", "#",
    "\n", "\x00", "\ud800", "😀", "*", "/", "to", "rows", "%",
)  # fmt: skip


def damaged_text(text: str, rng: Random) -> str:
    """Cut, repeat, exchange and insert pieces of a text."""
    for _ in range(rng.randint(1, 4)):
        start, end = sorted(rng.randint(0, len(text)) for _ in range(2))
        end = min(end, start + rng.choice((1, 3, 20, 200)))
        piece = rng.choice((rng.choice(WORDS), f" {rng.choice(WORDS)} ", text[start:end], ""))
        text = text[:start] + piece + text[rng.choice((start, end)) :]
    return text


def damaged_bytes(data: bytes, rng: Random) -> bytes:
    """Exchange some bytes, or cut the end off."""
    found = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        if found:
            found[rng.randrange(len(found))] = rng.choice((0, 10, 34, 44, 255, rng.randrange(256)))
    return bytes(found[: rng.randint(0, len(found))] if rng.random() < 0.2 else found)


def damaged_data(data: Any, rng: Random) -> Any:
    """Exchange, drop or repeat some parts of plain data."""
    data = copy.deepcopy(data)
    for _ in range(rng.randint(1, 3)):
        places = [*_places(data)]
        holder, key = rng.choice(places)
        match rng.randrange(4):
            case 0:
                holder[key] = copy.deepcopy(rng.choice(NASTY))
            case 1:
                other, place = rng.choice(places)
                holder[key] = copy.deepcopy(other[place])
            case 2:
                del holder[key]
            case _ if isinstance(holder, list):
                holder.insert(key, copy.deepcopy(holder[key]))
        if not [*_places(data)]:
            break
    return json.loads(json.dumps(data, default=str)) if rng.random() < 0.5 else data


def _places(data: Any) -> Any:
    """Yield every place in nested data, as the container and the key."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, part in [*items]:
        yield data, key
        yield from _places(part)
