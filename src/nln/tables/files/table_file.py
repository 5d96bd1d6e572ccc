"""Table files: read whole to learn from, or by the schema of a program, in chunks, to decide about."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import MISSING, UNSEEN, Cells, Column, find_values, shown
from nln.rules.children.child import Child
from nln.rules.columns import read_columns, read_truth
from nln.rules.decoding import decode
from nln.rules.language.words import counted
from nln.rules.opening import sources
from nln.rules.schema import Feature, Schema, Target
from nln.rules.validate import listed

if TYPE_CHECKING:
    from nln.tables.files.cells import CellRules
    from nln.tables.files.formats import Source
    from nln.tables.files.streams import Stream
    from nln.tables.frames import Table


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a table file, read by a schema."""

    X: dict[str, Cells]  # the columns, in a form that the reader of tables takes
    y: NDArray[Any] | None  # the true class of each row, or 0 and 1 for each label, if they were asked for
    rows: NDArray[np.intp]  # the numbers of the rows in the file, from 0
    further: Any = None  # a pyarrow table of columns that the schema does not know, if they were asked for
    tables: Mapping[str, Child] | None = None  # the child tables whose rows features count

    def known(self) -> Chunk:
        """Keep the rows without gaps in the further columns."""
        gaps = [np.asarray(column.is_null()) for column in self.further.columns]
        kept = np.flatnonzero(~np.logical_or.reduce(gaps))
        X = {name: column.take(kept) for name, column in self.X.items()}
        y = None if self.y is None else self.y[kept]
        return replace(self, X=X, y=y, rows=self.rows[kept], further=self.further.take(kept))

    def table(self) -> Table:
        """Put the columns of `X` and the further ones side by side."""
        from nln.tables.frames import Table

        names = () if self.further is None else self.further.column_names
        columns = {**self.X, **{name: decode(name, self.further[name]) for name in names}}
        return Table(tuple(columns), tuple(columns.values()), len(self.rows), named=True)

    def columns(self, schema: Schema, *, only: Iterable[str] | None = None) -> dict[str, Column]:
        """Read the columns as `nln.rules.read_columns` does; an error says where the chunk begins in the file."""
        with _rows_from(int(self.rows[0]) if len(self.rows) else 0):
            return read_columns(self.X, schema, only=only, tables=self.tables)

    def truth(self, schema: Schema) -> NDArray[np.bool_]:
        """Give the true classes as a (rows, outputs) mask of what holds."""
        return read_truth(self.y, schema, len(self.rows))


class TableFile:
    """An open table file, which can be read once: CSV, TSV, Parquet, Arrow or JSON lines, also compressed by gzip.

    The path `-` is standard input; `missing` gives the spellings of missing values in text files. `notes` says what a
    user should know about the file, and is complete when all rows are read.
    """

    def __init__(self, path: Path, missing: Sequence[str] | None = None) -> None:
        self._stream, self._source = _open(path, missing)
        self.name, self.names, self.notes = self._stream.name, self._source.names, self._source.notes
        self.codes: Collection[str] = ()  # columns that stay text, whatever their cells show

    def close(self) -> None:
        """Close a file that is not read."""
        self._stream.close()

    @property
    def rules(self) -> CellRules | None:
        """How the cells are read, if they are text."""
        return self._source.rules

    @contextmanager
    def opened(self) -> Iterator[TableFile]:
        """Close the file at the end, read or not."""
        with self._stream:
            yield self

    def batches(self) -> Iterator[Any]:
        """Yield the record batches of pyarrow as they are in the file."""
        return iter(self._source.batches)

    def read(self) -> Any:
        """Read all rows as a pyarrow table; the types of text columns are found from their cells."""
        with self._stream:
            return self._typed(self._whole(set(self.names)))

    def _whole(self, names: set[str]) -> Any:
        """Put the batches together, with columns of these names; of JSON lines some lack a column."""
        import pyarrow as pa

        tables = [
            pa.table({name: batch[name] for name in batch.schema.names if name in names})
            for batch in self._source.batches
        ]
        try:
            table = pa.concat_tables(tables, promote_options="permissive") if tables else None
        except pa.ArrowException as error:
            raise ValueError(f"{self.name} has columns that change their type between rows: {error}") from None
        if table is None or not table.num_rows:
            raise self._no_rows()
        return table

    def _typed(self, table: Any) -> Any:
        """Find the types of text columns from their cells."""
        if self._source.rules is None:
            return table
        from nln.tables.files.cells import type_table

        typed, notes = type_table(table, self._source.rules, self.codes)
        self.notes += notes
        return typed

    def chunks(
        self, schema: Schema, *, only: Iterable[str] | None = None, target: str | None = None, truth: bool = False
    ) -> Iterator[Chunk]:
        """Read the rows by a schema, some at a time: the features of `only`, or all, found by their names.

        With `truth`, the true classes or labels are read, too, from the column `target` if it is given. Rows without
        them are left out, with a note.
        """
        with self._stream:
            features = schema.plain(schema.names if only is None else only)
            labels = _label_features(schema.target, target) if truth else ()
            reads = {name: own for feature in features for name, own in self._reads(feature).items()}
            places = {name: self._find(name) for name in (*reads, *(feature.name for feature in labels))}
            first, unlabelled = 0, 0
            for batch in self._source.batches:
                if not batch.num_rows:
                    continue
                rows = np.arange(first, first + batch.num_rows)
                X = {name: self._column(batch, places[name], feature, first) for name, feature in reads.items()}
                y = None
                if truth:
                    y, known = self._truth(batch, [(places[f.name], f) for f in labels], schema.target, first)
                    unlabelled += len(known) - int(known.sum())
                    rows, y = rows[known], y[known]
                    X = X if known.all() else {name: column.take(known) for name, column in X.items()}
                first += batch.num_rows
                yield Chunk(X, y, rows)
            self._close(first, unlabelled)

    def rows(
        self,
        schema: Schema,
        *,
        target: str | None = None,
        truth: bool = True,
        further: Sequence[str] = (),
        keys: Sequence[str] = (),
    ) -> Chunk:
        """Read all rows by a schema, as one chunk; columns of `further` get the types that their cells tell.

        So do those of `keys`, which stand beside the columns of the schema.
        """
        names = list(dict.fromkeys([*further, *keys]))
        with self._stream:
            places = [self._find(name) for name in names]
            labels = _label_features(schema.target, target) if truth else ()
            read = (name for feature in (*schema.features, *labels) for name in self._reads(feature))
            used = {*places, *map(self._find, read)}
            whole = self._whole(used)
            self._source.batches = iter([whole])
            (chunk,) = self.chunks(schema, target=target, truth=truth)
        if not names:
            return chunk
        table = self._typed(whole.select(places)).rename_columns(names).take(chunk.rows)
        linked = {name: decode(name, table[name]) for name in keys if name not in chunk.X}
        return replace(chunk, X={**chunk.X, **linked}, further=table.select(list(further)) if further else None)

    def _reads(self, feature: Feature) -> dict[str, Feature]:
        """Name the columns that a feature is read from; a column of its own values is not read as dates."""
        found = sources(feature, self.names)
        own = replace(feature, reading=None) if found != feature.columns else feature
        return dict.fromkeys(found, own)

    def _find(self, name: str) -> str:
        """Find a column by its name, or by its name without the spaces around it."""
        if name in self.names:
            return name
        if name.strip() in self.names:
            return name.strip()
        raise ValueError(unknown_column(name, self.names, self.name))

    def _column(self, batch: Any, place: str, feature: Feature, first: int) -> Cells:
        from nln.tables.files.cells import read_text_column

        if place not in batch.schema.names:  # a key that some JSON lines lack
            return decode(place, [None] * batch.num_rows)
        if self._source.rules is None:
            with _rows_from(first):
                return decode(place, batch[place])
        return read_text_column(batch[place], feature, self._source.rules, first=first)

    def _truth(
        self, batch: Any, labels: Sequence[tuple[str, Feature]], target: Target, first: int
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Read classes or labels, and which rows have them."""
        found = []
        for place, feature in labels:
            cells = self._column(batch, place, feature, first)
            codes = find_values(cells, feature.values)
            if (codes == UNSEEN).any():
                row = int((codes == UNSEEN).argmax())
                cell = cells.cell(row)
                classes = f"known classes: {listed(feature.values)}"
                allowed = "a label holds 0 or 1" if target.kind == "multilabel" else classes
                raise ValueError(f"Column {place!r} holds {shown(cell)} in row {first + row}; {allowed}.")
            found.append(codes)
        codes = np.column_stack(found)
        known: NDArray[np.bool_] = (codes != MISSING).all(axis=1)
        if target.kind == "multilabel":
            return codes, known
        return np.array([*target.labels, None], dtype=object)[codes[:, 0]], known

    def _close(self, rows: int, unlabelled: int) -> None:
        if not rows:
            raise self._no_rows()
        if unlabelled == rows:
            raise ValueError(f"{self.name} has no row with a value of the target. Give rows whose class is known.")
        if unlabelled:
            self.notes.append(left_out(unlabelled))

    def _no_rows(self) -> ValueError:
        return ValueError(f"{self.name} has no rows below its header. Give at least one.")


@contextmanager
def _rows_from(first: int) -> Iterator[None]:
    """Let errors say where in the file the rows begin that they count from 0."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if not first:
            raise
        raise type(error)(f"{error} Here row 0 is row {first} of the file.") from None


def left_out(rows: int) -> str:
    """Say how many rows have no value of the target."""
    has, are = ("has", "is") if rows == 1 else ("have", "are")
    return f"{counted(rows, 'row')} {has} no value of the target and {are} left out."


def unknown_column(name: str, names: Sequence[str], file: str) -> str:
    """Say that a table has no such column, and which it may be."""
    lower = [one for one in names if one.lower() == name.lower()]
    near = lower or difflib.get_close_matches(name, names, n=1)
    listed = ", ".join(map(repr, names[:20])) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    return f"{file} has no column {name!r}. {f'Did you mean {near[0]!r}? ' if near else ''}Its columns: {listed}."


def _open(path: Path, missing: Sequence[str] | None) -> tuple[Stream, Source]:
    try:
        from nln.tables.files.formats import open_source
        from nln.tables.files.streams import open_bytes
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "pyarrow":
            raise
        raise ImportError('Table files need pyarrow, which is not installed: pip install "nln[cli]".') from None
    stream = open_bytes(path)
    try:
        return stream, open_source(stream, missing)
    except BaseException:
        stream.close()
        raise


def _label_features(target: Target, column: str | None) -> tuple[Feature, ...]:
    if target.kind != "multilabel":
        return (Feature(target.name if column is None else column, "categorical", target.labels),)
    if column is not None:
        raise ValueError("A multi-label target has one column per label, each named after it: give no target column.")
    return tuple(Feature(str(label), "categorical", (False, True)) for label in target.labels)
