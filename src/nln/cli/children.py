"""`--table visits=visits.csv:patient_id`: files whose rows belong to rows of the table that is decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from nln.cli.errors import InputError
from nln.cli.inputs import open_table, used_schema
from nln.rules import Child, LogicProgram, Schema
from nln.rules.children.reading import needed_keys
from nln.rules.derived.child_count import ChildCount
from nln.tables.files.table_file import Chunk, TableFile

ChildFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--table",
        metavar="NAME=FILE:KEY",
        help="File whose rows belong to rows of DATA, such as visits=visits.csv:patient_id, with the column that says "
        "which; may be repeated. A model knows the key.",
    ),
]


class ChildFile(NamedTuple):
    """What one option says."""

    path: Path
    key: str | None


def read_options(options: Iterable[str] | None) -> dict[str, ChildFile]:
    """Read what the options say: for each name a file and, if given, the key."""
    found: dict[str, ChildFile] = {}
    for text in options or ():
        name, equals, rest = text.partition("=")
        path, colon, key = rest.rpartition(":")
        if not colon or Path(rest).exists():
            path, key = rest, ""
        if not (name and equals and path):
            raise InputError(f"--table takes NAME=FILE:KEY, such as visits=visits.csv:patient_id, not {text!r}.")
        if name in found:
            raise InputError(f"--table names {name!r} twice. Give each table once.")
        found[name] = ChildFile(Path(path), key or None)
    return found


def read_children(options: Iterable[str] | None, missing: Sequence[str] | None, notes: list[str]) -> dict[str, Child]:
    """Read child tables to learn from; notes about the files are added to `notes`."""
    children = {}
    for name, (path, key) in read_options(options).items():
        if key is None:
            raise InputError(
                f"--table {name}={path} lacks the key: the column that says which row of DATA a row is of."
            )
        file = open_table(path, missing)
        children[name] = Child(file.read(), key)
        notes += file.notes
    return children


def child_files(program: LogicProgram, options: Iterable[str] | None) -> dict[str, ChildFile]:
    """Read the options, which must name the child tables that the rules of a program count."""
    named = read_options(options)
    if unknown := [name for name in named if name not in {table.name for table in program.schema.tables}]:
        raise InputError(f"The model knows no table {unknown[0]!r}. Leave out this --table.")
    needed = needed_keys(program.schema, program.schema.behind(program.features_used))
    if absent := [name for name in needed if name not in named]:
        raise InputError(f"The rules count rows of {absent[0]!r}: give them by --table {absent[0]}=FILE.")
    return named


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
    keys = needed_keys(program.schema, program.schema.behind(program.features_used))
    if not keys:
        yield from file.chunks(program.schema, only=program.features_used, target=target, truth=truth)
        return
    whole = file.rows(used_schema(program), target=target, truth=truth, further=[key for key in keys.values() if key])
    yield replace(whole, tables={name: _read_child(named[name].path, program, name, missing) for name in keys})


def _read_child(path: Path, program: LogicProgram, name: str, missing: Sequence[str] | None) -> Child:
    table = program.schema.table(name)
    counts = [program.schema[each].derived for each in program.schema.behind(program.features_used)]
    own = [count for count in counts if isinstance(count, ChildCount) and count.table == name]
    asked = {condition.feature for count in own for condition in count.conditions}
    features = tuple(f for f in table.features if f.name in asked - table.made)
    further = [table.key, *([table.order] if table.order and asked & table.made else [])]
    rows = open_table(path, missing).rows(Schema(features, program.schema.target), truth=False, further=further)
    return Child(rows.table(), table.key)
