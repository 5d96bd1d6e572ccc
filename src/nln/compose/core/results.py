"""What results are written with: data frames of fixed column types, plain data, lists of rows, texts of rules."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from nln.rules import LogicProgram
from nln.rules.language.text import conditions_text
from nln.rules.summary import frame_library

_SHOWN = 10
"""How many rows a text lists."""


def typed_frame(
    records: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    backend: str | None,
    *,
    ints: Collection[str] = (),
    floats: Collection[str] = (),
) -> Any:
    """Make a data frame with a row for each record. Columns are text but for `ints` and `floats`, even without rows."""
    library = frame_library(backend)
    polars = library.__name__ == "polars"
    whole, real, text = (library.Int64, library.Float64, library.String) if polars else ("Int64", "float64", "object")
    types = {name: whole if name in ints else real if name in floats else text for name in columns}
    cells = {name: [record[name] for record in records] for name in columns}
    return library.DataFrame(cells, schema=types) if polars else library.DataFrame(cells).astype(types)


def plain(entry: Any) -> dict[str, Any]:
    """Turn a dataclass into plain data, with lists for tuples."""
    return asdict(entry, dict_factory=lambda pairs: {k: list(v) if isinstance(v, tuple) else v for k, v in pairs})


def with_status(entries: Sequence[Any], status: str, known: Sequence[str]) -> tuple[Any, ...]:
    """Return the entries with one of the known statuses."""
    if status not in known:
        raise ValueError(f"There is no status {status!r}; known: {', '.join(known)}.")
    return tuple(entry for entry in entries if entry.status == status)


def row_list(rows: Sequence[int]) -> str:
    """List the first few row numbers."""
    return ", ".join(map(str, rows[:_SHOWN])) + (", ..." if len(rows) > _SHOWN else "")


def rule_texts(program: LogicProgram) -> list[str]:
    """Write the conditions of each rule on one line."""
    return [conditions_text(rule, program.schema) for rule in program.rules]
