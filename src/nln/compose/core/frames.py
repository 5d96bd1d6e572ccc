"""Data frames of results, whose columns have the same types whatever they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nln.rules.summary import frame_library


def typed_frame(records: Sequence[Mapping[str, Any]], types: Mapping[str, str], backend: str | None = None) -> Any:
    """Make a data frame with a row for each record; `types` maps the columns, in order, to "int", "float" or "str"."""
    library = frame_library(backend)
    columns = {name: [record[name] for record in records] for name in types}
    if library.__name__ == "polars":
        kinds = {"int": library.Int64, "float": library.Float64, "str": library.String}
        return library.DataFrame(columns, schema={name: kinds[kind] for name, kind in types.items()})
    kinds = {"int": "Int64", "float": "float64", "str": "object"}
    return library.DataFrame(columns).astype({name: kinds[kind] for name, kind in types.items()})
