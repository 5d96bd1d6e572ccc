"""The rows that commands judge: a whole table file, or some rows at a time, with the child tables that rules count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from nln.cli.children import ChildFile, child_files, read_child
from nln.cli.errors import refusals_as_input_errors
from nln.cli.inputs import used_schema
from nln.cli.outputs import print_notes, spinner
from nln.rules import LogicProgram, Schema
from nln.rules.children.reading import countable, is_child_count, linked_columns, needed_keys
from nln.tables.files.table_file import Chunk, TableFile


def read_rows(
    table: TableFile,
    schema: Schema,
    *,
    tables: Iterable[str] | None = None,
    missing: Sequence[str] | None = None,
    used: Iterable[str] | None = None,
    target: str | None = None,
    truth: bool = True,
    further: Sequence[str] = (),
) -> Chunk:
    """Read all rows of a table file by a schema, with the true classes if `truth`, and print the notes about them.

    `tables` are the options that name child tables, and `missing` is what `--missing` gives. Of the counts of the
    schema those of `used`, by default all, are needed; of others the rows are counted if their table is given.
    """
    used = schema.behind(schema.names if used is None else used)
    try:
        named = child_files(schema, used, tables)
    except BaseException:
        table.close()
        raise
    counts = {name for name in used if is_child_count(schema[name])}
    counts |= countable(schema, schema.names, counts, named)
    keys = needed_keys(schema, counts)
    with refusals_as_input_errors(), spinner(f"reading {table.name}"):
        links = linked_columns(schema, counts)
        rows = table.rows(schema, target=target, truth=truth, further=further, keys=links)
        children = {name: read_child(named[name].path, schema, counts, name, missing) for name in keys}
    print_notes(table.notes)
    return replace(rows, tables=children) if children else rows


def chunks_of(
    file: TableFile,
    program: LogicProgram,
    named: Mapping[str, ChildFile],
    missing: Sequence[str] | None,
    *,
    target: str | None = None,
    truth: bool = False,
) -> Iterator[Chunk]:
    """Read the rows of a table by a program, some at a time; all at once if the program counts rows of other files."""
    schema, used = program.schema, program.schema.behind(program.features_used)
    keys = needed_keys(schema, used)
    if not keys:
        yield from file.chunks(schema, only=program.features_used, target=target, truth=truth)
        return
    links = linked_columns(schema, used)
    whole = file.rows(used_schema(program), target=target, truth=truth, keys=links)
    yield replace(whole, tables={name: read_child(named[name].path, schema, used, name, missing) for name in keys})
