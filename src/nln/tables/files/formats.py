"""The formats of table files, each as a stream of record batches: text, Parquet, Arrow, JSON lines."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc

from nln.tables.files.cells import CellRules
from nln.tables.files.dialect import Dialect, find_dialect
from nln.tables.files.streams import Stream, TextStream
from nln.tables.views import without_views

BATCH = 1 << 16
"""Most rows of a batch."""

_BLOCK = 1 << 22
"""Bytes of a text file read at a time; a row must fit in."""

_ROW_NAMES = re.compile(r"__index_level_\d+__")
"""What pandas calls the names of rows in Parquet and Arrow files."""


@dataclass
class Source:
    """A table file being read."""

    names: tuple[str, ...]
    batches: Iterator[Any]  # record batches of pyarrow, which can be read once
    rules: CellRules | None = None  # how cells are read, if they are text; None if the format has types
    notes: list[str] = field(default_factory=list)  # for the user; complete when all rows are read


def open_source(stream: Stream, missing: Sequence[str] | None = None) -> Source:
    """Open a table file in the format that the ending of its name or its first bytes tell."""
    ending = Path(stream.name.removesuffix(".gz")).suffix.lower()
    kind = _ENDINGS.get(ending) or _sniff(stream.peek(64))
    called, opener = _FORMATS[kind]
    with _named(stream.name, called):
        source = opener(stream, missing)
    source.batches = _read_on(source.batches, stream.name, called)
    if kind not in ("parquet", "arrow"):
        return source
    source.batches = map(without_views, source.batches)
    return _checked_names(source, stream.name)


def _checked_names(source: Source, name: str) -> Source:
    """Refuse a name that occurs twice, and leave out the names of rows."""
    names = source.names
    if twice := [column for column, times in Counter(names).items() if times > 1]:
        raise ValueError(f"{name} names two columns {twice[0]!r}. Rename one.")
    if row_names := [column for column in names if _ROW_NAMES.fullmatch(column)]:
        source.notes.append(f"{', '.join(row_names)}: row names that pandas wrote, which are left out.")
        source.names = tuple(column for column in names if column not in row_names)
        source.batches = (batch.select(list(source.names)) for batch in source.batches)
    return source


@contextmanager
def _named(name: str, called: str) -> Iterator[None]:
    """Say of an error of pyarrow which file it is about, and what such a file is called."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the system, not of the format
            raise
        raise ValueError(f"{name} is not {called}, or it is incomplete: {_first_line(error)}.") from None


def _read_on(batches: Iterator[Any], name: str, called: str) -> Iterator[Any]:
    with _named(name, called):
        yield from batches


def _sniff(begin: bytes) -> str:
    for mark, kind in ((b"PAR1", "parquet"), (b"ARROW1", "arrow"), (b"\xff\xff\xff\xff", "arrow")):
        if begin.startswith(mark):
            return kind
    return "json" if begin.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{") else "text"


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".")


def _open_text(stream: Stream, missing: Sequence[str] | None, separator: str | None = None) -> Source:
    text = TextStream(stream)
    dialect = find_dialect(text, separator)
    names = tuple(column for column in dialect.names if column)
    source = Source(names, iter(()), CellRules(missing, dialect.decimal_comma))
    unnamed = [str(place) for place, column in enumerate(dialect.names, 1) if not column]
    if unnamed:
        which = f"Column {unnamed[0]} has" if len(unnamed) == 1 else f"Columns {', '.join(unnamed)} have"
        source.notes.append(f"{which} no name in the header and {'is' if len(unnamed) == 1 else 'are'} left out.")
    source.batches = _text_batches(text, dialect, source)
    return source


def _text_batches(text: TextStream, dialect: Dialect, source: Source) -> Iterator[Any]:
    keys = [f"{place}" for place in range(len(dialect.names))]
    wrong: list[Any] = []

    def refuse(row: Any) -> str:
        wrong.append(row)
        return "error"

    try:
        reader = pyarrow.csv.open_csv(
            pa.PythonFile(text, mode="r"),
            pyarrow.csv.ReadOptions(column_names=keys, skip_rows_after_names=1, use_threads=False, block_size=_BLOCK),
            pyarrow.csv.ParseOptions(delimiter=dialect.separator, newlines_in_values=True, invalid_row_handler=refuse),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(keys, pa.string()),
                strings_can_be_null=False,
                include_columns=[key for key, column in zip(keys, dialect.names, strict=True) if column],
            ),
        )
        last = None
        for batch in reader:
            last = batch if batch.num_rows else last
            yield batch.rename_columns(list(source.names))
    except pa.ArrowInvalid as error:
        raise _text_error(error, wrong, len(keys), text.name) from None
    if last is not None and text.quotes % 2 and any("\n" in (column[-1].as_py() or "") for column in last.columns):
        raise ValueError(f'{text.name} has a quote (") that is never closed. Close it, or write "" for a quote.')
    if text.encoding == "cp1252":
        source.notes.append(f"{text.name} is not UTF-8 and is read as Windows-1252. Check its letters beyond ASCII.")


def _text_error(error: Exception, wrong: Sequence[Any], width: int, name: str) -> ValueError:
    if not wrong:
        return ValueError(f"{name} cannot be read as a text table: {_first_line(error)}.")
    row = wrong[0]
    place = "a row" if row.number is None else f"row {row.number - 2} (line {row.number} of the table)"
    return ValueError(
        f"{name} has {row.actual_columns} cells in {place}, but {width} columns: {_short(row.text)}. Correct the row, "
        "or quote cells that hold the separator."
    )


def _short(text: str, most: int = 60) -> str:
    return repr(text if len(text) <= most else f"{text[:most]}...")


def _open_parquet(stream: Stream, missing: Sequence[str] | None) -> Source:
    import pyarrow.parquet

    # Buffers of all row groups would stay until the file is closed.
    file = pyarrow.parquet.ParquetFile(_seekable(stream), pre_buffer=False)
    return Source(tuple(file.schema_arrow.names), file.iter_batches(batch_size=BATCH))


def _open_arrow(stream: Stream, missing: Sequence[str] | None) -> Source:
    if stream.peek(6) != b"ARROW1":
        reader = pa.ipc.open_stream(pa.PythonFile(stream, mode="r"))
        return Source(tuple(reader.schema.names), iter(reader))
    file = pa.ipc.open_file(_seekable(stream))
    return Source(tuple(file.schema.names), (file.get_batch(i) for i in range(file.num_record_batches)))


def _seekable(stream: Stream) -> Any:
    """Return what these formats can jump about in: the file itself, or all bytes of what can only be read once."""
    file = stream.seekable_file()
    return pa.PythonFile(file, mode="r") if file is not None else pa.BufferReader(stream.read())


def _open_json(stream: Stream, missing: Sequence[str] | None) -> Source:
    name = stream.name
    lines = enumerate(io.TextIOWrapper(io.BufferedReader(TextStream(stream), _BLOCK), encoding="utf-8"), 1)
    rows = (_json_row(line, number, name) for number, line in lines if line.strip())
    begin = list(islice(rows, BATCH))
    if not begin:
        raise ValueError(f"{name} is empty. Give one JSON object per line.")
    names = tuple(dict.fromkeys(key for row in begin for key in row))
    return Source(names, _json_batches(begin, rows, name))


def _json_row(line: str, number: int, name: str) -> dict[str, Any]:
    try:
        row = json.loads(line, object_pairs_hook=_json_object)
    except RecursionError:
        raise ValueError(f"{name} is nested too deep in line {number}. Give one flat object per line.") from None
    except _RepeatedKey as error:
        raise ValueError(f"{name} has the key {error} twice in line {number}. Give each column once.") from None
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{name} is not JSON lines: line {number} is not JSON ({error.msg}). Give one object per line."
        ) from None
    if not isinstance(row, dict):
        raise ValueError(f"{name} holds a JSON {type(row).__name__} in line {number}. Give one object per line.")
    return row


class _RepeatedKey(Exception):
    """A key that an object has twice."""


def _json_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _RepeatedKey(repr(next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)))
    return found


def _json_batches(begin: list[dict[str, Any]], rows: Iterator[dict[str, Any]], name: str) -> Iterator[Any]:
    first, some = 0, begin
    while some:
        keys = dict.fromkeys(key for row in some for key in row)
        yield pa.table({key: _json_column([row.get(key) for row in some], key, first, name) for key in keys})
        first += len(some)
        some = list(islice(rows, BATCH))


def _json_column(cells: list[Any], key: str, first: int, name: str) -> Any:
    kinds = [_json_kind(cell) for cell in cells]
    known = next((kind for kind in kinds if kind), None)
    wrong = next((row for row, kind in enumerate(kinds) if kind not in (None, known)), None)
    if wrong is None and known == "a list or object":
        wrong = kinds.index(known)
    if wrong is not None:
        raise ValueError(
            f"{name} holds {kinds[wrong]} in column {key!r}, row {first + wrong}; a column holds text, numbers or "
            "truth values, and only one of them."
        )
    if known == "a number" and any(isinstance(cell, float) or abs(cell or 0) >= 2**63 for cell in cells):
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    return pa.array(cells)


def _json_kind(cell: Any) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, bool):
        return "a truth value"
    return "a number" if isinstance(cell, int | float) else "text" if isinstance(cell, str) else "a list or object"


_FORMATS: dict[str, tuple[str, Callable[[Stream, Sequence[str] | None], Source]]] = {
    "text": ("a text table", _open_text),
    "tabs": ("a text table", partial(_open_text, separator="\t")),
    "parquet": ("a Parquet file", _open_parquet),
    "arrow": ("an Arrow file", _open_arrow),
    "json": ("JSON lines", _open_json),
}
_ENDINGS = {
    ".csv": "text", ".txt": "text", ".tsv": "tabs", ".tab": "tabs", ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".jsonl": "json", ".ndjson": "json", ".json": "json",
}  # fmt: skip
