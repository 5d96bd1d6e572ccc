"""`--table visits=visits.csv:patient_id`: files whose rows belong to rows of the table that is decided."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from nln.cli.errors import InputError
from nln.cli.inputs import open_table
from nln.rules import Child, Schema
from nln.rules.children.reading import needed_keys
from nln.rules.derived.child_count import ChildCount

ChildFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--table",
        metavar="NAME=FILE:KEY",
        help="File whose rows belong to rows of DATA, such as visits=visits.csv:patient_id, with the column that says "
        "which; may be repeated. A model knows the key. Further: ,order=COLUMN and ,before=COLUMN behind the key.",
    ),
]


_KEY = re.compile(r"(?P<key>.*?)(?:,order=(?P<order>.*?))?(?:,before=(?P<before>.*))?", re.DOTALL)


class ChildFile(NamedTuple):
    """What one option says."""

    path: Path
    key: str | None
    order: str | None = None
    before: str | None = None


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
        said = _KEY.fullmatch(key)
        assert said is not None  # the key may be anything
        found[name] = ChildFile(Path(path), said["key"] or None, said["order"], said["before"])
    return found


def read_children(options: Iterable[str] | None, missing: Sequence[str] | None, notes: list[str]) -> dict[str, Child]:
    """Read child tables to learn from; notes about the files are added to `notes`."""
    children = {}
    for name, (path, key, order, before) in read_options(options).items():
        if key is None:
            raise InputError(
                f"--table {name}={path} lacks the key: the column that says which row of DATA a row is of."
            )
        file = open_table(path, missing)
        children[name] = Child(file.read(), key, order=order, before=before)
        notes += file.notes
    return children


def check_has_rows(data: Path | None, options: Iterable[str] | None) -> None:
    """Refuse child tables without the rows that theirs belong to."""
    if data is None and options:
        raise InputError("--table gives rows that belong to rows of DATA, but there is no DATA. Give both or neither.")


def child_files(schema: Schema, used: Iterable[str], options: Iterable[str] | None) -> dict[str, ChildFile]:
    """Read the options, which must name the child tables that the features of `used` count."""
    named = read_options(options)
    if unknown := [name for name in named if name not in {table.name for table in schema.tables}]:
        raise InputError(f"The model knows no table {unknown[0]!r}. Leave out this --table.")
    needed = needed_keys(schema, schema.behind(used))
    if absent := [name for name in needed if name not in named]:
        raise InputError(f"The rules count rows of {absent[0]!r}: give them by --table {absent[0]}=FILE.")
    return named


def read_child(path: Path, schema: Schema, used: Iterable[str], name: str, missing: Sequence[str] | None) -> Child:
    """Read what the features of `used` ask about the rows of a child table."""
    table = schema.table(name)
    own = [count for each in used if isinstance(count := schema[each].derived, ChildCount) and count.table == name]
    asked = {condition.feature for count in own for condition in count.conditions}
    features = tuple(f for f in table.features if f.name in asked - table.made)
    keys = [table.key, *([table.order] if table.order and (table.before or asked & table.made) else [])]
    rows = open_table(path, missing).rows(Schema(features, schema.target), truth=False, keys=keys)
    return Child(rows.X, table.key)
