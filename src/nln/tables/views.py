"""Columns of pyarrow whose text is kept as views: polars writes them, and few functions of pyarrow take them."""

from __future__ import annotations

from typing import Any


def without_views(table: Any) -> Any:
    """Return a table or a record batch of pyarrow with text in the usual form, also inside dictionaries."""
    import pyarrow as pa

    fields = [field.with_type(_usual(field.type, pa)) for field in table.schema]
    changed = [i for i, field in enumerate(fields) if field.type != table.schema.field(i).type]
    columns = [_cast(column, field.type, pa) for column, field in zip(table.columns, fields, strict=True)]
    return type(table).from_arrays(columns, schema=pa.schema(fields)) if changed else table


def _usual(kind: Any, pa: Any) -> Any:
    if pa.types.is_dictionary(kind):
        return pa.dictionary(pa.int64(), pa.large_string(), kind.ordered) if _is_view(kind.value_type) else kind
    return pa.large_string() if _is_view(kind) else kind


def _is_view(kind: Any) -> bool:
    return str(kind) == "string_view"  # `pa.types` of older releases does not know it


def _cast(column: Any, kind: Any, pa: Any) -> Any:
    if column.type == kind:
        return column
    if not pa.types.is_dictionary(kind):
        return column.cast(kind)
    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([_cast(chunk, kind, pa) for chunk in column.chunks], kind)
    values = column.dictionary.cast(kind.value_type)
    return pa.DictionaryArray.from_arrays(column.indices.cast("int64"), values, ordered=kind.ordered)
