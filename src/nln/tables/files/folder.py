"""Table files that make up one table: those of a folder, or of a pattern such as `sales/*.parquet`.

Their rows are read some at a time and in the order of the files' names, as often as needed, so that a table may be
larger than the memory. Cells of text files stay text until the whole table has been seen; then a schema says what they
mean.
"""

from __future__ import annotations

import glob
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nln.rules.cells import Categories, Cells
from nln.rules.decoding import decode
from nln.rules.language.words import counted
from nln.rules.schema import Feature, Schema
from nln.tables.files.table_file import TableFile

ROWS_AT_A_TIME = 2**16
"""Rows of a part of the table, at least, unless it is the last of its file."""

ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".jsonl", ".ndjson", ".gz")
"""How the files of a folder that hold its table end."""


def find_files(path: Path) -> tuple[Path, ...] | None:
    """Return the table files of a folder or a pattern, sorted by their names; None if the path names one file."""
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if file.suffix.lower() in ENDINGS and file.is_file())
        if not found:
            raise ValueError(f"{path} has no table file. Its files should end in one of {', '.join(ENDINGS)}.")
        return tuple(found)
    if path.exists() or not glob.has_magic(str(path)):
        return None
    found = sorted(Path(name) for name in glob.glob(str(path), recursive=True) if Path(name).is_file())
    if not found:
        raise ValueError(f"No file fits the pattern {path}. Give a table file, a folder of them, or another pattern.")
    return tuple(found)


class TableFolder:
    """Files with the same columns, as one table."""

    def __init__(self, name: str, paths: Sequence[Path], missing: Sequence[str] | None = None) -> None:
        self.name, self.paths, self.missing, self.notes = name, tuple(paths), missing, list[str]()
        self.codes: Collection[str] = ()  # columns that stay text, whatever their cells show
        with TableFile(self.paths[0], missing).opened() as first:
            self.names, self.rules = first.names, first.rules
        self.notes.append(f"The table is in {counted(len(self.paths), 'file')}.")

    def batches(self) -> Iterator[Any]:
        """Yield tables of pyarrow, with text as it stands; an error names a file with other columns."""
        import pyarrow as pa

        for path in self.paths:
            with TableFile(path, self.missing).opened() as file:
                self._check(file, path)
                held, rows = [], 0
                for batch in file.batches():
                    held.append(pa.table({name: batch[name] for name in self.names}))
                    rows += batch.num_rows
                    if rows >= ROWS_AT_A_TIME:
                        yield pa.concat_tables(held, promote_options="permissive")
                        held, rows = [], 0
                if rows:
                    yield pa.concat_tables(held, promote_options="permissive")

    def _check(self, file: TableFile, path: Path) -> None:
        missing = [name for name in self.names if name not in file.names]
        further = [name for name in file.names if name not in self.names]
        if missing or further:
            what = f"lacks the column {missing[0]!r}" if missing else f"has a column {further[0]!r}"
            raise ValueError(f"{path} {what}, unlike {self.paths[0]}. Files of one table have the same columns.")
        if (file.rules is None) != (self.rules is None):
            raise ValueError(f"{path} has another format than {self.paths[0]}. Give files of one format.")

    def has_more_than(self, rows: int) -> bool:
        """Whether the table has more rows than that; no more of it is read than needed."""
        found = 0
        for batch in self.batches():
            found += batch.num_rows
            if found > rows:
                return True
        return False

    def read(self) -> Any:
        """Read all rows as one table of pyarrow; the types of text columns are found from their cells."""
        import pyarrow as pa

        held = list(self.batches())
        if not held:
            raise ValueError(f"{self.name} has no rows below the headers of its files. Give at least one.")
        table = pa.concat_tables(held, promote_options="permissive")
        if self.rules is None:
            return table
        from nln.tables.files.cells import type_table

        typed, notes = type_table(table, self.rules, self.codes)
        self.notes += notes
        return typed

    def cells(self, table: Any, names: Sequence[str]) -> list[Cells]:
        """Decode columns before the types of text are known: text is text, and blank cells are missing."""
        if self.rules is None:
            return [decode(name, table[name]) for name in names]
        from nln.tables.files.cells import without_missing

        return [decode(name, without_missing(table[name], self.rules)) for name in names]

    def typed(self, name: str, cells: Cells) -> Cells:
        """Find the type of a column from text that stands for all its cells."""
        if self.rules is None or name in self.codes or not isinstance(cells, Categories):
            return cells
        import pyarrow as pa

        from nln.tables.files.cells import type_column

        text = pa.array(np.array([*cells.values, None], dtype=object)[cells.codes], pa.string())
        return decode(name, type_column(name, text, self.rules).cells)

    def by_schema(self, table: Any, schema: Schema, first: int) -> dict[str, Cells]:
        """Decode the columns that a schema asks for; `first` is the number of the first row, for messages."""
        features = schema.plain(schema.names)
        return {name: self.column(table, name, feature, first) for feature in features for name in feature.columns}

    def column(self, table: Any, name: str, feature: Feature, first: int) -> Cells:
        """Decode one column as a feature reads it."""
        if self.rules is None:
            return decode(name, table[name])
        from nln.tables.files.cells import read_text_column

        return read_text_column(table[name], feature, self.rules, first=first)
